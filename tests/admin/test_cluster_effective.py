import pytest

from fleet.history.change import change, head_number
from fleet.models import Cluster, Component, Profile
from fleet.services.clusters import cluster_decommission, cluster_freeze
from tests.admin.forms import page_queries, url
from tests.admin.growing import grow
from tests.factories import assign, make_namespace, patch, unset

pytestmark = pytest.mark.usefixtures("small_fleet")


def text_of(client, cluster: str = "c1") -> str:
    """The page without the space between its parts."""
    page = client.get(url(Cluster, "effective", cluster))
    assert page.status_code == 200
    return " ".join(page.text.split())


@pytest.fixture
def podinfo(small_fleet) -> Component:
    return Component.objects.get(id="podinfo")


def test_each_value_has_a_link_to_the_layer_that_gave_it(admin_client):
    text = text_of(admin_client)
    own = url(Cluster, "change", "c1")
    assert (
        "<dt>ui.color</dt> <dd> "
        '<div class="said"><code>&quot;red&quot;</code>'
        f'<a class="origin origin-cluster" href="{own}#patches">this cluster</a></div>'
    ) in text
    catalog = url(Component, "change", "podinfo")
    assert (
        f'<code>1</code><a class="origin origin-catalog" href="{catalog}#patches">catalog</a>'
    ) in text
    profile = url(Profile, "change", "p1")
    assert f'<a class="origin origin-profile" href="{profile}#components">profile p1</a>' in text


def test_what_is_overridden_is_struck_through(admin_client, podinfo):
    patch(Cluster.objects.get(), podinfo, "replicaCount", 3)
    assert (
        '<div class="said overridden"><del><code>1</code></del><a class="origin origin-catalog"'
    ) in text_of(admin_client)


def test_an_unset_value(admin_client, podinfo):
    unset(Cluster.objects.get(), podinfo, "replicaCount")
    text = text_of(admin_client)
    assert '<div class="said"><em>unset</em><a class="origin origin-cluster"' in text
    assert "<del><code>1</code></del>" in text


def test_a_component_that_is_switched_off(admin_client, podinfo):
    assert "switched off" not in text_of(admin_client)
    Cluster.objects.get().components.update(enabled=False)
    assert "switched off" in text_of(admin_client)


def test_namespaces_and_rolebindings_tell_who_assigns_them(admin_client):
    assign(Profile.objects.get(), make_namespace(id="shop"))
    text = text_of(admin_client)
    assert 'id="namespace-shop"' in text
    assert f'href="{url(Profile, "change", "p1")}#namespaces">profile p1</a>' in text
    assert "<dt>label team</dt><dd><code>web</code></dd>" in text
    assert f'href="{url(Cluster, "change", "c1")}#rolebindings">this cluster</a>' in text


def test_a_value_is_text_and_not_markup(admin_client, podinfo):
    patch(Cluster.objects.get(), podinfo, "title", "<script>alert(1)</script>")
    assert "<script>alert" not in text_of(admin_client)


def test_a_cluster_without_anything(admin_client):
    with change():
        Cluster.objects.create(id="bare", name="bare", dns="bare", environment_id="prod")
    assert "No layer assigns a component" in text_of(admin_client, "bare")


def test_its_state_is_told(admin_client):
    assert "is frozen" not in text_of(admin_client)
    cluster_freeze(cluster="c1")
    assert "This cluster is frozen." in text_of(admin_client)
    cluster_decommission(cluster="c1")
    assert "it gets nothing" in text_of(admin_client)


@pytest.mark.parametrize("page", ["effective", "flux", "history", "change"])
def test_every_tab_leads_to_all_tabs(admin_client, page):
    text = admin_client.get(url(Cluster, page, "c1")).text
    for name in ("effective", "change", "flux", "history"):
        current = ' aria-current="page"' if name == page else ""
        assert f'<a href="{url(Cluster, name, "c1")}"{current}>' in text


def test_a_new_cluster_has_no_tabs_yet(admin_client):
    assert "cluster-tabs" not in admin_client.get(url(Cluster, "add")).text


@pytest.mark.parametrize("page", ["effective", "flux"])
def test_its_buttons_are_on_every_tab(admin_client, page):
    response = admin_client.get(url(Cluster, page, "c1"))
    titles = [button["title"] for button in response.context["actions_detail"]]
    assert titles == ["Clone", "Freeze", "Decommission"]


@pytest.mark.parametrize("page", ["effective", "flux"])
def test_a_viewer_sees_it_without_buttons(viewer_client, page):
    response = viewer_client.get(url(Cluster, page, "c1"))
    assert response.status_code == 200
    assert response.context["actions_detail"] == []


@pytest.mark.parametrize("page", ["effective", "flux"])
def test_an_unknown_cluster_leads_home(admin_client, page):
    response = admin_client.get(url(Cluster, page, "nothing"), follow=True)
    assert "doesn’t exist" in response.text


@pytest.mark.parametrize(("page", "budget"), [("effective", 24), ("flux", 24)])
def test_the_number_of_queries_is_fixed(admin_client, page, budget):
    address = url(Cluster, page, "x00")
    grow(0, 1)
    page_queries(admin_client, address)
    few, before = page_queries(admin_client, address), head_number()
    grow(1, 30)
    assert head_number() == before + 1
    assert page_queries(admin_client, address) == few <= budget
