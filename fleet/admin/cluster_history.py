"""The revisions that changed what a cluster gets: compare any two, restore to any."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from unfold.admin import ModelAdmin

from fleet.admin.cluster_pages import cluster_page, cluster_view
from fleet.admin.planned_write import PlannedWrite
from fleet.admin.refusals import explain, refuse
from fleet.errors import FleetError, NotFound
from fleet.history.snapshot import snapshot
from fleet.history.time_travel import CLUSTER, TracedChange, cluster_difference, revisions_of
from fleet.models import Cluster
from fleet.plans.diff import ADDED, CHANGED, REMOVED
from fleet.services.undo import cluster_restore

PER_PAGE = 25
NUMBER = re.compile("[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class ItemDifference:
    """What became of one component, namespace or rolebinding, or of the cluster's own block."""

    resource: str
    id: str
    changes: tuple[TracedChange, ...]

    @property
    def action(self) -> str:
        # Every item has an id, which differs only where the item comes or goes.
        telling = [each for each in self.changes if each.field == "id" or self.resource == CLUSTER]
        if telling and all(each.old is None for each in telling):
            return ADDED
        return REMOVED if telling and all(each.new is None for each in telling) else CHANGED

    def fields(self) -> Iterator[tuple[TracedChange, str]]:
        """Each with the rows of the layer's page that have it."""
        rows = {CLUSTER: "", "platform-components": "components"}.get(self.resource, self.resource)
        for each in self.changes:
            if each.field != "id" or self.resource == CLUSTER:
                yield each, "patches" if each.field.startswith("values.") else rows


def by_item(changes: Sequence[TracedChange]) -> list[ItemDifference]:
    """They come in the order of their items."""
    groups = groupby(changes, lambda each: (each.resource, each.id))
    return [ItemDifference(*item, tuple(own)) for item, own in groups]


def is_elsewhere(text: str, numbers: Sequence[str]) -> bool:
    return bool(NUMBER.fullmatch(text)) and text not in numbers


def number_of(text: str) -> int:
    if not NUMBER.fullmatch(text):
        raise NotFound(f"{text[:20]!r} is not the number of a revision.")
    return int(text)


RESTORED = (
    "Its name, environment, labels, state, assignments and patches become what they were. What "
    "profiles and the catalog give it stays as it is now. The history is kept: this is a new "
    "revision."
)


@cluster_view("view")
def history_view(model_admin: ModelAdmin, request: HttpRequest, cluster: Cluster) -> HttpResponse:
    with snapshot():
        context = history_of(cluster, request.GET)
        title = f"What changed for {cluster}"
        return cluster_page(model_admin, request, cluster, "history", title, **context)


def history_of(cluster: Cluster, asked: QueryDict) -> dict[str, Any]:
    """Turning a page keeps what is chosen, and compares only when asked to."""
    turn = asked.get("turn")
    listed = Paginator(revisions_of(cluster.pk), PER_PAGE).get_page(turn or asked.get("p"))
    revisions = list(listed.object_list)
    numbers = [str(revision.number) for revision in revisions]
    old, new = asked.get("from", ""), asked.get("to", "")
    compared: dict[str, Any] = {}
    if old and new and turn is None:
        compared = compare(cluster, old, new)
    elif not old and not new:
        new, old, *_ = *numbers, "", ""
    return {
        "listed": listed,
        "revisions": revisions,
        "old": old,
        "new": new,
        "elsewhere": [text for text in dict.fromkeys((old, new)) if is_elsewhere(text, numbers)],
        **compared,
    }


@cluster_view("change")
def restore_view(model_admin: ModelAdmin, request: HttpRequest, cluster: Cluster) -> HttpResponse:
    history = reverse("admin:fleet_cluster_history", args=[cluster.pk])
    refused = partial(refuse, request, url=history)
    try:
        number = number_of(request.GET.get("revision", ""))
    except NotFound as error:
        return refused(explain(error))

    def act() -> HttpResponse:
        cluster_restore(cluster=cluster.pk, number=number)
        messages.success(request, f"{cluster} is as it was at revision {number}.")
        return HttpResponseRedirect(history)

    reason = f"Restore {cluster} to revision {number}"
    write = PlannedWrite(model_admin, request, reason, act, refused, verb="Restore")
    return write.respond_as_button(RESTORED)


def compare(cluster: Cluster, old: str, new: str) -> dict[str, Any]:
    try:
        changes = cluster_difference(cluster.pk, number_of(old), number_of(new))
    except FleetError as error:
        return {"problem": error.message}
    return {"compared": True, "difference": by_item(changes)}
