"""From rows to what the merge takes, in a fixed number of queries for one cluster or the fleet.

The rows may be those of today, those before a change, or those of an old revision: whatever gives
rows by model is a source.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any

from fleet import models
from fleet.desired_state.merge import (
    CatalogComponent,
    Cluster,
    ComponentSettings,
    Layer,
    Namespace,
    Origin,
    Profile,
    RoleBinding,
    Shared,
    Subject,
    component_settings,
)
from fleet.desired_state.queries import (
    Reading,
    all_rows,
    read,
    row_and_children,
    rows_and_children,
    stream,
)
from fleet.desired_state.values import Path, parse_key
from fleet.kubernetes import complete_subject
from fleet.models.tracked import Row

SHARED_MODELS = (
    models.Namespace,
    models.RoleBinding,
    models.Component,
    models.ComponentDependency,
    models.ComponentPatch,
    models.Profile,
    models.ProfileEnvironment,
    models.ProfileComponent,
    models.ProfilePatch,
    models.ProfileNamespace,
    models.ProfileRoleBinding,
)
# Each has a column `cluster_id`.
CLUSTER_CHILDREN = (
    models.FrozenAnswers,
    models.ClusterComponent,
    models.ClusterPatch,
    models.ClusterNamespace,
    models.ClusterRoleBinding,
    models.ProfileCluster,
)

Rows = Mapping[Any, Sequence[Row]]


@dataclass(frozen=True, slots=True)
class ClusterRows:
    """A cluster's row and the rows of its children, by model."""

    row: Row
    children: Rows

    @property
    def id(self) -> str:
        return self.row.id


def shared_rows() -> Reading:
    wanted = all_rows(SHARED_MODELS)

    def made_of(*found: Any) -> Rows:
        return dict(zip(SHARED_MODELS, wanted.made_of(*found), strict=True))

    return Reading(wanted.statements, made_of)


def read_shared_rows() -> Rows:
    [rows] = read(shared_rows())
    return rows


def rows_by_dns(dns: str) -> Reading:
    """One cluster, for a poll: the quickest way to it. None where there is none."""
    wanted = row_and_children(models.Cluster, "dns", dns, CLUSTER_CHILDREN, "cluster_id")

    def made_of(*found: Any) -> ClusterRows | None:
        row, children = wanted.made_of(*found)
        return row and ClusterRows(row, dict(zip(CLUSTER_CHILDREN, children, strict=True)))

    return Reading(wanted.statements, made_of)


def read_cluster_rows(cluster_ids: Sequence[str] | None = None) -> Iterator[ClusterRows]:
    """The given clusters, in that order, or all."""
    if cluster_ids is None:
        return _all_cluster_rows()
    given = rows_and_children(models.Cluster, cluster_ids, CLUSTER_CHILDREN, "cluster_id")
    return (ClusterRows(*found) for found in given)


def _all_cluster_rows() -> Iterator[ClusterRows]:
    """Streams: memory stays flat, however large the fleet is.

    Every table is read in the order of the cluster's id, so they are joined by walking them side
    by side. Which collation orders them does not matter, as it is the same for all.
    """
    streams = {model: _by_cluster(model) for model in CLUSTER_CHILDREN}
    for row in stream(models.Cluster, "id"):
        yield ClusterRows(row, {model: take(row.id) for model, take in streams.items()})


def _by_cluster(model: Any) -> Callable[[str], list[Row]]:
    """Gives a cluster's rows, when asked in the order of the stream."""
    rows = stream(model, "cluster_id")
    groups = ((key, list(group)) for key, group in groupby(rows, lambda row: row.cluster_id))
    waiting = next(groups, None)

    def take(cluster_id: str) -> list[Row]:
        nonlocal waiting
        if waiting is None or waiting[0] != cluster_id:
            return []
        taken, waiting = waiting[1], next(groups, None)
        return taken

    return take


def build_shared(rows: Rows) -> Shared:
    dependencies = _grouped(rows[models.ComponentDependency], "component_id")
    patches = _grouped(rows[models.ComponentPatch], "component_id")
    components = {
        row.id: _component(row, dependencies[row.id], patches[row.id])
        for row in rows[models.Component]
    }
    return Shared(
        components=components,
        namespaces={row.id: _namespace(row) for row in rows[models.Namespace]},
        rolebindings={row.id: _rolebinding(row) for row in rows[models.RoleBinding]},
        profiles=tuple(sorted(_profiles(rows), key=lambda profile: (profile.weight, profile.id))),
    )


