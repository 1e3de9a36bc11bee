"""The states of a cluster's life, as buttons on its page."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from unfold.decorators import action
from unfold.enums import ActionVariant

from fleet.admin.bulk import BulkActs
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


def button(
    name: str,
    act: Callable[..., Cluster],
    effect: str,
    icon: str,
    variant: ActionVariant = ActionVariant.DEFAULT,
) -> Any:
    """Leads to a page with its plan; only the answer, a POST, acts."""
    title = name.capitalize()

    def run(self: "ClusterActs", request: HttpRequest, object_id: str) -> HttpResponse:
        return self.run_act(request, object_id, title, act, effect)

    run.__name__ = name  # unfold finds it by this
    decorate = action(
        description=title, url_path=name, icon=icon, variant=variant, permissions=["change"]
    )
    return decorate(run)


class ClusterActs(BulkActs):
    actions_detail = ["approve", "freeze", "unfreeze", "recommission", "decommission"]

    approve = button(
        "approve",
        cluster_approve,
        "It registered itself and waits: from now on Flux gets for it what its settings say.",
        "how_to_reg",
        ActionVariant.PRIMARY,
    )
    freeze = button(
        "freeze",
        cluster_freeze,
        "From now on it gets what it gets now, whatever changes around it.",
        "ac_unit",
    )
    unfreeze = button(
        "unfreeze",
        cluster_unfreeze,
        "It gets at once everything that has changed since it was frozen.",
        "wb_sunny",
    )
    recommission = button(
        "recommission",
        cluster_recommission,
        "It becomes active and gets again what its settings say.",
        "restart_alt",
    )
    decommission = button(
        "decommission",
        cluster_decommission,
        "It gets empty answers, so Flux removes everything from it. Its settings are kept.",
        "power_settings_new",
        ActionVariant.DANGER,
    )

    def get_actions_detail(self, request: HttpRequest, object_id: str) -> list[Any]:
        """Only what the cluster's state allows."""
        states = Cluster.objects.filter(pk=unquote(object_id)).values_list("state", flat=True)
        offered = OFFERED.get(states.first() or "", ())
        buttons = super().get_actions_detail(request, object_id)
        return [each for each in buttons if each.path in offered]

    def page_after(self, request: HttpRequest, page: str) -> str:
        """Where an act leads to: to the page of the cluster."""
        return page

    def run_act(
        self,
        request: HttpRequest,
        object_id: str,
        verb: str,
        act: Callable[..., Cluster],
        effect: str,
    ) -> HttpResponse:
        page = reverse("admin:fleet_cluster_change", args=[object_id])

        def run() -> HttpResponse:
            cluster = act(cluster=unquote(object_id))
            messages.success(request, f"{cluster} is now {cluster.state}.")
            return HttpResponseRedirect(self.page_after(request, page))

        reason = self.reason(verb, request, object_id)
        refused = partial(refuse, request, url=page)
        write = PlannedWrite(self, request, reason, run, refused, verb)
        return write.respond_as_button(effect)
