"""The merge by example: one rule a test, over dataclasses alone."""

from dataclasses import replace
from typing import Any

import pytest

from fleet.desired_state.merge import (
    CatalogComponent,
    Cluster,
    ComponentSettings,
    Layer,
    MergedComponent,
    Namespace,
    Origin,
    Profile,
    RoleBinding,
    Shared,
    Traced,
    component_settings,
    merge,
    merge_component,
)
from fleet.desired_state.values import nest, parse_key, to_json

CATALOG = Origin("catalog", "podinfo")
LOW = Origin("profile", "low")
HIGH = Origin("profile", "high")
CLUSTER = Origin("cluster", "demo")


def patches(values: dict[str, Any]) -> list[tuple[tuple[str, ...], str]]:
    return [(parse_key(key), to_json(value)) for key, value in values.items()]


def catalog(values: dict[str, Any] | None = None, **overrides: Any) -> CatalogComponent:
    defaults: dict[str, Any] = {
        "id": "podinfo",
        "kind": "helm",
        "component_path": "charts/podinfo",
        "component_version": "6.5.0",
        "oci_url": "oci://registry.example.com",
        "oci_tag": "v1",
        "patches": tuple(patches(values or {})),
    }
    return CatalogComponent(**defaults | overrides)


def say(
    origin: Origin,
    values: dict[str, Any] | None = None,
    *,
    assigned: bool = True,
    unset: tuple[str, ...] = (),
    **overrides: Any,
) -> ComponentSettings:
    return component_settings(
        origin,
        assigned=assigned,
        patches=patches(values or {}),
        unset=[parse_key(key) for key in unset],
        **overrides,
    )


def say_field(origin: Origin, field: str, text: str) -> ComponentSettings:
    fields: dict[str, Any] = {field: text}
    return say(origin, **fields)


def merged(*said: ComponentSettings, over: CatalogComponent | None = None) -> MergedComponent:
    found = merge_component(over or catalog(), said)
    assert found is not None
    return found


def values_of(component: MergedComponent) -> str:
    """As JSON text, in which 1, 1.0 and true are different."""
    return to_json(nest((path, traced.value) for path, traced in component.patches))


def origins_of(component: MergedComponent) -> dict[tuple[str, ...], Origin]:
    return {path: traced.origin for path, traced in component.patches}


# Fields


FIELDS = ("oci_tag", "component_path", "component_version")


@pytest.mark.parametrize("field", FIELDS)
def test_a_higher_layer_wins_a_field(field):
    found = merged(say_field(LOW, field, "low"), say_field(CLUSTER, field, "own"))
    assert getattr(found, field) == Traced("own", CLUSTER)


@pytest.mark.parametrize("field", FIELDS)
def test_a_blank_field_inherits(field):
    found = merged(say_field(LOW, field, "low"), say_field(CLUSTER, field, ""))
    assert getattr(found, field) == Traced("low", LOW)


def test_each_field_comes_from_the_highest_layer_that_says_it():
    found = merged(
        say(LOW, oci_tag="low", component_path="low"),
        say(HIGH, component_path="high"),
        say(CLUSTER),
    )
    assert (found.oci_tag, found.component_path, found.component_version) == (
        Traced("low", LOW),
        Traced("high", HIGH),
        Traced("6.5.0", CATALOG),
    )


def test_a_field_that_nobody_says_is_the_catalogs_blank():
    found = merged(say(CLUSTER), over=catalog(oci_tag=""))
    assert found.oci_tag == Traced("", CATALOG)


def test_a_component_is_enabled_where_no_layer_says():
    assert merged(say(CLUSTER)).enabled == Traced(True, CATALOG)


@pytest.mark.parametrize("enabled", [True, False])
def test_enabled_comes_from_the_highest_layer_that_says(enabled):
    found = merged(say(LOW, enabled=not enabled), say(HIGH, enabled=enabled), say(CLUSTER))
    assert found.enabled == Traced(enabled, HIGH)


def test_a_layer_may_speak_of_a_component_that_another_assigns():
    found = merged(say(LOW), say(CLUSTER, {"a": 1}, assigned=False))
    assert (found.assigned, values_of(found)) == (LOW, '{"a":1}')


def test_assignment_is_traced_to_the_highest_layer_that_assigns():
    assert merged(say(LOW), say(HIGH), say(CLUSTER, assigned=False)).assigned == HIGH


def test_a_component_that_no_layer_assigns_is_not_there():
    said = say(CLUSTER, {"a": 1}, assigned=False, enabled=True, oci_tag="v9")
    assert merge_component(catalog(), [said]) is None


# Patches


