"""What active clusters get, over one state of what they share. Pure."""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

from fleet.desired_state.inputs import (
    COMPONENTS,
    NAMESPACES,
    ROLEBINDINGS,
    Answers,
    Item,
    cluster_block,
    component_fields,
    encode,
    item_of,
    namespace_fields,
    rolebinding_fields,
)
from fleet.desired_state.merge import (
    NO_SETTINGS,
    Cluster,
    ComponentSettings,
    Profile,
    Shared,
    assigned_components,
    combine,
    finish,
)

# Items that only one cluster gets fill it up, up to 2 KB each. What most clusters get is soon there
# again.
MOST_COMPONENTS = 10_000


class Items(dict[str, Item]):
    """Each is made when it is wanted: a single cluster has few of all that there are."""

    def __init__(self, source: Mapping[str, Any], fields: Callable[[Any], dict[str, Any]]) -> None:
        super().__init__()
        self._source, self._fields = source, fields

    def __missing__(self, item_id: str) -> Item:
        item = self[item_id] = item_of(self._fields(self._source[item_id]))
        return item


class Renderer:
    """Renders clusters over one shared state.

    Most clusters get most components from the same layers, so a rendered component is kept by what
    it depends on: the profiles below, the cluster's own say, and the environment.
    """

    def __init__(self, shared: Shared, near: "Renderer | None" = None) -> None:
        """`near` has a state that differs a little: what is the same need not be made twice."""
        self.shared = shared
        # With other profiles, a component may come out otherwise, and be assigned elsewhere.
        self._near = near if near and near.shared.profiles == shared.profiles else None
        self._components: dict[tuple[tuple[str, ...], str, ComponentSettings, str], Item] = {}
        self._below: dict[tuple[tuple[str, ...], str], ComponentSettings] = {}
        self._namespaces = Items(shared.namespaces, namespace_fields)
        self._rolebindings = Items(shared.rolebindings, rolebinding_fields)
        self._same = self._same_as(self._near.shared) if self._near else frozenset()

    def _same_as(self, shared: Shared) -> frozenset[str]:
        """The components that come out alike over both states, whatever the cluster says."""
        own = self.shared.components
        return frozenset(
            item for item, entry in shared.components.items() if own.get(item) == entry
        )

    def render(self, cluster: Cluster) -> Answers:
        """What an active cluster gets. A dangling reference is a KeyError, not a shorter list."""
        profiles = self.shared.profiles_of(cluster)
        layers = (*(profile.layer for profile in profiles), cluster.layer)
        stack_id = tuple(profile.id for profile in profiles)
        namespaces = sorted({item for layer in layers for item in layer.namespaces})
        rolebindings = sorted({item for layer in layers for item in layer.rolebindings})
        return Answers(
            encode(cluster_block(cluster)),
            {
                COMPONENTS: tuple(
                    self._component(component_id, stack_id, profiles, cluster)
                    for component_id in assigned_components(layers)
                ),
                NAMESPACES: tuple(self._namespaces[item] for item in namespaces),
                ROLEBINDINGS: tuple(self._rolebindings[item] for item in rolebindings),
            },
        )

    def render_again(self, cluster: Cluster, rendered: Answers) -> Answers:
        """The same as `render`, of a cluster that the near state has just rendered.

        With the same profiles it is assigned the same; only what differs itself is made anew.
        """
        if self._near is None:
            return self.render(cluster)
        components = rendered.items[COMPONENTS]
        if not all(item.id in self._same for item in components):
            profiles = self.shared.profiles_of(cluster)
            stack_id = tuple(profile.id for profile in profiles)
            components = tuple(
                item
                if item.id in self._same
                else self._component(item.id, stack_id, profiles, cluster)
                for item in components
            )
        return Answers(
            rendered.cluster,
            {
                COMPONENTS: components,
                NAMESPACES: tuple(self._namespaces[i.id] for i in rendered.items[NAMESPACES]),
                ROLEBINDINGS: tuple(self._rolebindings[i.id] for i in rendered.items[ROLEBINDINGS]),
            },
        )

    def _component(
        self,
        component_id: str,
        stack_id: tuple[str, ...],
        profiles: Sequence[Profile],
        cluster: Cluster,
    ) -> Item:
        if self._near and component_id in self._same:
            return self._near._component(component_id, stack_id, profiles, cluster)
        own = cluster.layer.components.get(component_id, NO_SETTINGS)
        catalog = self.shared.components[component_id]
        environment = cluster.environment if catalog.cluster_env_enabled else ""
        key = (stack_id, component_id, own, environment)
        item = self._components.get(key)
        if item is None:
            below = self._shared_say(component_id, stack_id, profiles)
            merged = finish(catalog, combine(below, own))
            assert merged is not None, component_id  # noqa: S101  (assigned, by the caller)
            item = item_of(component_fields(merged, environment))
            if len(self._components) >= MOST_COMPONENTS:
                self._components.clear()
            self._components[key] = item
        return item

    def _shared_say(
        self, component_id: str, stack_id: tuple[str, ...], profiles: Sequence[Profile]
    ) -> ComponentSettings:
        """What the layers below a cluster say together: the same for many, whatever it adds."""
        key = (stack_id, component_id)
        said = self._below.get(key)
        if said is None:
            layers = (
                profile.layer.components.get(component_id, NO_SETTINGS) for profile in profiles
            )
            said = reduce(combine, layers, self.shared.components[component_id].settings())
            self._below[key] = said
        return said
