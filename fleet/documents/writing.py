"""From rows to documents: the inverse of fleet/documents/reading.py."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from fleet import models
from fleet.desired_state.queries import rows_and_children
from fleet.desired_state.values import (
    flat_view,
    nest,
    parse_key,
    survives_as_text,
    text_view,
    to_json,
)
from fleet.documents.reading import SECTION_MODELS, SECTIONS
from fleet.models.tracked import Row

# The tables whose rows belong to an object, by the column that names it.
CHILDREN: dict[str, tuple[str, tuple[Any, ...]]] = {
    "environments": ("", ()),
    "namespaces": ("", ()),
    "rolebindings": ("", ()),
    "platform_components": ("component_id", (models.ComponentDependency, models.ComponentPatch)),
    "profiles": (
        "profile_id",
        (
            models.ProfileEnvironment,
            models.ProfileCluster,
            models.ProfileComponent,
            models.ProfilePatch,
            models.ProfileNamespace,
            models.ProfileRoleBinding,
        ),
    ),
    "clusters": (
        "cluster_id",
        (
            models.FrozenAnswers,
            models.ClusterComponent,
            models.ClusterPatch,
            models.ClusterNamespace,
            models.ClusterRoleBinding,
        ),
    ),
}
CHUNK = 1_000

Children = Mapping[Any, Sequence[Row]]
PatchViews = Callable[[Sequence[Row]], dict[str, Any]]


def documents_of(section: str, ids: Sequence[str], *, seed: bool = False) -> list[dict[str, Any]]:
    """In the order of the ids, in a fixed number of queries; those that do not exist are left out.

    A seed has each value once; otherwise a document shows all values in both views.
    """
    model = SECTION_MODELS[section]
    owner, tables = CHILDREN[section]
    write, views = WRITERS[section], _seed_views if seed else _both_views
    documents = (write(*found, views) for found in rows_and_children(model, ids, tables, owner))
    return [_without_frozen(item) for item in documents] if not seed else list(documents)


def _without_frozen(document: dict[str, Any]) -> dict[str, Any]:
    """What a cluster was frozen with is what Flux gets: a seed needs it, a person looks there."""
    document.pop("frozen_answers", None)
    return document


def seed_documents() -> Iterator[tuple[str, Iterator[dict[str, Any]]]]:
    """The whole fleet, section by section, ordered by id whatever the database's collation."""
    for section in SECTIONS:
        ids = sorted(SECTION_MODELS[section].objects.order_by().values_list("pk", flat=True))
        yield section, _in_chunks(section, ids)


