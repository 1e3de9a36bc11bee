"""What the active clusters run, counted over the whole fleet: versions in use, and what is amiss.

A frozen cluster gets what it got when it was frozen, so it is not counted here; the home page tells
of those that are frozen for long.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from django.core.cache import cache

from fleet import models
from fleet.desired_state.inputs import COMPONENTS, Item
from fleet.desired_state.layers import build_shared, read_shared_rows
from fleet.desired_state.merge import (
    CatalogComponent,
    Cluster,
    ComponentSettings,
    Layer,
    Origin,
    component_settings,
)
from fleet.desired_state.render import Renderer
from fleet.history.snapshot import snapshot

LATEST = "latest"
CURRENT, BEHIND, AHEAD, OTHER = "current", "behind", "ahead", "other"
MISSING, DISABLED = "missing", "disabled"

# (component, enabled, tag, version) of each assignment of a cluster's own.
Own = tuple[tuple[str, bool | None, str, str], ...]
# The newest revision and its time: that of a restored database differs, whatever its number.
Moment = tuple[int, datetime]

CACHE_KEY = "fleet.reports.versions"
_counting = Lock()


@dataclass(frozen=True, slots=True)
class VersionUse:
    version: str
    clusters: int
    standing: str


@dataclass(frozen=True, slots=True)
class ComponentUse:
    """The versions of a component on the clusters that have it enabled, the most used first."""

    component: str
    catalog_version: str
    versions: tuple[VersionUse, ...]

    @property
    def clusters(self) -> int:
        return sum(use.clusters for use in self.versions)

    @property
    def differing(self) -> int:
        return sum(use.clusters for use in self.versions if use.standing != CURRENT)


@dataclass(frozen=True, slots=True, order=True)
class BrokenDependency:
    """`state` is missing or disabled."""

    component: str
    needed: str
    state: str


@dataclass(frozen=True, slots=True, order=True)
class Unpinned:
    """A component whose version is “latest”, in an environment."""

    component: str
    environment: str


@dataclass(frozen=True, slots=True)
class Census:
    moment: Moment | None
    components: tuple[ComponentUse, ...]
    dependencies: tuple[tuple[BrokenDependency, int], ...]
    unpinned: tuple[tuple[Unpinned, int], ...]


def newest_moment() -> Moment | None:
    return models.Revision.objects.values_list("number", "created_at").first()


def known_census(moment: Moment | None) -> Census | None:
    """The census of this moment, where one has been taken by this process."""
    census: Census | None = cache.get(CACHE_KEY)
    return census if census is not None and census.moment == moment else None


def current_census() -> Census:
    """Counted once for each revision: with 10,000 clusters, that takes about a second."""
    moment = newest_moment()
    with _counting:
        census = known_census(moment)
        if census is None:
            census = take_census()
            cache.set(CACHE_KEY, census, timeout=None)
    return census


def take_census() -> Census:
    with snapshot():
        moment = newest_moment()
        renderer = Renderer(build_shared(read_shared_rows()))
        alike = _clusters_alike(renderer)
    versions: dict[str, Counter[str]] = defaultdict(Counter)
    broken: Counter[BrokenDependency] = Counter()
    unpinned: Counter[Unpinned] = Counter()
    for cluster, count in alike:
        items = renderer.render(cluster).items[COMPONENTS]
        for item in items:
            if item.enabled:
                versions[item.id][item.version] += count
                if item.version == LATEST:
                    unpinned[Unpinned(item.id, cluster.environment)] += count
        for problem in _broken(items):
            broken[problem] += count
    catalog = renderer.shared.components
    uses = [_component_use(catalog[component], versions[component]) for component in versions]
    return Census(
        moment=moment,
        components=tuple(sorted(uses, key=lambda use: (-use.differing, use.component))),
        dependencies=_by_count(broken),
        unpinned=_by_count(unpinned),
    )


def _by_count(counts: Counter) -> tuple[tuple, ...]:
    return tuple(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def _broken(items: tuple[Item, ...]) -> Iterator[BrokenDependency]:
    enabled = {item.id: item.enabled for item in items}
    for item in items:
        for needed in item.depends_on if item.enabled else ():
            if not enabled.get(needed):
                yield BrokenDependency(item.id, needed, DISABLED if needed in enabled else MISSING)


def _clusters_alike(renderer: Renderer) -> list[tuple[Cluster, int]]:
    """One cluster of each kind that gets the same components, and how many there are of it."""
    own, listed = _own_assignments(), _lists()
    active = models.Cluster.objects.filter(state=models.Cluster.State.ACTIVE).order_by()
    kinds: dict[tuple[str, tuple[str, ...], Own], tuple[Cluster, list[None]]] = {}
    for cluster_id, environment, labels in active.values_list("id", "environment_id", "labels"):
        cluster = _bare_cluster(environment, labels, listed.get(cluster_id, frozenset()))
        profiles = tuple(profile.id for profile in renderer.shared.profiles_of(cluster))
        assignments = tuple(own.get(cluster_id, ()))
        found = kinds.get((environment, profiles, assignments))
        if found is None:
            cluster = _bare_cluster(environment, labels, cluster.listed_in, assignments)
            found = kinds[environment, profiles, assignments] = (cluster, [])
        found[1].append(None)
    return [(cluster, len(members)) for cluster, members in kinds.values()]


def _bare_cluster(
    environment: str, labels: dict[str, str], listed_in: frozenset[str], own: Own = ()
) -> Cluster:
    """A cluster without what the census does not look at: its patches above all."""
    layer = Layer(Origin("cluster", ""), {row[0]: _settings(row) for row in own})
    return Cluster("", "", "", environment, labels, models.Cluster.State.ACTIVE, listed_in, layer)


def _settings(row: tuple[str, bool | None, str, str]) -> ComponentSettings:
    _, enabled, tag, version = row
    return component_settings(
        Origin("cluster", ""),
        assigned=True,
        enabled=enabled,
        oci_tag=tag,
        component_version=version,
    )


def _own_assignments() -> dict[str, list[tuple[str, bool | None, str, str]]]:
    rows = models.ClusterComponent.objects.order_by("cluster_id", "component_id").values_list(
        "cluster_id", "component_id", "enabled", "oci_tag", "component_version"
    )
    found: dict[str, list[tuple[str, bool | None, str, str]]] = defaultdict(list)
    for cluster_id, *assignment in rows.iterator(chunk_size=5_000):
        found[cluster_id].append(tuple(assignment))
    return found


def _lists() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    rows = models.ProfileCluster.objects.order_by().values_list("cluster_id", "profile_id")
    for cluster_id, profile_id in rows.iterator(chunk_size=5_000):
        found[cluster_id].add(profile_id)
    return {cluster_id: frozenset(profiles) for cluster_id, profiles in found.items()}


def _component_use(component: CatalogComponent, versions: Counter[str]) -> ComponentUse:
    helm = component.kind == models.Component.Kind.HELM
    catalog = component.component_version if helm else component.oci_tag
    uses = (
        VersionUse(version, count, standing(version, catalog))
        for version, count in versions.items()
    )
    ordered = tuple(
        sorted(uses, key=lambda use: (use.standing != CURRENT, -use.clusters, use.version))
    )
    return ComponentUse(component.id, catalog, ordered)


def standing(version: str, catalog: str) -> str:
    """Where a version is, seen from the catalog's."""
    if version == catalog:
        return CURRENT
    own, other = _numbers(version), _numbers(catalog)
    if own is None or other is None or own == other:
        return OTHER
    return BEHIND if own < other else AHEAD


def _numbers(version: str) -> tuple[int, ...] | None:
    """(1, 2, 3) of v1.2.3, -rc1 and +build aside; None for what is no such version."""
    plain = version.removeprefix("v").partition("+")[0].partition("-")[0]
    parts = plain.split(".")
    if not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        return None
    return tuple(int(part) for part in parts)
