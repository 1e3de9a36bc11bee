import pytest

from fleet.history.change import head_number
from fleet.models import (
    Cluster,
    ClusterComponent,
    ClusterNamespace,
    ClusterPatch,
    ClusterRoleBinding,
    FrozenAnswers,
    Revision,
)
from fleet.services.clusters import cluster_decommission, cluster_freeze
from tests.admin.forms import add_patch, add_row, errors, go_on, open_form, save, told, url
from tests.factories import assign, make_cluster, make_namespace

pytestmark = pytest.mark.usefixtures("small_fleet")


def patches(cluster: str = "c1") -> dict[tuple[str, str], str]:
    rows = ClusterPatch.objects.filter(cluster_id=cluster)
    return {(row.component_id, row.key): row.value for row in rows}


def new_cluster(**fields: str) -> dict[str, str]:
    data = open_form(Cluster)
    data |= {"id": "c2", "name": "c2", "dns": "c2.example.com", "environment": "prod"}
    return data | fields


def test_adding_one_with_all_its_rows_is_one_revision(admin_client, admin_user):
    data = new_cluster(dns="C2.Example.COM", labels='{"tier": "silver"}')
    add_row(data, "components", component="podinfo", enabled="false")
    add_row(data, "components", component="traefik", enabled="unknown")
    add_patch(data, "a.b", "list", "[1,  2]")
    add_patch(data, "ui", "unset")
    add_row(data, "namespaces", namespace="apps")
    add_row(data, "rolebindings", rolebinding="viewers")
    before = head_number()

    response = admin_client.post(url(Cluster, "add"), data, follow=True)

    assert "c2" in told(response)
    assert head_number() == before + 1
    revision = Revision.objects.get(number=before + 1)
    assert (revision.actor, revision.actor_kind) == (admin_user.username, "user")
    assert (revision.source, revision.reason) == ("admin", "Add cluster c2")
    cluster = Cluster.objects.get(id="c2")
    assert cluster.dns == "c2.example.com"
    assert cluster.labels == {"tier": "silver"}
    assert cluster.state == Cluster.State.ACTIVE
    rows = ClusterComponent.objects.filter(cluster_id="c2")
    assert {row.component_id: row.enabled for row in rows} == {"podinfo": False, "traefik": None}
    assert patches("c2") == {("podinfo", "a.b"): "[1,2]", ("podinfo", "ui"): ""}
    assert ClusterNamespace.objects.filter(cluster_id="c2").count() == 1
    assert ClusterRoleBinding.objects.filter(cluster_id="c2").count() == 1
    assert ClusterPatch.history.filter(revision_id=revision.number).count() == 2


def test_saving_without_an_edit_makes_no_revision(admin_client):
    before = head_number()
    response = save(admin_client, Cluster, "c1", open_form(Cluster, "c1"))
    assert response.status_code == 302
    assert head_number() == before


def test_the_id_of_an_existing_one_cannot_be_edited(admin_client):
    data = open_form(Cluster, "c1")
    assert "id" not in data
    save(admin_client, Cluster, "c1", {**data, "id": "other", "state": "frozen"})
    assert list(Cluster.objects.values_list("id", "state")) == [("c1", "active")]


def test_editing_the_value_of_a_patch_keeps_its_row(admin_client):
    row = ClusterPatch.objects.get()
    data = open_form(Cluster, "c1") | {"patches-0-value_text": "blue"}
    assert save(admin_client, Cluster, "c1", data).status_code == 302
    row.refresh_from_db()
    assert row.value == '"blue"'
    assert [past.history_type for past in row.history.all()] == ["~", "+"]


def test_editing_the_key_of_a_patch_makes_another_row(admin_client):
    old = ClusterPatch.objects.get()
    before = head_number()
    data = open_form(Cluster, "c1") | {"patches-0-key": "ui.message"}
    assert save(admin_client, Cluster, "c1", data).status_code == 302
    assert patches() == {("podinfo", "ui.message"): '"red"'}
    assert ClusterPatch.objects.get().pk != old.pk
    assert head_number() == before + 1


def test_two_patches_can_swap_their_keys(admin_client):
    ClusterPatch.objects.create(cluster_id="c1", component_id="podinfo", key="b", value="2")
    data = open_form(Cluster, "c1")
    data["patches-0-key"], data["patches-1-key"] = data["patches-1-key"], data["patches-0-key"]
    assert save(admin_client, Cluster, "c1", data).status_code == 302
    assert patches() == {("podinfo", "b"): '"red"', ("podinfo", "ui.color"): "2"}


def test_a_new_patch_can_take_the_place_of_a_deleted_one(admin_client):
    data = open_form(Cluster, "c1") | {"patches-0-DELETE": "on"}
    add_patch(data, "ui.color", "text", "green")
    assert save(admin_client, Cluster, "c1", data).status_code == 302
    assert patches() == {("podinfo", "ui.color"): '"green"'}