def _in_chunks(section: str, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    for start in range(0, len(ids), CHUNK):
        yield from documents_of(section, ids[start : start + CHUNK], seed=True)


def _environment(row: Row, children: Children, views: PatchViews) -> dict[str, Any]:
    return {"id": row.id, "rank": row.rank}


def _namespace(row: Row, children: Children, views: PatchViews) -> dict[str, Any]:
    return {
        "id": row.id,
        "labels": _sorted(row.labels),
        "annotations": _sorted(row.annotations),
    }


def _rolebinding(row: Row, children: Children, views: PatchViews) -> dict[str, Any]:
    return {
        "id": row.id,
        "role": row.role,
        "subjects": [_sorted(subject) for subject in row.subjects],
    }


def _component(row: Row, children: Children, views: PatchViews) -> dict[str, Any]:
    return {
        "id": row.id,
        "kind": row.kind,
        "component_path": row.component_path,
        "component_version": row.component_version,
        "cluster_env_enabled": row.cluster_env_enabled,
        "oci_url": row.oci_url,
        "oci_tag": row.oci_tag,
        "depends_on": _ids(children[models.ComponentDependency], "dependency_id"),
        "values_schema": json.loads(to_json(row.values_schema)),
        **views(children[models.ComponentPatch]),
    }


def _profile(row: Row, children: Children, views: PatchViews) -> dict[str, Any]:
    listed = _ids(children[models.ProfileCluster], "cluster_id")
    return {
        "id": row.id,
        "weight": row.weight,
        "environments": _ids(children[models.ProfileEnvironment], "environment_id"),
        "labels": _sorted(row.labels),
        "clusters": listed if row.lists_clusters else None,
        **_assignments(
            children[models.ProfileComponent],
            children[models.ProfileNamespace],
            children[models.ProfileRoleBinding],
        ),
        **_layer_patches(children[models.ProfilePatch], views),
    }


def _cluster(row: Row, children: Children, views: PatchViews) -> dict[str, Any]:
    frozen = children[models.FrozenAnswers]
    return {
        "id": row.id,
        "cluster_name": row.name,
        "cluster_dns": row.dns,
        "environment": row.environment_id,
        "state": row.state,
        "labels": _sorted(row.labels),
        "node_count": row.node_count,
        "vm_image": row.vm_image,
        "k0s_version": row.k0s_version,
        **_assignments(
            children[models.ClusterComponent],
            children[models.ClusterNamespace],
            children[models.ClusterRoleBinding],
        ),
        **_layer_patches(children[models.ClusterPatch], views),
        **({"frozen_answers": json.loads(frozen[0].answers)} if frozen else {}),
    }


WRITERS: dict[str, Callable[[Row, Children, PatchViews], dict[str, Any]]] = {
    "environments": _environment,
    "namespaces": _namespace,
    "rolebindings": _rolebinding,
    "platform_components": _component,
    "profiles": _profile,
    "clusters": _cluster,
}


def _assignments(
    components: Sequence[Row], namespaces: Sequence[Row], rolebindings: Sequence[Row]
) -> dict[str, Any]:
    return {
        "platform_components": [
            {
                "id": row.component_id,
                "enabled": row.enabled,
                "oci_tag": row.oci_tag or None,
                "component_path": row.component_path or None,
                "component_version": row.component_version or None,
            }
            for row in sorted(components, key=lambda row: row.component_id)
        ],
        "namespaces": [{"id": item} for item in _ids(namespaces, "namespace_id")],
        "rolebindings": [{"id": item} for item in _ids(rolebindings, "rolebinding_id")],
    }


def _layer_patches(rows: Sequence[Row], views: PatchViews) -> dict[str, Any]:
    by_component: defaultdict[str, list[Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row.component_id, row.key)):
        by_component[row.component_id].append(row)
    viewed = {component: views(own) for component, own in by_component.items()}
    unset = {
        component: [row.key for row in own if row.unset] for component, own in by_component.items()
    }
    return {
        "patches": {
            component: view["patches"] for component, view in viewed.items() if view["patches"]
        },
        "values": {
            component: view["values"] for component, view in viewed.items() if view["values"]
        },
        "unset": {component: keys for component, keys in unset.items() if keys},
    }


def _both_views(rows: Sequence[Row]) -> dict[str, Any]:
    """Every value as text, and every value as it is."""
    patches = [(parse_key(row.key), row.value) for row in _set_rows(rows)]
    return {"patches": flat_view(patches), "values": nest(patches)}


def _seed_views(rows: Sequence[Row]) -> dict[str, Any]:
    """Text where reading it back gives exactly the value, so that the reference service can read
    it too; the rest as exact values."""
    ordered = _set_rows(rows)
    exact = [row for row in ordered if not survives_as_text(row.value)]
    return {
        "patches": {row.key: text_view(row.value) for row in ordered if row not in exact},
        "values": nest((parse_key(row.key), row.value) for row in exact),
    }


def _set_rows(rows: Iterable[Row]) -> list[Row]:
    return sorted((row for row in rows if not row.unset), key=lambda row: row.key)


def _ids(rows: Iterable[Row], column: str) -> list[str]:
    return sorted(getattr(row, column) for row in rows)


def _sorted(labels: Mapping[str, str]) -> dict[str, str]:
    return dict(sorted(labels.items()))