def test_patches_merge_key_by_key():
    found = merged(
        say(LOW, {"b": "low", "c": "low"}), say(CLUSTER, {"c": "own"}), over=catalog({"a": 1})
    )
    assert values_of(found) == '{"a":1,"b":"low","c":"own"}'


def test_every_patch_is_traced_to_its_layer():
    found = merged(
        say(LOW, {"b": "low", "c": "low"}), say(CLUSTER, {"c": "own"}), over=catalog({"a": 1})
    )
    assert origins_of(found) == {("a",): CATALOG, ("b",): LOW, ("c",): CLUSTER}


def test_objects_merge_inside():
    found = merged(
        say(LOW, {"ui.color": "red", "ui.logo": "a"}), say(CLUSTER, {"ui.color": "blue"})
    )
    assert values_of(found) == '{"ui":{"color":"blue","logo":"a"}}'


def test_lists_are_replaced_whole():
    found = merged(say(LOW, {"hosts": ["a", "b", "c"]}), say(CLUSTER, {"hosts": ["d"]}))
    assert values_of(found) == '{"hosts":["d"]}'


@pytest.mark.parametrize("below", [["a"], {"b": 1}, "x", 1, True])
def test_an_empty_list_replaces(below):
    assert values_of(merged(say(LOW, {"a": below}), say(CLUSTER, {"a": []}))) == '{"a":[]}'


@pytest.mark.parametrize("below", [["a"], "x", 1, True, None])
def test_an_empty_object_replaces_a_plain_value(below):
    assert values_of(merged(say(LOW, {"a": below}), say(CLUSTER, {"a": {}}))) == '{"a":{}}'


def test_an_empty_object_replaces_what_is_set_inside_it():
    assert values_of(merged(say(LOW, {"a.b": 1}), say(CLUSTER, {"a": {}}))) == '{"a":{}}'


def test_a_value_inside_fills_an_empty_object():
    assert values_of(merged(say(LOW, {"a": {}}), say(CLUSTER, {"a.b": 1}))) == '{"a":{"b":1}}'


def test_null_is_a_value_that_is_sent():
    assert values_of(merged(say(LOW, {"a": 1}), say(CLUSTER, {"a": None}))) == '{"a":null}'


def test_a_value_replaces_null():
    assert values_of(merged(say(LOW, {"a": None}), say(CLUSTER, {"a": 1}))) == '{"a":1}'


@pytest.mark.parametrize("falsy", [False, 0, 0.0, "", None, [], {}])
def test_a_falsy_value_is_a_value(falsy):
    found = merged(say(LOW, {"a": "below"}), say(CLUSTER, {"a": falsy}))
    assert values_of(found) == to_json({"a": falsy})


def test_a_key_that_the_higher_layer_no_longer_sets_falls_back_to_the_lower():
    low, before, after = say(LOW, {"a": 1}), say(CLUSTER, {"a": 2}), say(CLUSTER)
    assert [values_of(merged(low, own)) for own in (before, after)] == ['{"a":2}', '{"a":1}']


@pytest.mark.parametrize("value", [1, 1.0, True, "1", "true", "", None, [], {}, [1], [1.0], "null"])
def test_values_keep_their_exact_type(value):
    assert values_of(merged(say(CLUSTER, {"a": value}))) == to_json({"a": value})


@pytest.mark.parametrize("value", [1.0, True, "1"])
def test_an_equal_value_of_another_type_still_wins(value):
    found = merged(say(LOW, {"a": 1}), say(CLUSTER, {"a": value}))
    assert (values_of(found), origins_of(found)) == (to_json({"a": value}), {("a",): CLUSTER})


def test_a_dot_inside_a_name_is_another_key_than_a_path():
    found = merged(say(LOW, {r"a\.b": 1}), say(CLUSTER, {"a.b": 2}))
    assert values_of(found) == '{"a":{"b":2},"a.b":1}'


def test_patches_come_in_the_order_of_their_paths():
    found = merged(say(LOW, {"c": 1, "a.z": 1}), say(CLUSTER, {"b": 1, "a.b": 1}))
    assert [path for path, _ in found.patches] == [("a", "b"), ("a", "z"), ("b",), ("c",)]


# Shapes that conflict


def test_a_plain_value_replaces_an_object_below():
    found = merged(say(LOW, {"a.b": 1, "a.c.d": 2, "e": 3}), say(CLUSTER, {"a": 4}))
    assert values_of(found) == '{"a":4,"e":3}'


def test_an_object_replaces_a_plain_value_below():
    found = merged(say(LOW, {"a": 1, "e": 3}), say(CLUSTER, {"a.b.c": 2}))
    assert values_of(found) == '{"a":{"b":{"c":2}},"e":3}'


