"""The states of a cluster's life, as buttons on its page."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from unfold.admin import ModelAdmin
from unfold.decorators import action
from unfold.enums import ActionVariant

from fleet.admin.cluster_waiting import page_after
from fleet.admin.planned_write import PlannedWrite
from fleet.admin.refusals import refuse
from fleet.models import Cluster
from fleet.services.clusters import (
    cluster_approve,
    cluster_decommission,
    cluster_freeze,
    cluster_recommission,
    cluster_unfreeze,
)

OFFERED: dict[str, tuple[str, ...]] = {
    Cluster.State.WAITING: ("approve", "clone"),
    Cluster.State.ACTIVE: ("freeze", "decommission", "clone"),
    Cluster.State.FROZEN: ("unfreeze", "decommission", "clone"),
    Cluster.State.DECOMMISSIONED: ("recommission", "clone"),
}


def state_button(
    name: str,
    act: Callable[..., Cluster],
    effect: str,
    icon: str,
    variant: ActionVariant = ActionVariant.DEFAULT,
) -> Any:
    """Leads to a page with its plan; only the answer, a POST, acts."""
    verb = name.capitalize()

    def run(model_admin: ModelAdmin, request: HttpRequest, object_id: str) -> HttpResponse:
        page = reverse("admin:fleet_cluster_change", args=[object_id])

        def change_state() -> HttpResponse:
            cluster = act(cluster=unquote(object_id))
            messages.success(request, f"{cluster} is now {cluster.state}.")
            return HttpResponseRedirect(page_after(request, page))

        reason = model_admin.reason(verb, request, object_id)
        refused = partial(refuse, request, url=page)
        write = PlannedWrite(model_admin, request, reason, change_state, refused, verb)
        return write.respond_as_button(effect)

    run.__name__ = name  # unfold finds it by this
    decorate = action(
        description=verb, url_path=name, icon=icon, variant=variant, permissions=["change"]
    )
    return decorate(run)


approve = state_button(
    "approve",
    cluster_approve,
    "It registered itself and waits: from now on Flux gets for it what its settings say.",
    "how_to_reg",
    ActionVariant.PRIMARY,
)
freeze = state_button(
    "freeze",
    cluster_freeze,
    "From now on it gets what it gets now, whatever changes around it.",
    "ac_unit",
)
unfreeze = state_button(
    "unfreeze",
    cluster_unfreeze,
    "It gets at once everything that has changed since it was frozen.",
    "wb_sunny",
)
recommission = state_button(
    "recommission",
    cluster_recommission,
    "It becomes active and gets again what its settings say.",
    "restart_alt",
)
decommission = state_button(
    "decommission",
    cluster_decommission,
    "It gets empty answers, so Flux removes everything from it. Its settings are kept.",
    "power_settings_new",
    ActionVariant.DANGER,
)


def offered(object_id: str) -> tuple[str, ...]:
    """Only what the cluster's state allows."""
    states = Cluster.objects.filter(pk=unquote(object_id)).values_list("state", flat=True)
    return OFFERED.get(states.first() or "", ())