def build_cluster(rows: ClusterRows, *, traced: bool = True) -> Cluster:
    """Untraced, equal settings of different clusters are equal, and are merged only once."""
    row, children = rows.row, rows.children
    return Cluster(
        id=row.id,
        name=row.name,
        dns=row.dns,
        environment=row.environment_id,
        labels=row.labels,
        state=row.state,
        listed_in=frozenset(listed.profile_id for listed in children[models.ProfileCluster]),
        layer=_layer(
            Origin("cluster", row.id if traced else ""),
            children[models.ClusterComponent],
            children[models.ClusterPatch],
            children[models.ClusterNamespace],
            children[models.ClusterRoleBinding],
        ),
    )


def _component(row: Row, dependencies: Iterable[Row], patches: Iterable[Row]) -> CatalogComponent:
    return CatalogComponent(
        id=row.id,
        kind=row.kind,
        component_path=row.component_path,
        component_version=row.component_version,
        oci_url=row.oci_url,
        oci_tag=row.oci_tag,
        cluster_env_enabled=row.cluster_env_enabled,
        depends_on=tuple(sorted(dependency.dependency_id for dependency in dependencies)),
        patches=tuple(sorted((parse_key(patch.key), patch.value) for patch in patches)),
    )


def _namespace(row: Row) -> Namespace:
    return Namespace(
        row.id, tuple(sorted(row.labels.items())), tuple(sorted(row.annotations.items()))
    )


def _rolebinding(row: Row) -> RoleBinding:
    subjects = (
        Subject(subject["kind"], subject["name"], subject["apiGroup"], subject.get("namespace", ""))
        for subject in map(complete_subject, row.subjects)
    )
    return RoleBinding(row.id, row.role, tuple(subjects))


def _profiles(rows: Rows) -> Iterator[Profile]:
    environments = _grouped(rows[models.ProfileEnvironment], "profile_id")
    children = [
        _grouped(rows[model], "profile_id")
        for model in (
            models.ProfileComponent,
            models.ProfilePatch,
            models.ProfileNamespace,
            models.ProfileRoleBinding,
        )
    ]
    for row in rows[models.Profile]:
        own = (by_profile[row.id] for by_profile in children)
        yield Profile(
            id=row.id,
            weight=row.weight,
            layer=_layer(Origin("profile", row.id), *own),
            environments=frozenset(item.environment_id for item in environments[row.id]),
            labels=tuple(sorted(row.labels.items())),
            lists_clusters=row.lists_clusters,
        )


def _layer(
    origin: Origin,
    components: Sequence[Row],
    patches: Sequence[Row],
    namespaces: Sequence[Row],
    rolebindings: Sequence[Row],
) -> Layer:
    return Layer(
        origin=origin,
        components=_settings_by_component(origin, components, patches),
        namespaces=frozenset(row.namespace_id for row in namespaces),
        rolebindings=frozenset(row.rolebinding_id for row in rolebindings),
    )


def _settings_by_component(
    origin: Origin, assignments: Sequence[Row], patches: Sequence[Row]
) -> dict[str, ComponentSettings]:
    assigned = {row.component_id: row for row in assignments}
    patched = _grouped(patches, "component_id")
    settings = {}
    for component_id in assigned.keys() | patched.keys():
        row = assigned.get(component_id)
        own = patched.get(component_id)
        values, unset = _patch_paths(own) if own else ((), ())
        overrides = row and (row.enabled, row.oci_tag, row.component_path, row.component_version)
        settings[component_id] = _settings(origin, overrides, values, unset)
    return settings


@lru_cache(maxsize=4_096)
def _settings(
    origin: Origin,
    overrides: tuple[bool | None, str, str, str] | None,
    patches: tuple[tuple[Path, str], ...],
    unset: tuple[Path, ...],
) -> ComponentSettings:
    """Kept, since most assignments in a fleet say the same."""
    enabled, oci_tag, component_path, component_version = overrides or (None, "", "", "")
    return component_settings(
        origin,
        assigned=overrides is not None,
        enabled=enabled,
        oci_tag=oci_tag,
        component_path=component_path,
        component_version=component_version,
        patches=patches,
        unset=unset,
    )


def _patch_paths(
    rows: Iterable[Row],
) -> tuple[tuple[tuple[Path, str], ...], tuple[Path, ...]]:
    values, unset = [], []
    for row in rows:
        path = parse_key(row.key)
        if row.unset:
            unset.append(path)
        else:
            values.append((path, row.value))
    return tuple(values), tuple(unset)


def _grouped(rows: Iterable[Row], column: str) -> defaultdict[str, list[Row]]:
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[getattr(row, column)].append(row)
    return groups
