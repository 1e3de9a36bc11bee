"""What a cluster gets, and what each layer said of it: what counts, and what that overrides. Pure.

The merge says which layer gave a value. People also want to see what would be there without it.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from fleet.desired_state.merge import (
    NO_SETTINGS,
    CatalogComponent,
    Cluster,
    ComponentSettings,
    Layer,
    Namespace,
    Origin,
    Path,
    RoleBinding,
    Shared,
    Traced,
    assigned_components,
    stack,
)
from fleet.desired_state.values import format_key, to_json

T = TypeVar("T")
OVERRIDABLE = ("enabled", "component_version", "component_path", "oci_tag")


@dataclass(frozen=True, slots=True)
class LayerValue:
    """One layer's say: JSON text, or None where it takes away what is below.

    It does so by `unset`, or by a value of another shape: `a.b` where `a` has a value below.
    """

    origin: Origin
    value: str | None
    unset: bool = False


@dataclass(frozen=True, slots=True)
class ResolvedField:
    """A field: what counts, and what that overrides, the highest layer first."""

    field: str
    given: LayerValue
    overridden: tuple[LayerValue, ...] = ()


@dataclass(frozen=True, slots=True)
class ResolvedComponent:
    catalog: CatalogComponent
    assigned: tuple[Origin, ...]
    fields: tuple[ResolvedField, ...]
    values: tuple[ResolvedField, ...]

    @property
    def id(self) -> str:
        return self.catalog.id

    @property
    def is_off(self) -> bool:
        return any(told.field == "enabled" and told.given.value == "false" for told in self.fields)


@dataclass(frozen=True, slots=True)
class ResolvedItem(Generic[T]):
    """A namespace or rolebinding: assigned or not, so nothing of it is overridden."""

    item: T
    assigned: tuple[Origin, ...]


@dataclass(frozen=True, slots=True)
class ResolvedCluster:
    components: tuple[ResolvedComponent, ...]
    namespaces: tuple[ResolvedItem[Namespace], ...]
    rolebindings: tuple[ResolvedItem[RoleBinding], ...]


Layered = Sequence[tuple[Origin, ComponentSettings]]


def resolve(shared: Shared, cluster: Cluster) -> ResolvedCluster:
    layers = stack(shared, cluster)
    return ResolvedCluster(
        components=tuple(
            _resolve_component(shared.components[item], layers, cluster.environment)
            for item in assigned_components(layers)
        ),
        namespaces=_resolve_items(shared.namespaces, layers, lambda layer: layer.namespaces),
        rolebindings=_resolve_items(shared.rolebindings, layers, lambda layer: layer.rolebindings),
    )


def _resolve_component(
    catalog: CatalogComponent, layers: Sequence[Layer], environment: str
) -> ResolvedComponent:
    """From here on the highest layer is the first."""
    said = [
        (layer.origin, layer.components.get(catalog.id, NO_SETTINGS)) for layer in reversed(layers)
    ]
    layered = [*said, (Origin("catalog", catalog.id), catalog.settings())]
    fields = [_resolve_field(name, layered) for name in OVERRIDABLE]
    return ResolvedComponent(
        catalog=catalog,
        assigned=tuple(origin for origin, each in said if each.assigned),
        fields=(*fields, *_fixed_fields(catalog, fields, environment)),
        values=tuple(_resolve_value(path, layered) for path in _paths(layered)),
    )


def _resolve_field(name: str, layered: Layered) -> ResolvedField:
    given: list[Traced[bool | str]] = [
        traced for _, each in layered if (traced := getattr(each, name)) is not None
    ]
    said = [LayerValue(traced.origin, to_json(traced.value)) for traced in given]
    said = said or [LayerValue(layered[-1][0], to_json(""))]
    return ResolvedField(name, said[0], tuple(said[1:]))


def _fixed_fields(
    catalog: CatalogComponent, fields: Sequence[ResolvedField], environment: str
) -> Iterator[ResolvedField]:
    """What only the catalog says; and the folder of the environment, where there is one."""
    if catalog.cluster_env_enabled:
        path = next(told.given for told in fields if told.field == "component_path")
        folder = f"{json.loads(path.value or '')}/{environment}"
        yield ResolvedField("resolved_path", LayerValue(path.origin, to_json(folder)))
    origin = Origin("catalog", catalog.id)
    yield ResolvedField("kind", LayerValue(origin, to_json(catalog.kind)))
    yield ResolvedField("oci_url", LayerValue(origin, to_json(catalog.oci_url)))
    yield ResolvedField("depends_on", LayerValue(origin, to_json(list(catalog.depends_on))))


def _paths(layered: Layered) -> list[Path]:
    """Those with a value in any layer, and those that a layer unsets where nothing is."""
    valued = {path for _, each in layered for path, _ in each.patches}
    leading = {path[:length] for path in valued for length in range(1, len(path) + 1)}
    cleared = {path for _, each in layered for path in each.cleared}
    return sorted(valued | (cleared - leading))


def _resolve_value(path: Path, layered: Layered) -> ResolvedField:
    said = [_value_of(path, origin, each) for origin, each in layered if each.hides(path)]
    # What takes away where nothing is below tells nobody anything, unless it is all there is.
    while len(said) > 1 and said[-1].value is None:
        said.pop()
    return ResolvedField(format_key(path), said[0], tuple(said[1:]))


def _value_of(path: Path, origin: Origin, each: ComponentSettings) -> LayerValue:
    values = {own: traced.value for own, traced in each.patches}
    unset = each.cleared - values.keys()
    leading = (path[:length] for length in range(1, len(path) + 1))
    return LayerValue(origin, values.get(path), any(part in unset for part in leading))


def _resolve_items(
    known: Mapping[str, T], layers: Sequence[Layer], ids: Callable[[Layer], frozenset[str]]
) -> tuple[ResolvedItem[T], ...]:
    found = sorted({item for layer in layers for item in ids(layer)})
    return tuple(
        ResolvedItem(
            known[item], tuple(layer.origin for layer in reversed(layers) if item in ids(layer))
        )
        for item in found
    )
