"""The groups of people, each with what it may do. Made, and brought up to date, by `migrate`."""

from typing import Any

from django.contrib.auth.models import Group, Permission
from django.db.models import Q

from fleet.models import TRACKED_MODELS

# The tables that make up the fleet are those with a history, but for tokens.
NOT_FLEET = ("token",)


def make_groups(sender: Any, using: str, **kwargs: Any) -> None:
    """After every migration, once the permissions of new tables are there.

    These three are the product's own: for other rights, make groups beside them.
    """
    permissions = Permission.objects.using(using)
    for name, chosen in groups().items():
        group, _ = Group.objects.using(using).get_or_create(name=name)
        group.permissions.set(permissions.filter(chosen))


def groups() -> dict[str, Q]:
    fleet = [
        model._meta.model_name
        for model in TRACKED_MODELS
        if model._meta.model_name not in NOT_FLEET
    ]
    see = Q(content_type__app_label="fleet", codename__startswith="view_")
    change = Q(content_type__app_label="fleet", content_type__model__in=fleet)
    change |= Q(content_type__app_label="fleet", codename="change_fleet")
    manage = Q(content_type__app_label="fleet", content_type__model__in=["token", "operatorlimit"])
    manage |= Q(content_type__app_label="auth", content_type__model__in=["user", "group"])
    return {"viewers": see, "operators": see | change, "admins": see | change | manage}
