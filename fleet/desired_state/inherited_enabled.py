"""Whether a component that a cluster assigns without saying so is enabled there."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fleet import models
from fleet.desired_state.layers import SHARED_MODELS, build_shared
from fleet.desired_state.merge import Cluster, Layer, Origin, Profile
from fleet.desired_state.queries import rows_with
from fleet.models.tracked import Row


class InheritedEnabled:
    """As the heaviest profile over the cluster has it that says anything, and otherwise on.

    One query for any number of clusters; more only where a profile says something. Clusters that
    are about to be asked for are given to `prepare`, all at once.
    """

    def __init__(self) -> None:
        self._profiles: tuple[Profile, ...] | None = None
        self._over: dict[str, Sequence[Profile]] = {}

    def prepare(self, clusters: Iterable[Row]) -> None:
        profiles = self._saying()
        if not profiles:
            return
        rows = list(clusters)
        listed: dict[str, set[str]] = {row.id: set() for row in rows}
        for row in rows_with(models.ProfileCluster, "cluster_id", list(listed)):
            listed[row.cluster_id].add(row.profile_id)
        for row in rows:
            cluster = _selected(row, frozenset(listed[row.id]))
            self._over[row.id] = [each for each in profiles if each.selects(cluster)]

    def of(self, cluster_id: str, component_id: str) -> bool:
        """Of a cluster that is not there yet: on."""
        if self._saying() and cluster_id not in self._over:
            self.prepare(rows_with(models.Cluster, "id", [cluster_id]))
        for profile in reversed(self._over.get(cluster_id, ())):
            said = profile.layer.components.get(component_id)
            if said and said.enabled:
                return said.enabled.value
        return True

    def _saying(self) -> tuple[Profile, ...]:
        """The profiles that say anything of `enabled`, in their order."""
        if self._profiles is None:
            rows: dict[Any, list[Row]] = {model: [] for model in SHARED_MODELS}
            saying = models.ProfileComponent.objects.filter(enabled__isnull=False).order_by()
            rows[models.ProfileComponent] = list(saying.rows())
            ids = sorted({row.profile_id for row in rows[models.ProfileComponent]})
            if ids:
                rows[models.Profile] = rows_with(models.Profile, "id", ids)
                rows[models.ProfileEnvironment] = rows_with(
                    models.ProfileEnvironment, "profile_id", ids
                )
            self._profiles = build_shared(rows).profiles
        return self._profiles


def _selected(row: Row, listed_in: frozenset[str]) -> Cluster:
    return Cluster(
        id=row.id,
        name=row.name,
        dns=row.dns,
        environment=row.environment_id,
        labels=row.labels,
        state=row.state,
        listed_in=listed_in,
        layer=Layer(Origin("cluster", row.id)),
    )


def without_inherited(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the object itself says: without what it only inherits."""
    components = document.get("platform_components")
    if not isinstance(components, list):
        return document
    own = [
        {name: value for name, value in entry.items() if not name.startswith("enabled")}
        if isinstance(entry, dict) and entry.get("enabled_inherited")
        else entry
        for entry in components
    ]
    return {**document, "platform_components": own}