def test_what_was_replaced_by_a_middle_layer_does_not_come_back():
    found = merged(say(LOW, {"a.b": 1}), say(HIGH, {"a": 2}), say(CLUSTER, {"a.c": 3}))
    assert values_of(found) == '{"a":{"c":3}}'


def test_an_object_that_replaced_a_plain_value_leaves_nothing_of_it_when_unset_above():
    found = merged(say(LOW, {"a": 1}), say(HIGH, {"a.b": 2}), say(CLUSTER, unset=("a.b",)))
    assert values_of(found) == "{}"


# Unset


def test_unset_hides_what_a_lower_layer_set():
    found = merged(say(LOW, {"a": 1, "b": 2}), say(CLUSTER, unset=("a",)))
    assert values_of(found) == '{"b":2}'


def test_unset_hides_all_layers_below():
    found = merged(say(LOW, {"a": 1}), say(CLUSTER, unset=("a",)), over=catalog({"a": 2}))
    assert values_of(found) == "{}"


def test_unset_hides_everything_under_the_key():
    found = merged(say(LOW, {"a.b": 1, "a.c.d": 2, "ab": 3}), say(CLUSTER, unset=("a",)))
    assert values_of(found) == '{"ab":3}'


def test_unset_of_a_path_leaves_its_neighbours():
    found = merged(say(LOW, {"a.b": 1, "a.c": 2}), say(CLUSTER, unset=("a.b",)))
    assert values_of(found) == '{"a":{"c":2}}'


def test_unset_does_not_reach_layers_above():
    found = merged(say(LOW, unset=("a",)), say(CLUSTER, {"a": 1}))
    assert values_of(found) == '{"a":1}'


def test_unset_of_what_nobody_set_does_nothing():
    assert values_of(merged(say(LOW, {"a": 1}), say(CLUSTER, unset=("b.c",)))) == '{"a":1}'


def test_unset_inside_a_plain_value_does_nothing():
    assert values_of(merged(say(LOW, {"a": 1}), say(CLUSTER, unset=("a.b",)))) == '{"a":1}'


def test_a_layer_may_unset_an_object_and_set_one_key_of_it():
    found = merged(say(LOW, {"a.b": 1, "a.c": 2}), say(CLUSTER, {"a.b": 3}, unset=("a",)))
    assert values_of(found) == '{"a":{"b":3}}'


def test_unset_is_not_null():
    low = say(LOW, {"a": 1})
    unset, null = say(CLUSTER, unset=("a",)), say(CLUSTER, {"a": None})
    assert [values_of(merged(low, own)) for own in (unset, null)] == ["{}", '{"a":null}']


# Profiles


def cluster(**overrides: Any) -> Cluster:
    defaults: dict[str, Any] = {
        "id": "demo",
        "name": "demo",
        "dns": "demo.example.com",
        "environment": "prod",
        "labels": {"tier": "gold", "region": "eu"},
        "state": "active",
        "listed_in": frozenset(),
        "layer": Layer(CLUSTER),
    }
    return Cluster(**defaults | overrides)


def profile(profile_id: str = "low", weight: int = 100, **overrides: Any) -> Profile:
    overrides.setdefault("layer", Layer(Origin("profile", profile_id)))
    return Profile(profile_id, weight, **overrides)


@pytest.mark.parametrize(
    ("selector", "selected"),
    [
        ({}, True),
        ({"environments": frozenset({"prod"})}, True),
        ({"environments": frozenset({"dev", "prod"})}, True),
        ({"environments": frozenset({"dev", "qa"})}, False),
        ({"labels": (("tier", "gold"),)}, True),
        ({"labels": (("region", "eu"), ("tier", "gold"))}, True),
        ({"labels": (("region", "us"), ("tier", "gold"))}, False),
        ({"labels": (("zone", "a"),)}, False),
        ({"labels": (("zone", ""),)}, False),
        ({"environments": frozenset({"prod"}), "labels": (("tier", "gold"),)}, True),
        ({"environments": frozenset({"dev"}), "labels": (("tier", "gold"),)}, False),
        ({"environments": frozenset({"prod"}), "labels": (("tier", "silver"),)}, False),
    ],
)
def test_which_clusters_a_profile_selects(selector, selected):
    assert profile(**selector).selects(cluster()) is selected


def test_a_profile_with_a_list_selects_the_clusters_on_it():
    listing = profile("low", lists_clusters=True)
    assert listing.selects(cluster(listed_in=frozenset({"low", "other"})))


def test_a_profile_with_an_empty_list_selects_none():
    assert not profile("low", lists_clusters=True).selects(cluster())


def test_being_on_the_list_of_another_profile_does_not_count():
    listing = profile("low", lists_clusters=True)
    assert not listing.selects(cluster(listed_in=frozenset({"other"})))


