import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from fleet.history.change import change
from fleet.models import Cluster, Component, Profile
from fleet.reports.dependency_graph import MOST_IN_COLUMN, draw
from tests.admin.forms import url
from tests.factories import assign, make_cluster, make_component, make_profile, patch

pytestmark = pytest.mark.usefixtures("small_fleet")


def usage(client, **query: str):
    return client.get(url(Component, "usage", "podinfo"), query)


def podinfo() -> Component:
    return Component.objects.get(id="podinfo")


def test_the_form_leads_to_it(admin_client):
    assert (
        url(Component, "usage", "podinfo")
        in admin_client.get(url(Component, "change", "podinfo")).text
    )


def test_versions_are_counted_over_all_layers(admin_client):
    with change():
        assign(make_cluster(id="c2"), podinfo(), component_version="9.9")
        make_cluster(id="c3", environment="prod")
        profile = make_profile(id="p2", environments=["prod"])
        assign(profile, podinfo(), component_version="8.8")
        assign(make_cluster(id="c4"), podinfo())
    page = usage(admin_client)
    assert page.context["versions"] == [("1.0.0", 2), ("8.8", 1), ("9.9", 1)]
    assert url(Profile, "change", "p2") in page.text


def test_one_version_can_be_looked_at(admin_client):
    assign(make_cluster(id="c2"), podinfo(), component_version="9.9")
    rows = usage(admin_client, version="9.9").context["matrix"].rows
    assert [row.cluster for row in rows] == ["c2"]
    assert usage(admin_client, version="\x00").status_code == 200


def test_the_same_override_of_many_is_one_line(admin_client):
    with change():
        for number in range(5):
            patch(make_cluster(id=f"x{number}"), podinfo(), "size", 3)
        patch(Profile.objects.get(), podinfo(), "size", 2)
    catalog, profiles, clusters = (layer[2] for layer in usage(admin_client).context["layers"])
    assert [(item.key, item.value) for item in catalog] == [("replicaCount", "1")]
    assert [(item.key, item.value, item.first) for item in profiles] == [("size", "2", "p1")]
    assert [(item.key, item.count, item.first, item.last) for item in clusters] == [
        ("size", 5, "x0", "x4"),
        ("ui.color", 1, "c1", "c1"),
    ]


def test_the_matrix_has_what_each_cluster_gets_and_from_where(admin_client):
    with change():
        cluster = make_cluster(id="c2")
        assign(cluster, podinfo(), enabled=False)
        patch(cluster, podinfo(), "replicaCount", 5)
    matrix = usage(admin_client).context["matrix"]
    assert matrix.keys == ("replicaCount", "ui.color")
    first, second = matrix.rows
    assert [value and value.value for value in first.values] == ["1", '"red"']
    assert first.values[0].origin.layer == "catalog"
    assert [value and value.value for value in second.values] == ["5", None]
    assert (first.enabled.value, second.enabled.value) == (True, False)


def test_the_number_of_queries_is_fixed(admin_client):
    def count() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert usage(admin_client).status_code == 200
        return len(captured)

    count()
    few = count()
    with change():
        for number in range(50):
            cluster = make_cluster(id=f"x{number:02}")
            assign(cluster, podinfo(), component_version=str(number))
            patch(cluster, podinfo(), "size", number)
            assign(make_profile(id=f"x{number:02}", clusters=[]), podinfo())
            make_component(id=f"x{number:02}", depends_on=["podinfo"])
    assert count() == few
    assert few <= 60


def test_a_component_that_is_not_there(admin_client):
    assert admin_client.get(url(Component, "usage", "nothing")).status_code == 302


def test_the_picture_has_both_sides_with_links(admin_client):
    make_component(id="shop", depends_on=["podinfo"])
    text = usage(admin_client).text
    assert "shop needs podinfo. " in text
    assert f'href="{url(Component, "usage", "traefik")}"' in text


def test_every_arrow_leads_to_the_right():
    edges = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("a", "d"), ("z", "y")]
    graph = draw("b", edges)
    assert {node.id for node in graph.nodes} == {"a", "b", "c", "d"}
    assert all(line.needs.x < line.needed.x for line in graph.lines)
    assert len(graph.lines) == 5


def test_no_two_nodes_are_in_one_place():
    edges = [(f"x{number}", "center") for number in range(8)] + [("center", "y")]
    graph = draw("center", edges)
    assert len({(node.x, node.y) for node in graph.nodes}) == 10


def test_a_picture_has_an_end():
    graph = draw("center", [(f"x{number}", "center") for number in range(MOST_IN_COLUMN + 3)])
    assert graph.left_out == 3
    assert draw("alone", []).lines == ()


def test_a_long_chain_is_no_recursion():
    assert len(draw("0", [(str(n), str(n + 1)) for n in range(5_000)]).nodes) == 5_001


def test_a_cluster_that_is_not_active_is_marked(admin_client):
    Cluster.objects.filter(pk="c1").update(state="decommissioned")
    assert '<span class="ff-quiet">decommissioned</span>' in usage(admin_client).text
