from django.apps import AppConfig
from django.db.models.signals import post_migrate


class FleetConfig(AppConfig):
    name = "fleet"
    verbose_name = "Fleet"

    def ready(self) -> None:
        # Not at the top: Django imports this module before there can be any model.
        from fleet.access.groups import make_groups  # noqa: PLC0415
        from fleet.history.change import plan_changes_by  # noqa: PLC0415
        from fleet.history.tracking import start_tracking  # noqa: PLC0415
        from fleet.plans.planning import plan_change  # noqa: PLC0415

        start_tracking()
        plan_changes_by(plan_change)
        post_migrate.connect(make_groups, sender=self, dispatch_uid="fleet.make_groups")
