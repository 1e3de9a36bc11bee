from django.apps import AppConfig
from django.db.models.signals import post_migrate

from fleet.access.groups import make_groups


class FleetConfig(AppConfig):
    name = "fleet"
    verbose_name = "Fleet"

    def ready(self) -> None:
        from fleet.models.tracked import connect_signals

        connect_signals()
        post_migrate.connect(make_groups, sender=self, dispatch_uid="fleet.make_groups")
