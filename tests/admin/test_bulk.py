"""One act on many clusters: the chosen ones, or all that the filter matches."""

from typing import Any

import pytest
from django.contrib.auth.models import Group

from fleet.history.change import change, head_number
from fleet.models import Cluster, ClusterComponent, ClusterPatch, Component, Revision
from tests.admin.forms import go_on, is_preview, told, url
from tests.factories import assign, make_cluster

LIST = url(Cluster, "changelist")


@pytest.fixture(autouse=True)
def clusters(small_fleet: None) -> None:
    """c1 to c3 in dev, p1 in prod; all but p1 run podinfo."""
    with change():
        for name in ("c2", "c3"):
            assign(make_cluster(id=name), Component.objects.get(id="podinfo"))
        make_cluster(id="p1", environment="prod")


def ask(client, action: str, ids: tuple[str, ...], query: str = "", **form: Any):
    data = {"action": action, "_selected_action": ids, **form}
    return client.post(LIST + query, data)


def run(client, action: str, ids: tuple[str, ...] = ("c2", "c3"), query: str = "", **form: Any):
    response = ask(client, action, ids, query, _bulk="1", **form)
    return go_on(client, response)


def test_it_asks_what_to_do(admin_client):
    page = ask(admin_client, "assign", ("c2", "c3"))
    assert "Assign a component: 2 clusters" in page.text
    assert "c2, c3" in page.text


def test_it_is_shown_before_it_is_done(admin_client):
    before = head_number()
    page = ask(admin_client, "pin", ("c2", "c3"), component="podinfo", version="9.9.9", _bulk="1")
    assert is_preview(page)
    assert "<strong>2 clusters</strong>" in page.text
    assert head_number() == before


def test_it_is_one_revision_with_a_reason(admin_client):
    before = head_number()
    response = run(admin_client, "pin", component="podinfo", version="9.9.9")
    assert "2 clusters" in told(admin_client.get(response["Location"]))
    assert head_number() == before + 1
    reason = Revision.objects.latest("number").reason
    assert reason == "Pin the version of a component on many clusters"


def test_assigning(admin_client):
    run(admin_client, "assign", ("c2", "p1"), component="traefik")
    owners = ClusterComponent.objects.filter(component_id="traefik")
    assert {"c2", "p1"} <= set(owners.values_list("cluster_id", flat=True))


def test_removing(admin_client):
    run(admin_client, "unassign", ("c2", "c3"), component="podinfo")
    owners = ClusterComponent.objects.filter(component_id="podinfo")
    assert set(owners.values_list("cluster_id", flat=True)) == {"c1"}


def test_pinning_gives_a_component_to_nobody(admin_client):
    run(admin_client, "pin", ("c2", "c3", "p1"), component="podinfo", version="9.9.9")
    pinned = ClusterComponent.objects.filter(component_version="9.9.9")
    assert set(pinned.values_list("cluster_id", flat=True)) == {"c2", "c3"}


def test_a_patch_is_set_and_dropped(admin_client):
    run(admin_client, "set_patch", component="podinfo", key="replicaCount", value="3")
    patches = ClusterPatch.objects.filter(key="replicaCount")
    assert set(patches.values_list("cluster_id", "value")) == {("c2", "3"), ("c3", "3")}
    run(admin_client, "drop_patch", component="podinfo", key="replicaCount")
    assert not patches.exists()


def test_a_label_is_set_and_removed(admin_client):
    run(admin_client, "label", key="tier", value="gold")
    assert Cluster.objects.get(pk="c2").labels["tier"] == "gold"
    run(admin_client, "label", key="tier", remove="on")
    assert "tier" not in Cluster.objects.get(pk="c2").labels


def test_moving(admin_client):
    run(admin_client, "move", environment="prod")
    assert Cluster.objects.filter(environment_id="prod").count() == 3


def test_freezing_and_decommissioning(admin_client):
    run(admin_client, "freeze_chosen")
    assert Cluster.objects.filter(state="frozen").count() == 2
    run(admin_client, "decommission_chosen")
    assert Cluster.objects.filter(state="decommissioned").count() == 2


def test_all_that_the_filter_matches(admin_client):
    query = "?environment__id__exact=dev"
    page = admin_client.get(LIST + query)
    assert page.status_code == 200
    run(admin_client, "label", ("c1",), query, key="tier", value="gold", select_across="1")
    chosen = Cluster.objects.filter(labels__tier="gold")
    assert set(chosen.values_list("pk", flat=True)) == {"c1", "c2", "c3"}


@pytest.mark.parametrize(
    ("action", "form", "message"),
    [
        ("assign", {"component": "no-such"}, "Select a valid choice"),
        ("assign", {}, "This field is required"),
        ("pin", {"component": "podinfo", "version": ""}, "This field is required"),
        ("label", {"key": "", "value": "x"}, "This field is required"),
        ("move", {"environment": "no-such"}, "Select a valid choice"),
    ],
)
def test_a_mistake_is_shown_at_its_field(admin_client, action, form, message):
    before = head_number()
    page = ask(admin_client, action, ("c2",), _bulk="1", **form)
    assert message in page.text
    assert head_number() == before


@pytest.mark.parametrize(
    ("action", "form", "message"),
    [
        ("label", {"key": "not a key", "value": "x"}, "not a key"),
        ("set_patch", {"component": "podinfo", "key": "a..b", "value": "1"}, "empty part"),
    ],
)
def test_what_the_fleet_refuses_is_told(admin_client, action, form, message):
    before = head_number()
    response = run(admin_client, action, **form)
    assert message in told(admin_client.get(response["Location"]))
    assert head_number() == before


def test_a_viewer_is_offered_nothing(client, django_user_model):
    eve = django_user_model.objects.create(username="eve", is_staff=True)
    eve.groups.set(Group.objects.filter(name="viewers"))
    client.force_login(eve)
    page = client.get(LIST)
    assert page.status_code == 200
    assert 'name="action"' not in page.text
    before = head_number()
    ask(client, "label", ("c2",), key="tier", value="gold", _bulk="1")
    assert head_number() == before
