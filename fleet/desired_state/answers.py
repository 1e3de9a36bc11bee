"""What clusters get, by their state, and the reads behind every poll: call those inside
`snapshot()`."""

import json
from collections.abc import Collection
from typing import Any, TypeGuard

from fleet import models
from fleet.desired_state.inputs import Answers, answers_from_document, cluster_entry, nothing
from fleet.desired_state.layers import (
    ClusterRows,
    Rows,
    build_cluster,
    build_shared,
    read_shared_rows,
    rows_by_dns,
)
from fleet.desired_state.queries import read
from fleet.desired_state.render import Renderer
from fleet.errors import NotFound


def is_waiting(rows: ClusterRows) -> bool:
    """Then the cluster is unknown to Flux, as one that is not there."""
    return bool(rows.row.state == models.Cluster.State.WAITING)


def answers_of(rows: ClusterRows, renderer: Renderer) -> Answers:
    """What the cluster gets, by its state."""
    state = models.Cluster.State(rows.row.state)
    if state is models.Cluster.State.WAITING:
        raise NotFound(f"{rows.id} is waiting to be approved.")
    if state is models.Cluster.State.DECOMMISSIONED:
        return nothing(build_cluster(rows, traced=False))
    if state is models.Cluster.State.FROZEN:
        # Without its frozen answers there is no right answer, so this must be an error.
        [frozen] = rows.children[models.FrozenAnswers]
        return answers_from_document(json.loads(frozen.answers))
    return renderer.render(build_cluster(rows, traced=False))


def rows_for_dns(dns: str) -> ClusterRows:
    [rows] = read(rows_by_dns(dns.lower()))
    if is_there(rows):
        return rows
    raise NotFound(f"No cluster has the DNS name {dns!r}.")


def is_there(rows: ClusterRows | None) -> TypeGuard[ClusterRows]:
    """One that waits to be approved is not there yet."""
    return rows is not None and not is_waiting(rows)


def answers_now(rows: ClusterRows) -> Answers:
    """A fixed number of queries, whatever the size of the fleet."""
    return answers_of(rows, renderer_of(read_shared_rows()))


def renderer_of(rows: Rows) -> Renderer:
    return Renderer(build_shared(rows))


def cluster_entries(environments: Collection[str] | None = None) -> list[dict[str, Any]]:
    """All clusters, or those of these environments, for a management plane; a decommissioned one
    until it is purged, so that what provisions clusters takes it away only when a person has said
    so. One that waits to be approved is not there yet."""
    clusters = models.Cluster.objects.exclude(state=models.Cluster.State.WAITING).order_by()
    if environments is not None:
        clusters = clusters.filter(environment_id__in=environments)
    rows = clusters.rows()
    return sorted((cluster_entry(row) for row in rows), key=lambda entry: entry["id"])
