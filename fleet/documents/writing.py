"""From rows to documents: the inverse of fleet/documents/reading.py."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from fleet import models
from fleet.layers import (
    ClusterRows,
    Rows,
    read_cluster_rows,
    read_shared_rows,
)
from fleet.models.tracked import Row
from fleet.values import nest, parse_key, survives_as_text, text_view


def seed_documents() -> Iterator[tuple[str, Iterator[dict[str, Any]]]]:
    """The whole fleet, section by section, ordered by id. Clusters are streamed."""
    rows = read_shared_rows()
    environments = models.Environment.objects.order_by("id").rows()
    yield "environments", ({"id": row.id, "rank": row.rank} for row in environments)
    yield "namespaces", (namespace_document(row) for row in _by_id(rows[models.Namespace]))
    yield "rolebindings", (rolebinding_document(row) for row in _by_id(rows[models.RoleBinding]))
    yield (
        "platform_components",
        (component_document(row, rows) for row in _by_id(rows[models.Component])),
    )
    yield (
        "profiles",
        (profile_document(row, rows, _listed(row)) for row in _by_id(rows[models.Profile])),
    )
    yield "clusters", _clusters()


def _clusters() -> Iterator[dict[str, Any]]:
    # The database's collation may order ids otherwise than Python does; a seed must not depend
    # on the database, and 10,000 documents fit into memory.
    documents = [cluster_document(rows) for rows in read_cluster_rows()]
    yield from sorted(documents, key=lambda document: document["id"])


def _by_id(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: row.id)


def _listed(profile: Row) -> list[str] | None:
    if not profile.lists_clusters:
        return None
    ids = models.ProfileCluster.objects.filter(profile_id=profile.id)
    return sorted(ids.values_list("cluster_id", flat=True))


def namespace_document(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "labels": _sorted(row.labels),
        "annotations": _sorted(row.annotations),
    }


def rolebinding_document(row: Row) -> dict[str, Any]:
    subjects = [{name: subject[name] for name in sorted(subject)} for subject in row.subjects]
    return {"id": row.id, "role": row.role, "subjects": subjects}


def component_document(row: Row, rows: Rows) -> dict[str, Any]:
    patches = [patch for patch in rows[models.ComponentPatch] if patch.component_id == row.id]
    return {
        "id": row.id,
        "kind": row.kind,
        "component_path": row.component_path,
        "component_version": row.component_version,
        "cluster_env_enabled": row.cluster_env_enabled,
        "oci_url": row.oci_url,
        "oci_tag": row.oci_tag,
        "depends_on": sorted(
            dependency.dependency_id
            for dependency in rows[models.ComponentDependency]
            if dependency.component_id == row.id
        ),
        **({"values_schema": row.values_schema} if row.values_schema is not None else {}),
        **_own_patches(patches),
    }


def profile_document(row: Row, rows: Rows, listed: list[str] | None) -> dict[str, Any]:
    def own(model: Any) -> list[Row]:
        return [child for child in rows[model] if child.profile_id == row.id]

    return {
        "id": row.id,
        "weight": row.weight,
        "environments": sorted(child.environment_id for child in own(models.ProfileEnvironment)),
        "labels": _sorted(row.labels),
        "clusters": listed,
        **assignments(
            own(models.ProfileComponent),
            own(models.ProfilePatch),
            own(models.ProfileNamespace),
            own(models.ProfileRoleBinding),
        ),
    }


def cluster_document(rows: ClusterRows) -> dict[str, Any]:
    row, children = rows.row, rows.children
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
        **assignments(
            children[models.ClusterComponent],
            children[models.ClusterPatch],
            children[models.ClusterNamespace],
            children[models.ClusterRoleBinding],
        ),
        **({"frozen_answers": json.loads(frozen[0].answers)} if frozen else {}),
    }


def assignments(
    components: Sequence[Row],
    patches: Sequence[Row],
    namespaces: Sequence[Row],
    rolebindings: Sequence[Row],
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
        "namespaces": [{"id": item} for item in sorted(row.namespace_id for row in namespaces)],
        "rolebindings": [
            {"id": item} for item in sorted(row.rolebinding_id for row in rolebindings)
        ],
        **_layer_patches(patches),
    }


def _layer_patches(rows: Sequence[Row]) -> dict[str, Any]:
    by_component: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: (row.component_id, row.key)):
        by_component.setdefault(row.component_id, []).append(row)
    split = {component_id: _own_patches(own) for component_id, own in by_component.items()}
    return {
        "patches": _given(split, "patches"),
        "values": _given(split, "values"),
        "unset": {
            component_id: keys
            for component_id, own in by_component.items()
            if (keys := [row.key for row in own if row.unset])
        },
    }


def _given(split: Mapping[str, Mapping[str, Any]], view: str) -> dict[str, Any]:
    return {component_id: views[view] for component_id, views in split.items() if views[view]}


def _own_patches(rows: Iterable[Row]) -> dict[str, Any]:
    """Text where reading it back gives exactly the value, so that the reference can read it too;
    the rest as exact values."""
    ordered = sorted((row for row in rows if not row.unset), key=lambda row: row.key)
    exact = [row for row in ordered if not survives_as_text(row.value)]
    return {
        "patches": {row.key: text_view(row.value) for row in ordered if row not in exact},
        "values": nest((parse_key(row.key), row.value) for row in exact),
    }


def _sorted(labels: Mapping[str, str]) -> dict[str, str]:
    return dict(sorted(labels.items()))
