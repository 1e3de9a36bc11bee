"""The fleet at any revision, from the history, through the same merge as today's."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Max, QuerySet

from fleet import models
from fleet.desired_state.answers import answers_of, is_waiting
from fleet.desired_state.inputs import (
    COMPONENTS,
    NAMESPACES,
    ROLEBINDINGS,
    cluster_block,
    component_fields,
    namespace_fields,
    rolebinding_fields,
)
from fleet.desired_state.layers import (
    CLUSTER_CHILDREN,
    SHARED_MODELS,
    ClusterRows,
    Rows,
    build_cluster,
    build_shared,
)
from fleet.desired_state.merge import MergedCluster, MergedComponent, Origin, Traced, merge
from fleet.desired_state.render import Renderer
from fleet.desired_state.values import format_key, leaves, to_json
from fleet.errors import NotFound
from fleet.history.change import RowChange
from fleet.models.tracked import Row, columns

# What every input says of its cluster, told once.
CLUSTER = "cluster"


def revision_get(number: int) -> models.Revision:
    try:
        return models.Revision.objects.get(pk=number)
    except (models.Revision.DoesNotExist, OverflowError):
        raise NotFound(f"There is no revision {number}.") from None


def rows_at(model: Any, number: int, **where: Any) -> list[Row]:
    """Each row as its last history row up to the revision has it, unless that is its deletion."""
    history = model.history.model.objects
    latest = (
        history.filter(revision_id__lte=number, **where)
        .order_by()
        .values(model._meta.pk.attname)
        .annotate(latest=Max("history_id"))
        .values("latest")
    )
    return list(_rows(model, history.filter(history_id__in=latest).exclude(history_type="-")))


def _rows(model: Any, history: QuerySet) -> QuerySet:
    return history.order_by().values_list(*columns(model), named=True)


def cluster_rows_at(cluster_id: str, number: int) -> ClusterRows:
    revision_get(number)
    found = rows_at(models.Cluster, number, id=cluster_id)
    if not found:
        raise NotFound(f"There was no cluster {cluster_id!r} at revision {number}.")
    children = {model: rows_at(model, number, cluster_id=cluster_id) for model in CLUSTER_CHILDREN}
    return ClusterRows(found[0], children)


def shared_rows_at(number: int) -> Rows:
    return {model: rows_at(model, number) for model in SHARED_MODELS}


def merged_at(cluster_id: str, number: int) -> MergedCluster:
    """The merged state at the revision, with provenance."""
    rows = cluster_rows_at(cluster_id, number)
    return merge(build_shared(shared_rows_at(number)), build_cluster(rows))


def revisions_of(cluster_id: str) -> QuerySet[models.Revision]:
    """Those that changed what the cluster gets, newest first."""
    return models.Revision.objects.filter(effects__cluster_id=cluster_id).order_by("-number")


def changes_of(number: int) -> list[RowChange]:
    """What a revision did to each row, as it is known while a change is open."""
    revision_get(number)
    return [
        change for model in models.TRACKED_MODELS for change in _changes_of_model(model, number)
    ]


def _changes_of_model(model: Any, number: int) -> Iterator[RowChange]:
    pk = model._meta.pk.attname
    history = model.history.model.objects
    own = history.filter(revision_id=number)
    kinds = dict(own.values_list(pk, "history_type"))
    if not kinds:
        return
    now = {getattr(row, pk): row for row in _rows(model, own)}
    before: dict[Any, Row] = {}
    changed = [key for key, kind in kinds.items() if kind != "+"]
    for start in range(0, len(changed), 2_000):
        where = {f"{pk}__in": changed[start : start + 2_000]}
        before.update((getattr(row, pk), row) for row in rows_at(model, number - 1, **where))
    for key in sorted(kinds, key=str):
        gone = kinds[key] == "-"
        yield RowChange(model, key, before.get(key), None if gone else now[key])


@dataclass(frozen=True, slots=True)
class TracedChange:
    """A field that differs between two revisions, with the layers that gave it."""

    resource: str
    id: str
    field: str
    old: Traced[str] | None
    new: Traced[str] | None


def cluster_difference(cluster_id: str, old: int, new: int) -> list[TracedChange]:
    """Field by field with provenance. A cluster that was not there yet got nothing."""
    before, after = _described_at(cluster_id, old), _described_at(cluster_id, new)
    return [
        TracedChange(*key, before.get(key), after.get(key))
        for key in sorted(before.keys() | after.keys())
        if _value(before.get(key)) != _value(after.get(key))
    ]


def _value(traced: Traced[str] | None) -> str | None:
    return traced.value if traced else None


Described = Mapping[tuple[str, str, str], Traced[str]]


def _described_at(cluster_id: str, number: int) -> Described:
    revision_get(number)
    if not rows_at(models.Cluster, number, id=cluster_id):
        return {}
    rows = cluster_rows_at(cluster_id, number)
    if is_waiting(rows):
        return {}
    if rows.row.state == models.Cluster.State.ACTIVE:
        return described(merge(build_shared(shared_rows_at(number)), build_cluster(rows)))
    return _described_answers(rows)


def _described_answers(rows: ClusterRows) -> Described:
    """A frozen or decommissioned cluster gets what its state says: that is where it comes from."""
    answers = answers_of(rows, Renderer(build_shared({model: [] for model in SHARED_MODELS})))
    origin = Origin(rows.row.state, rows.id)
    block = {
        (CLUSTER, rows.id, field): Traced(value, origin)
        for field, value in _flat(json.loads(answers.cluster))
    }
    return block | {
        (resource, item.id, field): Traced(value, origin)
        for resource, items in answers.items.items()
        for item in items
        for field, value in _flat(item.fields())
    }


def described(merged: MergedCluster) -> Described:
    """Every field that a cluster gets, with the layer that gave it."""
    found: dict[tuple[str, str, str], Traced[str]] = {}
    cluster = merged.cluster
    for field, value in _flat(cluster_block(cluster)):
        found[CLUSTER, cluster.id, field] = Traced(value, Origin("cluster", cluster.id))
    for component in merged.components:
        for field, traced in _component_fields(component, cluster.environment):
            found[COMPONENTS, component.id, field] = traced
    for namespace in merged.namespaces:
        for field, value in _flat(namespace_fields(namespace.value)):
            found[NAMESPACES, namespace.value.id, field] = Traced(value, namespace.origin)
    for rolebinding in merged.rolebindings:
        for field, value in _flat(rolebinding_fields(rolebinding.value)):
            found[ROLEBINDINGS, rolebinding.value.id, field] = Traced(value, rolebinding.origin)
    return found


def _component_fields(
    component: MergedComponent, environment: str
) -> Iterator[tuple[str, Traced[str]]]:
    catalog = Origin("catalog", component.id)
    origins = {
        "enabled": component.enabled.origin,
        "component_path": component.component_path.origin,
        "resolved_path": component.component_path.origin,
        "component_version": component.component_version.origin,
        "source.oci_tag": component.oci_tag.origin,
        "id": component.assigned,
    }
    own = {
        key: value
        for key, value in component_fields(component, environment).items()
        if key not in {"values", "patches"}
    }
    for field, value in _flat(own):
        yield field, Traced(value, origins.get(field, catalog))
    for path, traced in component.patches:
        yield f"values.{format_key(path)}", traced


def _flat(fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in fields.items():
        if key == "source":
            yield from ((f"source.{name}", to_json(part)) for name, part in value.items())
        elif key == "values":
            yield from _flat_values(value)
        elif key != "patches":
            yield key, to_json(value)


def _flat_values(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for path, value in leaves(values):
        yield f"values.{format_key(path)}", to_json(value)
