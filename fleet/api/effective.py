"""Merged state and differences as documents, every value with its layer."""

import json
from collections.abc import Sequence
from typing import Any

from fleet.desired_state.inputs import RESOURCES
from fleet.desired_state.merge import MergedCluster, Origin, Traced
from fleet.history.time_travel import CLUSTER, TracedChange, described


def origin_document(origin: Origin) -> dict[str, str]:
    return {"layer": origin.layer, "id": origin.id}


def effective_document(merged: MergedCluster, revision: int) -> dict[str, Any]:
    """Resource → item → field → value and origin."""
    resources: dict[str, dict[str, Any]] = {resource: {} for resource in RESOURCES}
    for (resource, item_id, name), traced in described(merged).items():
        if resource != CLUSTER:  # Its own fields stand at the top.
            fields = resources[resource].setdefault(item_id, {})
            fields[name] = _traced(traced)
    cluster = merged.cluster
    return {
        "id": cluster.id,
        "cluster_name": cluster.name,
        "cluster_dns": cluster.dns,
        "environment": cluster.environment,
        "state": cluster.state,
        "revision": revision,
        **{
            resource.replace("-", "_"): [
                {"id": item_id, "fields": fields} for item_id, fields in items.items()
            ]
            for resource, items in resources.items()
        },
    }


def difference_document(old: int, new: int, changes: Sequence[TracedChange]) -> dict[str, Any]:
    return {
        "from": old,
        "to": new,
        "changes": [
            {
                "resource": change.resource,
                "id": change.id,
                "field": change.field,
                **({"old": _traced(change.old)} if change.old else {}),
                **({"new": _traced(change.new)} if change.new else {}),
            }
            for change in changes
        ],
    }


def _traced(traced: Traced[str]) -> dict[str, Any]:
    return {"value": json.loads(traced.value), "origin": origin_document(traced.origin)}
