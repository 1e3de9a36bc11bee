"""Which clusters a change can concern, as far as its rows tell."""

from collections import defaultdict
from typing import Any

from fleet import models
from fleet.desired_state.layers import CLUSTER_CHILDREN, SHARED_MODELS
from fleet.history.change import Changes

# Beyond this many, hardly any cluster has none of the objects that a change to the catalog changed.
MANY_OBJECTS = 100
# The catalog, with the tables by which clusters and profiles get what it has, and their column.
CATALOG: dict[Any, tuple[Any, Any, str]] = {
    models.Component: (models.ClusterComponent, models.ProfileComponent, "component_id"),
    models.Namespace: (models.ClusterNamespace, models.ProfileNamespace, "namespace_id"),
    models.RoleBinding: (models.ClusterRoleBinding, models.ProfileRoleBinding, "rolebinding_id"),
}
CATALOG_CHILDREN = (models.ComponentPatch, models.ComponentDependency)


def affected_clusters(changes: Changes) -> set[str] | None:
    """The clusters that a change can concern; None for "any"."""
    fresh = {(change.model, change.pk) for change in changes.rows if change.kind != "~"}
    cluster_ids = clusters_with_new_rows(changes)
    changed: dict[Any, set[str]] = defaultdict(set)
    for change in changes.rows:
        if change.model is models.Cluster:
            cluster_ids.add(change.pk)
        elif change.model in CLUSTER_CHILDREN:
            cluster_ids.add(change.row.cluster_id)
        elif change.model in CATALOG:
            changed[change.model].add(change.pk)
        elif change.model in CATALOG_CHILDREN:
            changed[models.Component].add(change.row.component_id)
        elif change.model in SHARED_MODELS:
            return None
    for model, ids in changed.items():
        # Nothing can refer to it before it is there, or when it goes.
        having = _clusters_having(model, {item for item in ids if (model, item) not in fresh})
        if having is None:
            return None
        cluster_ids |= having
    return cluster_ids


def _clusters_having(model: Any, ids: set[str]) -> set[str] | None:
    """The clusters with one of these objects of the catalog; None for "any", where a profile has
    one: which clusters follow a profile is known only when they are looked at."""
    if not ids:
        return set()
    of_clusters, of_profiles, column = CATALOG[model]
    chosen = {f"{column}__in": ids}
    if len(ids) > MANY_OBJECTS or of_profiles.objects.filter(**chosen).exists():
        return None
    rows = of_clusters.objects.filter(**chosen).order_by()
    return set(rows.values_list("cluster_id", flat=True))


def clusters_with_new_rows(changes: Changes) -> set[str]:
    return set().union(*(clusters.values() for clusters in changes.inserted.values()))
