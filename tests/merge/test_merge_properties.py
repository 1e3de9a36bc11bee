"""What must hold of the merge for any fleet: random rows, through the same code as real ones."""

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fleet import models
from fleet.desired_state.inputs import (
    COMPONENTS,
    NAMESPACES,
    RESOURCES,
    ROLEBINDINGS,
    Answers,
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
    Layer,
    MergedCluster,
    Origin,
    Profile,
    Shared,
    combine,
    component_settings,
    merge,
    stack,
)
from fleet.desired_state.render import Renderer
from fleet.desired_state.values import conflicts, parse_key
from tests.merge.random_fleets import FIELDS, any_settings, fleets, patch_maps


def bodies(renderer: Renderer, clusters: list[Cluster]) -> list[bytes]:
    """All the bytes that Flux would get."""
    answers = [renderer.render(cluster) for cluster in clusters]
    return [answer.body(resource) for answer in answers for resource in RESOURCES]


def render_slowly(merged: MergedCluster) -> Answers:
    environment = merged.cluster.environment
    return Answers(
        encode(cluster_block(merged.cluster)),
        {
            COMPONENTS: tuple(
                item_of(component_fields(component, environment)) for component in merged.components
            ),
            NAMESPACES: tuple(item_of(namespace_fields(item.value)) for item in merged.namespaces),
            ROLEBINDINGS: tuple(
                item_of(rolebinding_fields(item.value)) for item in merged.rolebindings
            ),
        },
    )


# Settings of components


@given(any_settings())
def test_a_layer_that_says_nothing_changes_nothing(said):
    assert combine(said, NO_SETTINGS) == said == combine(NO_SETTINGS, said)


@given(
    any_settings(Origin("profile", "a")),
    any_settings(Origin("profile", "b")),
    any_settings(Origin("cluster", "c")),
)
@settings(max_examples=200)
def test_combining_layers_is_associative(low, middle, high):
    assert combine(combine(low, middle), high) == combine(low, combine(middle, high))


@given(st.lists(any_settings(), max_size=4))
def test_combined_patches_never_conflict_and_come_in_order(layers):
    combined = NO_SETTINGS
    for said in layers:
        combined = combine(combined, said)
    found = [path for path, _ in combined.patches]
    assert (conflicts(found), found) == ([], sorted(set(found)))


@given(st.lists(patch_maps, max_size=4))
@settings(max_examples=200)
def test_patches_are_what_applying_one_layer_after_the_other_gives(layers):
    combined = NO_SETTINGS
    expected: dict[Any, str] = {}
    for values, unset in layers:
        combined = combine(
            combined,
            component_settings(Origin("profile", "x"), patches=values.items(), unset=unset),
        )
        for gone in (*values, *unset):
            for path in list(expected):
                inside = path[: len(gone)] == gone
                leads_to_a_value = gone in values and gone[: len(path)] == path
                if inside or leads_to_a_value:
                    del expected[path]
        expected.update(values)
    assert {path: traced.value for path, traced in combined.patches} == expected


# Fleets


@given(fleets(), st.integers(-1, 2))
@settings(max_examples=50)
def test_a_profile_that_says_nothing_changes_no_byte(rows, weight):
    shared, clusters = rows.shared(), rows.clusters()
    silent = Profile("m-silent", weight, Layer(Origin("profile", "m-silent")))
    profiles = sorted((*shared.profiles, silent), key=lambda item: (item.weight, item.id))
    with_silent = replace(shared, profiles=tuple(profiles))
    assert bodies(Renderer(shared), clusters) == bodies(Renderer(with_silent), clusters)


@given(fleets(), st.randoms(use_true_random=True))
@settings(max_examples=60)
def test_the_same_rows_in_any_order_give_the_same_bytes(rows, shuffle):
    expected = bodies(Renderer(rows.shared()), rows.clusters())
    assert bodies(Renderer(rows.shared(shuffle)), rows.clusters(shuffle)) == expected