def test_a_cluster_on_the_list_must_meet_the_rest_of_the_selector_too():
    listing = profile("low", lists_clusters=True, environments=frozenset({"dev"}))
    assert not listing.selects(cluster(listed_in=frozenset({"low"})))


def assigning(origin: Origin, **said: Any) -> Layer:
    return Layer(origin, {"podinfo": say(origin, **said)})


def holding(origin: Origin, kind: str, ids: set[str]) -> Layer:
    fields: dict[str, Any] = {kind: frozenset(ids)}
    return Layer(origin, **fields)


def shared(*profiles: Profile, **overrides: Any) -> Shared:
    defaults: dict[str, Any] = {
        "components": {"podinfo": catalog()},
        "namespaces": {item: Namespace(item) for item in ("apps", "tools")},
        "rolebindings": {item: RoleBinding(item, "view") for item in ("admins", "readers")},
        "profiles": profiles,
    }
    return Shared(**defaults | overrides)


def test_a_profile_that_selects_the_cluster_is_merged():
    lying = profile("low", layer=assigning(LOW, oci_tag="low"))
    [found] = merge(shared(lying), cluster()).components
    assert found.oci_tag == Traced("low", LOW)


def test_a_profile_that_does_not_select_the_cluster_is_not_merged():
    elsewhere = profile("low", layer=assigning(LOW), environments=frozenset({"dev"}))
    assert merge(shared(elsewhere), cluster()).components == ()


def test_later_profiles_win_over_earlier_ones():
    low = profile("low", layer=assigning(LOW, oci_tag="low"))
    high = profile("high", layer=assigning(HIGH, oci_tag="high"))
    [found] = merge(shared(low, high), cluster()).components
    assert found.oci_tag == Traced("high", HIGH)


def test_the_cluster_wins_over_all_profiles():
    low = profile("low", layer=assigning(LOW, oci_tag="low"))
    own = cluster(layer=assigning(CLUSTER, oci_tag="own"))
    [found] = merge(shared(low), own).components
    assert found.oci_tag == Traced("own", CLUSTER)


def test_components_come_in_the_order_of_their_ids():
    ids = ["traefik", "cert-manager", "podinfo"]
    layer = Layer(CLUSTER, {item: say(CLUSTER) for item in ids})
    known = {item: catalog(id=item) for item in ids}
    found = merge(shared(components=known), cluster(layer=layer))
    assert [item.id for item in found.components] == ["cert-manager", "podinfo", "traefik"]


# Namespaces and rolebindings


@pytest.mark.parametrize(("kind", "ids"), [("namespaces", "apps"), ("rolebindings", "admins")])
def test_what_any_layer_assigns_is_there_once_traced_to_the_highest(kind, ids):
    low = profile("low", layer=holding(LOW, kind, {ids}))
    high = profile("high", layer=holding(HIGH, kind, {ids}))
    [found] = getattr(merge(shared(low, high), cluster()), kind)
    assert (found.value.id, found.origin) == (ids, HIGH)


@pytest.mark.parametrize(
    ("kind", "low_id", "own_id"),
    [("namespaces", "tools", "apps"), ("rolebindings", "readers", "admins")],
)
def test_layers_add_up_in_the_order_of_ids(kind, low_id, own_id):
    low = profile("low", layer=holding(LOW, kind, {low_id}))
    own = cluster(layer=holding(CLUSTER, kind, {own_id}))
    found = getattr(merge(shared(low), own), kind)
    assert [(item.value.id, item.origin) for item in found] == [(own_id, CLUSTER), (low_id, LOW)]


# Errors


@pytest.mark.parametrize("kind", ["namespaces", "rolebindings"])
def test_a_dangling_assignment_is_an_error_and_not_a_shorter_list(kind):
    own = cluster(layer=holding(CLUSTER, kind, {"apps", "admins", "gone"}))
    both = {item: Namespace(item) for item in ("apps", "admins")}
    with pytest.raises(KeyError, match="gone"):
        merge(shared(**{kind: both}), own)


def test_a_dangling_component_is_an_error_and_not_a_shorter_list():
    own = cluster(layer=Layer(CLUSTER, {"gone": say(CLUSTER), "podinfo": say(CLUSTER)}))
    with pytest.raises(KeyError, match="gone"):
        merge(shared(), own)


def test_layers_cannot_be_changed():
    with pytest.raises(AttributeError):
        say(CLUSTER).oci_tag = None  # type: ignore[misc]


def test_the_catalogs_own_fields_reach_the_result_untouched():
    entry = catalog(kind="kustomize", depends_on=("traefik",), cluster_env_enabled=True)
    assert merged(say(CLUSTER), over=entry).catalog == replace(entry)
