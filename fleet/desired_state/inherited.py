"""What the layers under a cluster or a profile give a component, for whoever edits the one above.

A cluster inherits from the profiles that select it and from the catalog; a profile from the catalog
alone, since which other profiles lie under it differs from cluster to cluster.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

from fleet import models
from fleet.desired_state.layers import SHARED_MODELS, build_shared
from fleet.desired_state.merge import (
    NO_SETTINGS,
    ComponentSettings,
    Layer,
    Origin,
    Profile,
    Traced,
    combine,
)
from fleet.desired_state.merge import Cluster as Selected
from fleet.desired_state.values import JSONText, Path, format_key, nest, to_json
from fleet.models.tracked import Row

# By the column that names the component, so that no more than the wanted ones are read.
BY_COMPONENT = {
    models.Component: "id",
    models.ComponentPatch: "component_id",
    models.ProfileComponent: "component_id",
    models.ProfilePatch: "component_id",
}
CATALOG = (models.Component, models.ComponentPatch)
SELECTORS = (models.Profile, models.ProfileEnvironment)
MOST_SHOWN = 120


@dataclass(frozen=True, slots=True)
class Inherited:
    """A value from below; `at` is shorter than the key that was asked for where a value is in its
    way: `a` for `a.b`."""

    at: Path
    value: JSONText
    origins: tuple[Origin, ...]

    def __str__(self) -> str:
        return f"{shortened(self.value)} from {' and '.join(map(named, self.origins))}"


@dataclass(frozen=True, slots=True)
class Below:
    """By component, what all lower layers together say of it."""

    said: Mapping[str, ComponentSettings]

    def of(self, component: str) -> ComponentSettings:
        return self.said.get(component, NO_SETTINGS)

    def at(self, component: str, path: Path) -> Inherited | None:
        patches = dict(self.of(component).patches)
        for length in range(1, len(path) + 1):
            traced = patches.get(path[:length])
            if traced is not None:
                return Inherited(path[:length], traced.value, (traced.origin,))
        inside = {
            own[len(path) :]: each for own, each in patches.items() if own[: len(path)] == path
        }
        if not inside:
            return None
        value = to_json(nest((own, each.value) for own, each in inside.items()))
        return Inherited(path, value, tuple(sorted({each.origin for each in inside.values()})))

    def field(self, component: str, name: str) -> Traced[Any] | None:
        """A setting of the assignment: `enabled`, `component_version` and the like."""
        traced: Traced[Any] | None = getattr(self.of(component), name)
        return traced


def named(origin: Origin) -> str:
    return "the catalog" if origin.layer == "catalog" else f"{origin.layer} {origin.id}"


def shortened(value: str) -> str:
    return value if len(value) <= MOST_SHOWN else f"{value[:MOST_SHOWN]}…"


def below_cluster(cluster: models.Cluster, components: Collection[str]) -> Below:
    """By its environment and labels as they are on the instance, saved or not."""
    rows = _rows((*BY_COMPONENT, *SELECTORS), components)
    listing = models.ProfileCluster.objects.filter(cluster_id=cluster.pk).order_by()
    selected = Selected(
        id=cluster.pk,
        name=cluster.name,
        dns=cluster.dns,
        environment=cluster.environment_id,
        labels=cluster.labels,
        state=cluster.state,
        listed_in=frozenset(listing.values_list("profile_id", flat=True)),
        layer=Layer(Origin("cluster", cluster.pk)),
    )
    shared = build_shared(rows)
    return _combined(shared.components, shared.profiles_of(selected))


def below_profile(components: Collection[str]) -> Below:
    return _combined(build_shared(_rows(CATALOG, components)).components, ())


def _rows(wanted: Iterable[Any], components: Collection[str]) -> dict[Any, list[Row]]:
    rows: dict[Any, list[Row]] = {model: [] for model in SHARED_MODELS}
    for model in wanted:
        chosen = model.objects.order_by()
        if model in BY_COMPONENT:
            chosen = chosen.filter(**{f"{BY_COMPONENT[model]}__in": components})
        rows[model] = list(chosen.rows())
    return rows


def _combined(catalog: Mapping[str, Any], profiles: Iterable[Profile]) -> Below:
    layers = [profile.layer.components for profile in profiles]
    return Below(
        {
            component: reduce(
                combine, (layer.get(component, NO_SETTINGS) for layer in layers), entry.settings()
            )
            for component, entry in catalog.items()
        }
    )


def values_over(below: ComponentSettings, own: ComponentSettings) -> dict[str, Any]:
    """The nested values of a component, with this layer on top."""
    return nest((path, traced.value) for path, traced in combine(below, own).patches)


def schema_keys(schema: Any, most: int) -> list[str]:
    """The keys of values that a JSON Schema names, as far as it spells them out."""
    found = []
    for path in _properties(schema, ()):
        found.append(format_key(path))
        if len(found) == most:
            break
    return found


def _properties(schema: Any, path: Path) -> Iterator[Path]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if isinstance(properties, dict) and properties and len(path) < 8:
        for name, inner in properties.items():
            yield from _properties(inner, (*path, name)) if name else ()
    elif path:
        yield path


def schema_type(schema: Any, path: Path) -> str:
    """What a JSON Schema wants at a key; empty where it does not say one thing."""
    for name in path:
        properties = schema.get("properties") if isinstance(schema, dict) else None
        schema = properties.get(name) if isinstance(properties, dict) else None
    kind = schema.get("type") if isinstance(schema, dict) else None
    return kind if isinstance(kind, str) else ""