def test_a_component_can_be_exchanged(admin_client):
    data = open_form(Cluster, "c1") | {"components-0-component": "traefik"}
    assert save(admin_client, Cluster, "c1", data).status_code == 302
    assert ClusterComponent.objects.get(cluster_id="c1").component_id == "traefik"


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"id": "C2"}, "DNS-1123"),
        ({"id": "c1"}, "already exists"),
        ({"dns": "C1.k8s.example.com"}, "already exists"),
        ({"dns": "c_2"}, "DNS name"),
        ({"environment": "moon"}, "not one of the available"),
        ({"labels": '{"tier": 1}'}, "must be text"),
        ({"labels": "{"}, "Enter a valid JSON"),
        ({"labels": "[" * 9_999}, "Enter a valid JSON"),
        ({"labels": "1" * 9_999}, "Enter a valid JSON"),
        ({"labels": r'{"tier": "\ud800"}'}, "not a label value"),
    ],
)
def test_a_wrong_field_is_refused(admin_client, fields, error):
    before = head_number()
    response = save(admin_client, Cluster, None, new_cluster(**fields))
    assert error in errors(response)
    assert head_number() == before


@pytest.mark.parametrize("empty", ["", "{}", "[]", "null", '""'])
def test_empty_labels_are_an_empty_object(admin_client, empty):
    data = open_form(Cluster, "c1") | {"labels": empty}
    assert save(admin_client, Cluster, "c1", data).status_code == 302
    assert Cluster.objects.get().labels == {}


def test_a_row_that_someone_else_added_meanwhile_is_no_crash(admin_client):
    data = open_form(Cluster, "c1") | {"name": "renamed"}
    add_row(data, "namespaces", namespace="shop")
    assign(Cluster.objects.get(), make_namespace(id="shop"))
    response = save(admin_client, Cluster, "c1", data)
    assert "someone else" in errors(response)
    assert Cluster.objects.get().name == "c1"


def test_a_row_that_someone_else_deleted_meanwhile_is_no_crash(admin_client):
    data = open_form(Cluster, "c1") | {"patches-0-value": "1"}
    ClusterPatch.objects.all().delete()
    response = save(admin_client, Cluster, "c1", data)
    assert "not one of the available choices" in errors(response)
    assert patches() == {}


ACTS = [
    ("freeze", "frozen"),
    ("decommission", "decommissioned"),
]


@pytest.mark.parametrize(("act", "state"), ACTS)
def test_an_act_asks_first(admin_client, act, state):
    page = url(Cluster, act, "c1")
    asked = admin_client.get(page)
    assert f"{act.capitalize()} cluster c1?" in asked.text
    assert Cluster.objects.get().state == Cluster.State.ACTIVE

    response = go_on(admin_client, asked)

    assert f"c1 is now {state}." in told(admin_client.get(response["Location"]))
    assert Cluster.objects.get().state == state
    assert Revision.objects.latest("number").reason == f"{act.capitalize()} cluster c1"
    assert Revision.objects.latest("number").source == "admin"


def test_an_act_that_does_not_fit_the_state_is_refused(admin_client):
    page = url(Cluster, "unfreeze", "c1")
    response = admin_client.post(page, {"_form_submitted": "on"}, follow=True)
    assert "only a frozen cluster can be unfrozen" in told(response)


def test_only_fitting_acts_are_offered(admin_client):
    def offered() -> list[str]:
        response = admin_client.get(url(Cluster, "change", "c1"))
        return [button["title"] for button in response.context["actions_detail"]]

    assert offered() == ["Clone", "Freeze", "Decommission"]
    cluster_freeze(cluster="c1")
    assert offered() == ["Clone", "Unfreeze", "Decommission"]
    cluster_decommission(cluster="c1")
    assert offered() == ["Clone", "Recommission"]


def test_a_frozen_cluster_shows_its_answers_and_keeps_them(admin_client):
    cluster_freeze(cluster="c1")
    kept = FrozenAnswers.objects.get().answers
    assert "platform-components" in admin_client.get(url(Cluster, "change", "c1")).text
    data = open_form(Cluster, "c1") | {"patches-0-value_text": "blue"}
    assert save(admin_client, Cluster, "c1", data).status_code == 302
    assert FrozenAnswers.objects.get().answers == kept


def test_only_a_decommissioned_cluster_can_be_deleted(admin_client):
    page = url(Cluster, "delete", "c1")
    response = admin_client.post(page, {"post": "yes"}, follow=True)
    assert "only a decommissioned or waiting cluster can be purged" in told(response)
    assert "deleted" not in told(response)
    cluster_decommission(cluster="c1")
    before = head_number()
    assert go_on(admin_client, admin_client.post(page, {"post": "yes"})).status_code == 302
    assert not Cluster.objects.exists()
    assert head_number() == before + 1


def test_bulk_deletion_is_all_or_nothing(admin_client):
    make_cluster(id="c2")
    cluster_decommission(cluster="c1")
    data = {"action": "delete_selected", "_selected_action": ["c1", "c2"], "post": "yes"}
    response = admin_client.post(url(Cluster, "changelist"), data, follow=True)
    assert "c2 is active" in told(response)
    assert Cluster.objects.count() == 2

    cluster_decommission(cluster="c2")
    before = head_number()
    go_on(admin_client, admin_client.post(url(Cluster, "changelist"), data))
    assert not Cluster.objects.exists()
    assert head_number() == before + 1


def test_search_finds_labels(admin_client):
    make_cluster(id="c2", labels={"region": "eu-west"})
    response = admin_client.get(url(Cluster, "changelist"), {"q": "EU-WEST"})
    assert [cluster.id for cluster in response.context["cl"].result_list] == ["c2"]
