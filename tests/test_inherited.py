"""What lies under a cluster or a profile, by the same merge that makes the answers."""

import pytest

from fleet.desired_state.inherited import below_cluster, below_profile, schema_keys, schema_type
from fleet.desired_state.layers import (
    build_cluster,
    build_shared,
    read_cluster_rows,
    read_shared_rows,
)
from fleet.desired_state.merge import Origin, merge
from fleet.history.change import change
from fleet.models import Cluster, ClusterPatch, Component
from tests.factories import (
    assign,
    make_cluster,
    make_component,
    make_fleet,
    make_profile,
    patch,
    unset,
)

CATALOG = Origin("catalog", "podinfo")
GOLD = Origin("profile", "gold")


@pytest.fixture
def layered(db) -> Cluster:
    """podinfo in the catalog, in a profile that selects c1, and in one that does not."""
    with change():
        podinfo = make_component(id="podinfo")
        for key, value in {
            "replicas": 1,
            "ui.color": "red",
            "ui.size": 2,
            "old": 3,
            "a": 1,
        }.items():
            patch(podinfo, podinfo, key, value)
        gold = make_profile(id="gold", labels={"tier": "gold"})
        patch(gold, podinfo, "replicas", 2)
        patch(gold, podinfo, "ui.color", "gold")
        unset(gold, podinfo, "old")
        patch(make_profile(id="other", labels={"tier": "iron"}), podinfo, "replicas", 9)
        cluster = make_cluster(id="c1", labels={"tier": "gold"})
        patch(cluster, podinfo, "replicas", 5)
    return cluster


def test_of_a_cluster_they_are_the_profiles_that_select_it_and_the_catalog(layered):
    below = below_cluster(layered, ["podinfo"])
    found = below.at("podinfo", ("replicas",))
    assert found is not None
    assert (found.value, found.origins) == ("2", (GOLD,))
    assert str(found) == "2 from profile gold"


def test_of_a_profile_it_is_the_catalog(layered):
    found = below_profile(["podinfo"]).at("podinfo", ("replicas",))
    assert str(found) == "1 from the catalog"


def test_labels_count_as_they_are_on_the_instance(layered):
    layered.labels = {}
    found = below_cluster(layered, ["podinfo"]).at("podinfo", ("replicas",))
    assert str(found) == "1 from the catalog"


def test_what_a_layer_removes_is_not_there(layered):
    assert below_cluster(layered, ["podinfo"]).at("podinfo", ("old",)) is None


def test_an_object_is_put_together_from_its_layers(layered):
    found = below_cluster(layered, ["podinfo"]).at("podinfo", ("ui",))
    assert found is not None
    assert found.value == '{"color":"gold","size":2}'
    assert found.origins == (CATALOG, GOLD)


def test_a_value_that_is_in_the_way_is_told(layered):
    found = below_cluster(layered, ["podinfo"]).at("podinfo", ("a", "b"))
    assert found is not None
    assert (found.at, found.value) == (("a",), "1")


def test_of_a_component_that_was_not_asked_for_nothing_is_known(layered):
    assert below_cluster(layered, []).at("podinfo", ("replicas",)) is None


def test_a_long_value_is_cut(layered):
    with change():
        patch(Component.objects.get(), Component.objects.get(), "long", "x" * 10_000)
    found = below_profile(["podinfo"]).at("podinfo", ("long",))
    assert len(str(found)) < 200


def test_without_rows_of_its_own_a_cluster_gets_exactly_what_it_inherits(db):
    fleet = make_fleet(8)
    shared = build_shared(read_shared_rows())
    names = [component.id for component in fleet.components]
    with change():
        ClusterPatch.objects.all().delete()
        for cluster in Cluster.objects.all():
            cluster.components.all().delete()
            assign(cluster, fleet.components[1])
    for rows in read_cluster_rows():
        below = below_cluster(Cluster.objects.get(pk=rows.id), names)
        for merged in merge(shared, build_cluster(rows)).components:
            assert below.of(merged.id).patches == merged.patches
            assert below.field(merged.id, "component_version") == merged.component_version


def test_queries_do_not_grow_with_what_is_asked_for(layered, django_assert_num_queries):
    with change():
        names = [make_component().pk for _ in range(50)]
    for components in (["podinfo"], names):
        with django_assert_num_queries(7):
            below_cluster(layered, components)


SCHEMA = {
    "type": "object",
    "properties": {
        "replicas": {"type": "integer"},
        "ui": {"properties": {"a.b": {"type": "string"}, "size": {"type": ["integer", "null"]}}},
        "free": True,
    },
}


def test_the_keys_that_a_schema_names():
    assert schema_keys(SCHEMA, 10) == ["replicas", r"ui.a\.b", "ui.size", "free"]
    assert schema_keys(SCHEMA, 2) == ["replicas", r"ui.a\.b"]


@pytest.mark.parametrize("schema", [None, True, {}, {"properties": []}, {"properties": {"": {}}}])
def test_a_schema_without_keys_names_none(schema):
    assert schema_keys(schema, 10) == []


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (("replicas",), "integer"),
        (("ui", "a.b"), "string"),
        (("ui", "size"), ""),
        (("free",), ""),
        (("no", "such"), ""),
    ],
)
def test_the_type_that_a_schema_wants(path, kind):
    assert schema_type(SCHEMA, path) == kind
