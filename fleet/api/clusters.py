from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from fleet import models
from fleet.api.effective import difference_document, effective_document
from fleet.api.filters import ClusterFilters, apply_filters
from fleet.api.numbers import required_number, revision_number
from fleet.api.pagination import PAGING, paginate
from fleet.api.revisions import revision_summary
from fleet.api.views import (
    ON_WRITES,
    FleetView,
    SectionDetail,
    SectionList,
    body_of,
    refuse_body,
)
from fleet.api.writes import Outcome, flag, perform
from fleet.errors import Invalid
from fleet.history.change import head_number
from fleet.history.snapshot import snapshot
from fleet.history.time_travel import cluster_difference, merged_at, revisions_of
from fleet.resources.showing import documents_of
from fleet.services.clusters import (
    cluster_approve,
    cluster_decommission,
    cluster_freeze,
    cluster_get,
    cluster_purge,
    cluster_recommission,
    cluster_unfreeze,
)
from fleet.services.objects import clusters_patch
from fleet.services.undo import cluster_restore
from fleet.web.etags import etag_of, require_match

PURGED_AT_ONCE = {models.Cluster.State.DECOMMISSIONED, models.Cluster.State.WAITING}


class ClusterList(SectionList):
    section = "clusters"
    filterset_class = ClusterFilters

    def patch(self, request: Request) -> Response:
        """The same merge patch on every cluster that matches, as one revision."""
        patch = body_of(request)
        filters = set(request.query_params) & set(ClusterFilters.base_filters) - {"ordering"}
        if not flag(request, "all") and not filters:
            message = "is needed to change every cluster; or give a filter, such as environment"
            raise Invalid(f"all=true {message}.", {"all": [message]})

        def act() -> Outcome:
            parameters = (*ON_WRITES, "all")
            chosen = apply_filters(ClusterFilters, request, self.get_queryset(), *parameters)
            ids = sorted(chosen.order_by().values_list("pk", flat=True))
            changed = clusters_patch(ids=ids, patch=patch)
            return Outcome({"matched": len(ids), "changed": len(changed), "clusters": changed})

        return perform(request, act)


class ClusterDetail(SectionDetail):
    section = "clusters"

    def remove(self, item_id: str, document: dict[str, Any]) -> dict[str, Any]:
        """Decommissions; and purges what is decommissioned already, or was never approved."""
        if document["state"] in PURGED_AT_ONCE:
            cluster_purge(cluster=item_id)
            return document
        cluster_decommission(cluster=item_id)
        return self.document(item_id)


class ClusterAct(FleetView):
    """A change of state, as a `POST` without a body."""

    act: ClassVar[Callable[..., models.Cluster]]

    def post(self, request: Request, item_id: str) -> Response:
        self.allow_parameters(*ON_WRITES)
        refuse_body(request)
        return perform(request, lambda: run(request, item_id, type(self).act))


def run(request: Request, item_id: str, act: Callable[..., models.Cluster]) -> Outcome:
    require_match(request, lambda: next(iter(documents_of("clusters", [item_id])), None))
    act(cluster=item_id)
    [document] = documents_of("clusters", [item_id])
    return Outcome(document, 200, {"ETag": etag_of(document)})


class ClusterApprove(ClusterAct):
    act = staticmethod(cluster_approve)


class ClusterFreeze(ClusterAct):
    act = staticmethod(cluster_freeze)


class ClusterUnfreeze(ClusterAct):
    act = staticmethod(cluster_unfreeze)


class ClusterRecommission(ClusterAct):
    act = staticmethod(cluster_recommission)


class ClusterRestore(FleetView):
    """The cluster as it was at a revision."""

    def post(self, request: Request, item_id: str) -> Response:
        self.allow_parameters(*ON_WRITES)
        number = required_number(body_of(request), "revision")
        act = partial(cluster_restore, number=number)
        return perform(request, lambda: run(request, item_id, act))


class ClusterEffective(FleetView):
    """What the layers make of the cluster, every value with the layer that gave it.

    That is what an active cluster gets; a frozen one will get it once it is unfrozen.
    """

    def get(self, request: Request, item_id: str) -> HttpResponseBase:
        self.allow_parameters("revision")
        with snapshot():
            number = revision_number(request, "revision", head_number())
            return self.answer(effective_document(merged_at(item_id, number), number))


class ClusterDifference(FleetView):
    """How what the cluster gets differs between two revisions."""

    def get(self, request: Request, item_id: str) -> Response:
        self.allow_parameters("from", "to")
        with snapshot():
            head = head_number()
            old = revision_number(request, "from", None)
            new = revision_number(request, "to", head)
            if not models.Cluster.history.filter(id=item_id).exists():
                cluster_get(item_id)
            return Response(difference_document(old, new, cluster_difference(item_id, old, new)))


class ClusterRevisions(FleetView):
    """The revisions that changed what the cluster gets, newest first."""

    def get(self, request: Request, item_id: str) -> Response:
        self.allow_parameters(*PAGING)
        with snapshot():
            if not models.Cluster.history.filter(id=item_id).exists():
                cluster_get(item_id)
            page = paginate(request, revisions_of(item_id))
            return Response([revision_summary(item) for item in page.items], headers=page.headers)
