"""What clusters get now. The reads behind every poll; call them inside `snapshot()`."""

from collections.abc import Collection
from typing import Any

from fleet import models
from fleet.errors import NotFound
from fleet.inputs import Answers, Renderer, cluster_entry
from fleet.layers import ClusterRows, build_shared, read_cluster_rows, read_shared_rows
from fleet.plans import answers_of


def answers_for_dns(dns: str) -> Answers:
    """A fixed number of queries, whatever the size of the fleet."""
    return answers_now(rows_for_dns(dns))


def rows_for_dns(dns: str) -> ClusterRows:
    known = models.Cluster.objects.exclude(state=models.Cluster.State.WAITING)
    cluster_id = known.filter(dns=dns.lower()).values_list("pk", flat=True).first()
    if cluster_id is None:
        raise NotFound(f"No cluster has the DNS name {dns!r}.")
    [rows] = read_cluster_rows([cluster_id])
    return rows


def answers_now(rows: ClusterRows) -> Answers:
    return answers_of(rows, Renderer(build_shared(read_shared_rows())))


def cluster_entries(environments: Collection[str] | None = None) -> list[dict[str, Any]]:
    """All clusters, or those of these environments, for a management plane; a decommissioned one
    until it is purged, so that what provisions clusters takes it away only when a person has said
    so. One that waits to be approved is not there yet."""
    clusters = models.Cluster.objects.exclude(state=models.Cluster.State.WAITING).order_by()
    if environments is not None:
        clusters = clusters.filter(environment_id__in=environments)
    rows = clusters.rows()
    return sorted((cluster_entry(row) for row in rows), key=lambda entry: entry["id"])
