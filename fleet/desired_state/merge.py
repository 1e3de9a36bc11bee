"""The merge: what a cluster gets, computed from layers, with the layer that gave each value.

Pure: frozen dataclasses in, frozen dataclasses out. Layers are stacked catalog → profiles by
(weight, id) → cluster; a higher layer wins field by field, patches merge key by key, lists are
replaced whole. Where two layers conflict in shape (`a: 1` below, `a.b: 2` above) the higher layer
wins and replaces.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Generic, TypeVar

Path = tuple[str, ...]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """The layer that gave a value: "catalog", "profile" or "cluster", and which one."""

    layer: str
    id: str


@dataclass(frozen=True, slots=True)
class Traced(Generic[T]):
    value: T
    origin: Origin


@dataclass(frozen=True, slots=True)
class ComponentSettings:
    """What one layer, or several combined, say of one component.

    `cleared` and `replaced` are what the layers may do to those below: a path in `cleared` hides
    everything at and under it, a path in `replaced` only a value at exactly that path (which has
    become an object, since a higher layer set something inside it).
    """

    assigned: Origin | None = None
    enabled: Traced[bool] | None = None
    oci_tag: Traced[str] | None = None
    component_path: Traced[str] | None = None
    component_version: Traced[str] | None = None
    patches: tuple[tuple[Path, Traced[str]], ...] = ()
    cleared: frozenset[Path] = frozenset()
    replaced: frozenset[Path] = frozenset()
    _hash: int | None = field(default=None, init=False, repr=False, compare=False)

    def __hash__(self) -> int:
        """Worked out once: what is rendered is kept by what was said, and looked up often."""
        if self._hash is None:
            said = (self.assigned, self.enabled, self.oci_tag, self.component_path)
            rest = (self.component_version, self.patches, self.cleared, self.replaced)
            object.__setattr__(self, "_hash", hash((said, rest)))
        return self._hash  # type: ignore[return-value]

    def hides(self, path: Path) -> bool:
        return path in self.replaced or any(
            path[:length] in self.cleared for length in range(1, len(path) + 1)
        )


NO_SETTINGS = ComponentSettings()


def component_settings(
    origin: Origin,
    *,
    assigned: bool = False,
    enabled: bool | None = None,
    oci_tag: str = "",
    component_path: str = "",
    component_version: str = "",
    patches: Iterable[tuple[Path, str]] = (),
    unset: Iterable[Path] = (),
) -> ComponentSettings:
    """One layer's say; blank and None inherit."""
    given = tuple((path, Traced(value, origin)) for path, value in sorted(patches))
    paths = [path for path, _ in given]
    return ComponentSettings(
        assigned=origin if assigned else None,
        enabled=None if enabled is None else Traced(enabled, origin),
        oci_tag=Traced(oci_tag, origin) if oci_tag else None,
        component_path=Traced(component_path, origin) if component_path else None,
        component_version=Traced(component_version, origin) if component_version else None,
        patches=given,
        cleared=frozenset(paths).union(unset),
        replaced=frozenset(path[:length] for path in paths for length in range(1, len(path))),
    )


def combine(lower: ComponentSettings, higher: ComponentSettings) -> ComponentSettings:
    """Two adjacent layers as one. Associative, so a stack may be combined in any grouping."""
    kept = (patch for patch in lower.patches if not higher.hides(patch[0]))
    return ComponentSettings(
        assigned=higher.assigned or lower.assigned,
        enabled=higher.enabled or lower.enabled,
        oci_tag=higher.oci_tag or lower.oci_tag,
        component_path=higher.component_path or lower.component_path,
        component_version=higher.component_version or lower.component_version,
        patches=tuple(sorted((*kept, *higher.patches), key=lambda patch: patch[0])),
        cleared=lower.cleared | higher.cleared,
        replaced=lower.replaced | higher.replaced,
    )


@dataclass(frozen=True, slots=True)
class CatalogComponent:
    id: str
    kind: str
    component_path: str
    component_version: str
    oci_url: str
    oci_tag: str
    cluster_env_enabled: bool = False
    depends_on: tuple[str, ...] = ()
    patches: tuple[tuple[Path, str], ...] = ()

    def settings(self) -> ComponentSettings:
        return component_settings(
            Origin("catalog", self.id),
            enabled=True,
            oci_tag=self.oci_tag,
            component_path=self.component_path,
            component_version=self.component_version,
            patches=self.patches,
        )


@dataclass(frozen=True, slots=True)
class Namespace:
    id: str
    labels: tuple[tuple[str, str], ...] = ()
    annotations: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Subject:
    kind: str
    name: str
    api_group: str
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class RoleBinding:
    id: str
    role: str
    subjects: tuple[Subject, ...] = ()


