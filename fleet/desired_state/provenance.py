"""What a cluster gets, and what each layer said of it: what counts, and what that overrides. Pure.

The merge says which layer gave a value. People also want to see what would be there without it.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from fleet.desired_state.merge import (
    SILENT,
    CatalogComponent,
    Cluster,
    Layer,
    Namespace,
    Origin,
    Path,
    RoleBinding,
    Shared,
    Statement,
    Traced,
    assigned_components,
    stack,
)
from fleet.desired_state.values import format_key, to_json

T = TypeVar("T")
OVERRIDABLE = ("enabled", "component_version", "component_path", "oci_tag")


@dataclass(frozen=True, slots=True)
class Said:
    """One layer's say: JSON text, or None where it takes away what is below.

    It does so by `unset`, or by a value of another shape: `a.b` where `a` has a value below.
    """

    origin: Origin
    value: str | None
    unset: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """A field: what counts, and what that overrides, the highest layer first."""

    field: str
    given: Said
    overridden: tuple[Said, ...] = ()


@dataclass(frozen=True, slots=True)
class ToldComponent:
    catalog: CatalogComponent
    assigned: tuple[Origin, ...]
    fields: tuple[Told, ...]
    values: tuple[Told, ...]

    @property
    def id(self) -> str:
        return self.catalog.id

    @property
    def is_off(self) -> bool:
        return any(told.field == "enabled" and told.given.value == "false" for told in self.fields)


@dataclass(frozen=True, slots=True)
class ToldItem(Generic[T]):
    """A namespace or rolebinding: assigned or not, so nothing of it is overridden."""

    item: T
    assigned: tuple[Origin, ...]


@dataclass(frozen=True, slots=True)
class ToldCluster:
    components: tuple[ToldComponent, ...]
    namespaces: tuple[ToldItem[Namespace], ...]
    rolebindings: tuple[ToldItem[RoleBinding], ...]


Layered = Sequence[tuple[Origin, Statement]]


def tell(shared: Shared, cluster: Cluster) -> ToldCluster:
    layers = stack(shared, cluster)
    return ToldCluster(
        components=tuple(
            _tell_component(shared.components[item], layers, cluster.environment)
            for item in assigned_components(layers)
        ),
        namespaces=_tell_items(shared.namespaces, layers, lambda layer: layer.namespaces),
        rolebindings=_tell_items(shared.rolebindings, layers, lambda layer: layer.rolebindings),
    )


def _tell_component(
    catalog: CatalogComponent, layers: Sequence[Layer], environment: str
) -> ToldComponent:
    """From here on the highest layer is the first."""
    said = [(layer.origin, layer.components.get(catalog.id, SILENT)) for layer in reversed(layers)]
    layered = [*said, (Origin("catalog", catalog.id), catalog.statement())]
    fields = [_tell_field(name, layered) for name in OVERRIDABLE]
    return ToldComponent(
        catalog=catalog,
        assigned=tuple(origin for origin, each in said if each.assigned),
        fields=(*fields, *_fixed_fields(catalog, fields, environment)),
        values=tuple(_tell_value(path, layered) for path in _paths(layered)),
    )


def _tell_field(name: str, layered: Layered) -> Told:
    given: list[Traced[bool | str]] = [
        traced for _, each in layered if (traced := getattr(each, name)) is not None
    ]
    said = [Said(traced.origin, to_json(traced.value)) for traced in given]
    said = said or [Said(layered[-1][0], to_json(""))]
    return Told(name, said[0], tuple(said[1:]))


def _fixed_fields(
    catalog: CatalogComponent, fields: Sequence[Told], environment: str
) -> Iterator[Told]:
    """What only the catalog says; and the folder of the environment, where there is one."""
    if catalog.cluster_env_enabled:
        path = next(told.given for told in fields if told.field == "component_path")
        folder = f"{json.loads(path.value or '')}/{environment}"
        yield Told("resolved_path", Said(path.origin, to_json(folder)))
    origin = Origin("catalog", catalog.id)
    yield Told("kind", Said(origin, to_json(catalog.kind)))
    yield Told("oci_url", Said(origin, to_json(catalog.oci_url)))
    yield Told("depends_on", Said(origin, to_json(list(catalog.depends_on))))


def _paths(layered: Layered) -> list[Path]:
    """Those with a value in any layer, and those that a layer unsets where nothing is."""
    valued = {path for _, each in layered for path, _ in each.patches}
    leading = {path[:length] for path in valued for length in range(1, len(path) + 1)}
    cleared = {path for _, each in layered for path in each.cleared}
    return sorted(valued | (cleared - leading))


def _tell_value(path: Path, layered: Layered) -> Told:
    said = [_say(path, origin, each) for origin, each in layered if each.hides(path)]
    # What takes away where nothing is below tells nobody anything, unless it is all there is.
    while len(said) > 1 and said[-1].value is None:
        said.pop()
    return Told(format_key(path), said[0], tuple(said[1:]))


def _say(path: Path, origin: Origin, each: Statement) -> Said:
    values = {own: traced.value for own, traced in each.patches}
    unset = each.cleared - values.keys()
    leading = (path[:length] for length in range(1, len(path) + 1))
    return Said(origin, values.get(path), any(part in unset for part in leading))


def _tell_items(
    known: Mapping[str, T], layers: Sequence[Layer], ids: Callable[[Layer], frozenset[str]]
) -> tuple[ToldItem[T], ...]:
    found = sorted({item for layer in layers for item in ids(layer)})
    return tuple(
        ToldItem(
            known[item], tuple(layer.origin for layer in reversed(layers) if item in ids(layer))
        )
        for item in found
    )