@given(fleets())
@settings(max_examples=60)
def test_the_renderer_gives_what_merging_each_cluster_gives(rows):
    """Untraced, as plans render: what different clusters have in common is rendered once."""
    shared, clusters = rows.shared(), rows.clusters(traced=False)
    renderer = Renderer(shared)
    for cluster in clusters:
        assert renderer.render(cluster) == render_slowly(merge(shared, cluster))


@given(fleets())
@settings(max_examples=40)
def test_rendering_again_gives_the_same(rows):
    renderer, clusters = Renderer(rows.shared()), rows.clusters()
    assert bodies(renderer, clusters) == bodies(renderer, clusters)


@given(fleets(), fleets())
@settings(max_examples=40)
def test_a_renderer_that_leans_on_another_state_gives_what_it_gives_alone(rows, other):
    """The two states differ in the catalog, in the profiles, or in both."""
    clusters = rows.clusters(traced=False)
    ours, theirs = rows.shared(), other.shared()
    for shared in (
        replace(ours, components=theirs.components),
        replace(ours, profiles=theirs.profiles),
        theirs,
    ):
        near = Renderer(ours)
        bodies(near, clusters)
        assert bodies(Renderer(shared, near), clusters) == bodies(Renderer(shared), clusters)


def said_by(
    origin: Origin, shared: Shared, layers: tuple[Layer, ...], component: str
) -> ComponentSettings:
    if origin.layer == "catalog":
        assert origin.id == component
        return shared.components[component].settings()
    [layer] = [layer for layer in layers if layer.origin == origin]
    return layer.components[component]


@given(fleets())
@settings(max_examples=60)
def test_every_field_leads_to_a_layer_that_says_exactly_it(rows):
    shared = rows.shared()
    for cluster in rows.clusters():
        layers = stack(shared, cluster)
        for component in merge(shared, cluster).components:
            for field in FIELDS:
                traced = getattr(component, field)
                said = getattr(said_by(traced.origin, shared, layers, component.id), field)
                nobody_says = traced.value == "" and traced.origin.layer == "catalog"
                assert said == traced or (said is None and nobody_says)


@given(fleets())
@settings(max_examples=60)
def test_every_patch_leads_to_a_row_that_holds_exactly_it(rows):
    shared = rows.shared()
    owners = {
        "catalog": (models.ComponentPatch, "component_id"),
        "profile": (models.ProfilePatch, "profile_id"),
        "cluster": (models.ClusterPatch, "cluster_id"),
    }
    for cluster in rows.clusters():
        for component in merge(shared, cluster).components:
            for path, traced in component.patches:
                model, owner = owners[traced.origin.layer]
                assert [
                    row.value
                    for row in rows.by_model[model]
                    if getattr(row, owner) == traced.origin.id
                    and row.component_id == component.id
                    and parse_key(row.key) == path
                    and not row.unset
                ] == [traced.value]


@given(fleets())
@settings(max_examples=60)
def test_whatever_is_on_a_cluster_leads_to_a_layer_that_assigns_it(rows):
    shared = rows.shared()
    for cluster in rows.clusters():
        layers = {layer.origin: layer for layer in stack(shared, cluster)}
        merged = merge(shared, cluster)
        assert all(
            layers[component.assigned].components[component.id].assigned
            for component in merged.components
        )
        assert all(item.value.id in layers[item.origin].namespaces for item in merged.namespaces)
        assert all(
            item.value.id in layers[item.origin].rolebindings for item in merged.rolebindings
        )


@given(fleets())
@settings(max_examples=60)
def test_nothing_that_a_layer_assigns_is_missing(rows):
    shared = rows.shared()
    for cluster in rows.clusters():
        layers, merged = stack(shared, cluster), merge(shared, cluster)
        assert [item.id for item in merged.components] == sorted(
            {
                component_id
                for layer in layers
                for component_id, said in layer.components.items()
                if said.assigned
            }
        )
        for kind in ("namespaces", "rolebindings"):
            wanted = frozenset().union(*(getattr(layer, kind) for layer in layers))
            assert [item.value.id for item in getattr(merged, kind)] == sorted(wanted)
