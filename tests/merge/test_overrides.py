from typing import Any

from hypothesis import given, settings

from fleet.desired_state.merge import (
    CatalogComponent,
    Cluster,
    Layer,
    Namespace,
    Origin,
    Profile,
    Shared,
    component_settings,
    merge,
)
from fleet.desired_state.provenance import LayerValue, ResolvedCluster, ResolvedField, resolve
from fleet.desired_state.values import format_key, to_json
from tests.merge.random_fleets import Rows, fleets

CATALOG, GOLD, OWN = Origin("catalog", "shop"), Origin("profile", "gold"), Origin("cluster", "c")
COLOR = ("ui", "color")


def told(
    profile: dict[str, Any] | None = None, own: dict[str, Any] | None = None, **catalog: Any
) -> ResolvedCluster:
    """The component `shop`, assigned by the profile `gold` and perhaps by the cluster `c`."""
    shop: dict[str, Any] = {"kind": "helm", "component_path": "shop", "component_version": "1.0.0"}
    entry = CatalogComponent("shop", oci_url="oci://x", oci_tag="", **shop, **catalog)
    layers = [
        Layer(
            origin,
            {"shop": component_settings(origin, assigned=True, **said)} if said is not None else {},
            namespaces=frozenset({"apps"}),
        )
        for origin, said in ((GOLD, profile or {}), (OWN, own))
    ]
    shared = Shared(
        {"shop": entry}, {"apps": Namespace("apps")}, {}, (Profile("gold", 0, layers[0]),)
    )
    cluster = Cluster("c", "c", "c.example.com", "dev", {}, "active", frozenset(), layers[1])
    return resolve(shared, cluster)


def field(name: str, said: ResolvedCluster) -> ResolvedField:
    [component] = said.components
    return next(each for each in (*component.fields, *component.values) if each.field == name)


def test_a_field_that_nobody_overrides():
    assert field("component_version", told()) == ResolvedField(
        "component_version", LayerValue(CATALOG, '"1.0.0"')
    )


def test_a_field_tells_all_layers_from_the_highest():
    said = told({"component_version": "2.0.0"}, {"component_version": "3.0.0"})
    assert field("component_version", said) == ResolvedField(
        "component_version",
        LayerValue(OWN, '"3.0.0"'),
        (LayerValue(GOLD, '"2.0.0"'), LayerValue(CATALOG, '"1.0.0"')),
    )


def test_a_field_that_is_blank_everywhere_is_the_catalogs():
    assert field("oci_tag", told()) == ResolvedField("oci_tag", LayerValue(CATALOG, '""'))


def test_the_folder_of_the_environment_comes_from_where_the_path_does():
    said = told({"component_path": 'a"b'}, cluster_env_enabled=True)
    assert field("resolved_path", said) == ResolvedField(
        "resolved_path", LayerValue(GOLD, to_json('a"b/dev'))
    )


def test_a_component_that_is_off():
    assert told(own={"enabled": False}).components[0].is_off
    assert not told({"enabled": False}, {"enabled": True}).components[0].is_off


def test_a_value_tells_what_it_overrides():
    said = told(own={"patches": [(COLOR, '"red"')]}, patches=((COLOR, '"blue"'),))
    assert field("ui.color", said) == ResolvedField(
        "ui.color", LayerValue(OWN, '"red"'), (LayerValue(CATALOG, '"blue"'),)
    )


def test_an_unset_value_shows_what_would_be_there():
    said = told({"unset": [("ui",)]}, patches=((COLOR, '"blue"'),))
    assert field("ui.color", said) == ResolvedField(
        "ui.color", LayerValue(GOLD, None, unset=True), (LayerValue(CATALOG, '"blue"'),)
    )
    assert len(said.components[0].values) == 1


def test_an_unset_of_nothing_is_shown_too():
    assert field("ui.color", told({"unset": [COLOR]})) == ResolvedField(
        "ui.color", LayerValue(GOLD, None, unset=True)
    )


def test_a_value_above_an_unset():
    said = told({"unset": [COLOR]}, {"patches": [(COLOR, "1")]}, patches=((COLOR, "2"),))
    assert field("ui.color", said) == ResolvedField(
        "ui.color",
        LayerValue(OWN, "1"),
        (LayerValue(GOLD, None, unset=True), LayerValue(CATALOG, "2")),
    )


def test_a_value_of_another_shape_replaces():
    said = told({"patches": [(("ui",), "1")]}, {"patches": [(COLOR, "2")]})
    assert field("ui", said) == ResolvedField("ui", LayerValue(OWN, None), (LayerValue(GOLD, "1"),))
    assert field("ui.color", said) == ResolvedField("ui.color", LayerValue(OWN, "2"))
    said = told({"patches": [(COLOR, "2")]}, {"patches": [(("ui",), "1")]})
    assert field("ui.color", said) == ResolvedField(
        "ui.color", LayerValue(OWN, None), (LayerValue(GOLD, "2"),)
    )


def test_every_layer_that_assigns_is_told():
    said = told(own={})
    assert said.components[0].assigned == (OWN, GOLD)
    assert said.namespaces[0].assigned == (OWN, GOLD)
    assert told().components[0].assigned == (GOLD,)


@settings(max_examples=50)
@given(fleets())
def test_it_agrees_with_the_merge(rows: Rows):
    shared = rows.shared()
    for cluster in rows.clusters():
        merged, said = merge(shared, cluster), resolve(shared, cluster)
        for component, same in zip(merged.components, said.components, strict=True):
            assert component.assigned == same.assigned[0]
            fields = {each.field: each.given for each in same.fields}
            for name in ("enabled", "oci_tag", "component_path", "component_version"):
                traced = getattr(component, name)
                assert fields[name] == LayerValue(traced.origin, to_json(traced.value))
            assert {
                (each.field, each.given.value, each.given.origin)
                for each in same.values
                if each.given.value is not None
            } == {
                (format_key(path), traced.value, traced.origin)
                for path, traced in component.patches
            }
        for name in ("namespaces", "rolebindings"):
            assert [(each.value, each.origin) for each in getattr(merged, name)] == [
                (each.item, each.assigned[0]) for each in getattr(said, name)
            ]