@dataclass(frozen=True, slots=True)
class Layer:
    """A profile's or a cluster's own say over everything it can assign."""

    origin: Origin
    components: Mapping[str, ComponentSettings] = field(default_factory=dict)
    namespaces: frozenset[str] = frozenset()
    rolebindings: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Cluster:
    id: str
    name: str
    dns: str
    environment: str
    labels: Mapping[str, str]
    state: str
    listed_in: frozenset[str]
    layer: Layer


@dataclass(frozen=True, slots=True)
class Profile:
    """A layer and the selector of the clusters it lies on."""

    id: str
    weight: int
    layer: Layer
    environments: frozenset[str] = frozenset()
    labels: tuple[tuple[str, str], ...] = ()
    lists_clusters: bool = False

    def selects(self, cluster: Cluster) -> bool:
        """Environments are alternatives, labels must all match, a list must name the cluster."""
        return (
            (not self.environments or cluster.environment in self.environments)
            and all(cluster.labels.get(key) == value for key, value in self.labels)
            and (not self.lists_clusters or self.id in cluster.listed_in)
        )


@dataclass(frozen=True, slots=True)
class Shared:
    """Everything that clusters have in common. Profiles are in layer order."""

    components: Mapping[str, CatalogComponent]
    namespaces: Mapping[str, Namespace]
    rolebindings: Mapping[str, RoleBinding]
    profiles: tuple[Profile, ...]

    def profiles_of(self, cluster: Cluster) -> tuple[Profile, ...]:
        return tuple(profile for profile in self.profiles if profile.selects(cluster))


@dataclass(frozen=True, slots=True)
class MergedComponent:
    catalog: CatalogComponent
    assigned: Origin
    enabled: Traced[bool]
    oci_tag: Traced[str]
    component_path: Traced[str]
    component_version: Traced[str]
    patches: tuple[tuple[Path, Traced[str]], ...]

    @property
    def id(self) -> str:
        return self.catalog.id


@dataclass(frozen=True, slots=True)
class MergedCluster:
    cluster: Cluster
    components: tuple[MergedComponent, ...]
    namespaces: tuple[Traced[Namespace], ...]
    rolebindings: tuple[Traced[RoleBinding], ...]


def merge_component(
    catalog: CatalogComponent, settings: Sequence[ComponentSettings]
) -> MergedComponent | None:
    """None where no layer assigns the component."""
    return finish(catalog, reduce(combine, settings, catalog.settings()))


def finish(catalog: CatalogComponent, merged: ComponentSettings) -> MergedComponent | None:
    """The component as all its layers combined say, the catalog among them."""
    if merged.assigned is None:
        return None
    blank = Traced("", Origin("catalog", catalog.id))
    return MergedComponent(
        catalog=catalog,
        assigned=merged.assigned,
        enabled=merged.enabled or Traced(True, blank.origin),
        oci_tag=merged.oci_tag or blank,
        component_path=merged.component_path or blank,
        component_version=merged.component_version or blank,
        patches=merged.patches,
    )


def stack(shared: Shared, cluster: Cluster) -> tuple[Layer, ...]:
    """The layers over the catalog for this cluster, lowest first."""
    return (*(profile.layer for profile in shared.profiles_of(cluster)), cluster.layer)


def assigned_components(layers: Iterable[Layer]) -> list[str]:
    return sorted(
        {
            component_id
            for layer in layers
            for component_id, said in layer.components.items()
            if said.assigned
        }
    )


def merge(shared: Shared, cluster: Cluster) -> MergedCluster:
    """A reference to something that does not exist is a KeyError: an error, not a shorter list."""
    layers = stack(shared, cluster)
    components = (
        merge_component(
            shared.components[component_id],
            [layer.components.get(component_id, NO_SETTINGS) for layer in layers],
        )
        for component_id in assigned_components(layers)
    )
    return MergedCluster(
        cluster=cluster,
        components=tuple(component for component in components if component),
        namespaces=_present(shared.namespaces, layers, lambda layer: layer.namespaces),
        rolebindings=_present(shared.rolebindings, layers, lambda layer: layer.rolebindings),
    )


def _present(
    known: Mapping[str, T], layers: Sequence[Layer], ids: Callable[[Layer], frozenset[str]]
) -> tuple[Traced[T], ...]:
    """What any layer assigns, by id, traced to the highest layer that does."""
    origins = {item_id: layer.origin for layer in layers for item_id in ids(layer)}
    return tuple(Traced(known[item_id], origins[item_id]) for item_id in sorted(origins))
