import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from fleet.desired_state.inputs import RESOURCES
from fleet.desired_state.layers import (
    CLUSTER_CHILDREN,
    SHARED_MODELS,
    build_cluster,
    build_shared,
    read_cluster_rows,
    read_shared_rows,
)
from fleet.desired_state.render import Renderer
from fleet.services.clusters import cluster_freeze
from tests.factories import assign, make_cluster, make_component, make_fleet, make_profile

pytestmark = pytest.mark.django_db

# One query for each table; but PostgreSQL is asked at once, unless rows are to be streamed.
AT_ONCE = connection.vendor == "postgresql"
SHARED_QUERIES = 1 if AT_ONCE else len(SHARED_MODELS)
TABLES = len(CLUSTER_CHILDREN) + 1
CLUSTER_QUERIES = 1 if AT_ONCE else TABLES


@pytest.mark.parametrize("clusters", [1, 50])
def test_all_clusters_are_read_in_a_fixed_number_of_queries(clusters, django_assert_num_queries):
    make_fleet(clusters)
    with django_assert_num_queries(SHARED_QUERIES + TABLES):
        read_shared_rows()
        assert len(list(read_cluster_rows())) == clusters


@pytest.mark.parametrize("clusters", [1, 50])
def test_one_cluster_is_read_in_a_fixed_number_of_queries(clusters, django_assert_num_queries):
    fleet = make_fleet(clusters)
    with django_assert_num_queries(SHARED_QUERIES + CLUSTER_QUERIES):
        read_shared_rows()
        assert len(list(read_cluster_rows([fleet.clusters[0].id]))) == 1


def test_building_and_rendering_ask_the_database_nothing():
    make_fleet(3)
    shared, clusters = read_shared_rows(), list(read_cluster_rows())
    with CaptureQueriesContext(connection) as queries:
        renderer = Renderer(build_shared(shared))
        for rows in clusters:
            renderer.render(build_cluster(rows))
    assert len(queries) == 0


def test_streaming_all_clusters_gives_what_reading_each_alone_gives():
    fleet = make_fleet(20)
    cluster_freeze(cluster=fleet.clusters[7].id)
    together = {rows.id: build_cluster(rows) for rows in read_cluster_rows()}
    alone = {}
    for cluster in fleet.clusters:
        [rows] = read_cluster_rows([cluster.id])
        alone[cluster.id] = build_cluster(rows)
    assert together == alone


def test_streaming_gives_each_cluster_its_own_children_also_where_some_have_none():
    bare, listed, last = make_cluster(id="a-bare"), make_cluster(id="b-listed"), make_cluster()
    profile = make_profile(clusters=[listed])
    assign(last, make_component(id="podinfo"))
    found = {rows.id: build_cluster(rows) for rows in read_cluster_rows()}
    assert [set(found[item.id].listed_in) for item in (bare, listed, last)] == [
        set(),
        {profile.id},
        set(),
    ]
    assert [list(found[item.id].layer.components) for item in (bare, listed, last)] == [
        [],
        [],
        ["podinfo"],
    ]


def test_ids_that_collations_order_differently_keep_their_children():
    """Python and most locales disagree on hyphens: `a-b` and `ab`."""
    podinfo = make_component(id="podinfo")
    ids = ["a-b", "ab", "a-c", "a1", "a-1", "b"]
    for item in ids:
        assign(make_cluster(id=item), podinfo)
    found = {rows.id: list(build_cluster(rows).layer.components) for rows in read_cluster_rows()}
    assert found == {item: ["podinfo"] for item in ids}


def test_profiles_are_stacked_by_weight_then_by_id():
    """Ids as Python orders them, whatever the collation of the database."""
    for profile_id, weight in [("ab", 5), ("z", -1), ("a-b", 5), ("a", 10), ("b", 2)]:
        make_profile(id=profile_id, weight=weight)
    stacked = build_shared(read_shared_rows()).profiles
    assert [profile.id for profile in stacked] == ["z", "b", "a-b", "ab", "a"]


def test_an_unknown_cluster_is_not_there():
    make_cluster()
    assert list(read_cluster_rows(["nowhere"])) == []


def test_untraced_clusters_with_equal_settings_have_equal_layers():
    podinfo = make_component()
    for _ in range(2):
        assign(make_cluster(), podinfo, oci_tag="v9")
    one, other = (build_cluster(rows, traced=False) for rows in read_cluster_rows())
    assert one.layer == other.layer


def test_untraced_clusters_render_as_traced_ones_do():
    make_fleet(8)
    renderer = Renderer(build_shared(read_shared_rows()))
    for rows in read_cluster_rows():
        traced = renderer.render(build_cluster(rows))
        untraced = renderer.render(build_cluster(rows, traced=False))
        assert [traced.body(name) for name in RESOURCES] == [
            untraced.body(name) for name in RESOURCES
        ]
