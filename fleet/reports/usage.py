"""Where a component is in use, and with what: versions, overrides, and cluster by cluster."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, Min, QuerySet

from fleet import models
from fleet.desired_state.layers import (
    build_cluster,
    build_shared,
    read_cluster_rows,
    read_shared_rows,
)
from fleet.desired_state.merge import MergedComponent, Origin, Traced, merge
from fleet.desired_state.selectors import running_component, version_of
from fleet.desired_state.values import format_key

MOST_VERSIONS = 50
MOST_OVERRIDES = 50
MOST_KEYS = 8


@dataclass(frozen=True, slots=True)
class Override:
    """A value that a layer sets, and how many profiles or clusters set it so."""

    key: str
    value: str
    unset: bool
    count: int
    # The first and the last by id; for one, the same.
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class MatrixRow:
    cluster: str
    state: str
    version: Traced[str]
    enabled: Traced[bool]
    # By the keys of the matrix; None where the cluster has no such value.
    values: tuple[Traced[str] | None, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    keys: tuple[str, ...]
    left_out: int
    rows: tuple[MatrixRow, ...]


def clusters_with(component: str) -> QuerySet:
    """Each with its `version`. To make these conditions takes a score of queries: do it once."""
    clusters = models.Cluster.objects.filter(running_component(component)).order_by("id")
    return clusters.annotate(version=version_of(component))


def versions_of(clusters: QuerySet) -> list[tuple[str, int]]:
    counted = clusters.order_by().values("version").annotate(count=Count("pk"))
    ordered = counted.order_by("-count", "version").values_list("version", "count")
    return list(ordered[:MOST_VERSIONS])


def overrides_in_use(model: Any, owner: str, component: str) -> list[Override]:
    """Grouped by the database: thousands of clusters may set the same."""
    rows = model.objects.filter(component_id=component).order_by()
    grouped = rows.values("key", "value", "unset").annotate(
        count=Count("pk"), first=Min(owner), last=Max(owner)
    )
    return [Override(**row) for row in grouped.order_by("key", "-count", "value")[:MOST_OVERRIDES]]


def matrix_of(component: str, cluster_ids: Sequence[str]) -> Matrix:
    """What each of these clusters gets, by the merge, with the layer that says so."""
    shared = build_shared(read_shared_rows())
    found: list[tuple[Any, MergedComponent]] = []
    for rows in read_cluster_rows(cluster_ids):
        merged = merge(shared, build_cluster(rows))
        found += [(rows.row, item) for item in merged.components if item.id == component]
    keys = _keys([item for _, item in found])
    shown = keys[:MOST_KEYS]
    return Matrix(shown, len(keys) - len(shown), tuple(_row(*each, shown) for each in found))


def _keys(components: Sequence[MergedComponent]) -> tuple[str, ...]:
    """Those that a profile or a cluster has a say in: the others are alike everywhere."""
    return tuple(
        sorted(
            {
                format_key(path)
                for component in components
                for path, traced in component.patches
                if _is_override(traced.origin)
            }
        )
    )


def _is_override(origin: Origin) -> bool:
    return origin.layer != "catalog"


def _row(cluster: Any, component: MergedComponent, keys: Sequence[str]) -> MatrixRow:
    values = {format_key(path): traced for path, traced in component.patches}
    return MatrixRow(
        cluster=cluster.id,
        state=cluster.state,
        version=component.component_version,
        enabled=component.enabled,
        values=tuple(values.get(key) for key in keys),
    )
