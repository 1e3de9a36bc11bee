"""What a form is told of a row that is being typed. Nothing of it is saved."""

from typing import Any

import pytest

from fleet.history.change import change, head_number
from fleet.models import Cluster, ClusterPatch, Component, ComponentPatch, Profile
from tests.admin.forms import url
from tests.admin.people import logged_in
from tests.factories import assign, make_cluster, make_component, make_profile, patch

SCHEMA = {
    "type": "object",
    "required": ["ui"],
    "properties": {
        "replicaCount": {"type": "integer", "maximum": 20},
        "ui": {"type": "object", "properties": {"color": {"type": "string"}}},
    },
}


@pytest.fixture(autouse=True)
def schema(small_fleet: None) -> None:
    with change():
        Component.objects.filter(pk="podinfo").update(values_schema=SCHEMA)


def ask(client, model: Any = Cluster, **row: Any) -> dict[str, Any]:
    owners = {Cluster: "c1", Profile: "p1", Component: "podinfo"}
    asked = {"owner": owners[model], "component": "podinfo", "truth": "true", **row}
    before = head_number()
    answer = client.post(url(model, "patch"), asked)
    assert answer.status_code == 200, answer.text
    assert head_number() == before
    return answer.json()


@pytest.mark.parametrize(
    ("row", "key", "value"),
    [
        ({}, "", ""),
        ({"key": "replicaCount"}, "", ""),
        ({"key": "replicaCount", "kind": "number", "text": "3"}, "", ""),
        ({"key": "replicaCount", "kind": "number", "text": "x"}, "", "must be a number"),
        ({"key": "replicaCount", "kind": "number", "text": "50"}, "", "the maximum of 20"),
        ({"key": "replicaCount", "kind": "text", "text": "3"}, "", "not of type 'integer'"),
        ({"key": "replicaCount", "kind": "unset"}, "", ""),
        ({"key": "replicaCount", "kind": "", "text": "3"}, "", "needs its kind"),
        ({"key": "a..b", "kind": "number", "text": "3"}, "empty part", ""),
        ({"key": "a[0]", "kind": "number", "text": "x"}, "lists are replaced", "must be a number"),
        ({"key": "ui.color", "kind": "text"}, "has two patches", ""),
        ({"key": "ui", "kind": "text", "text": "x"}, "in the way of ui.color", ""),
        ({"key": "ui.color.x", "kind": "text", "text": "x"}, "leads through ui.color", ""),
        ({"key": "ui.color.x", "kind": "unset"}, "", ""),
        ({"key": "ui", "kind": "object", "text": '{"x": 1}'}, "", ""),
        ({"key": "ui", "kind": "object", "text": '{"color": 1}'}, "has two patches", ""),
        ({"key": "x", "kind": "object", "text": '{"": 1}'}, "", "empty part"),
        ({"key": "x", "kind": "text", "other": ["x"]}, "has two patches", ""),
        ({"key": "x", "kind": "text", "other": ["a..b", "y"]}, "", ""),
        ({"key": "x\x00", "kind": "text", "component": "\x00"}, "NUL", ""),
        ({"key": "a..b", "component": "no-such"}, "empty part", ""),
    ],
)
def test_what_is_wrong_with_a_row(admin_client, row, key, value):
    problems = ask(admin_client, **row)["problems"]
    assert (key in problems["key"], value in problems["value"]) == (True, True)
    assert (bool(problems["key"]), bool(problems["value"])) == (bool(key), bool(value))


def test_a_row_does_not_stand_in_its_own_way(admin_client):
    row = ClusterPatch.objects.get()
    told = ask(admin_client, id=row.pk, here=[row.pk], key="ui.color", kind="number", text="1")
    assert told["problems"]["key"] == ""
    assert "not of type 'string'" in told["problems"]["value"]


def test_a_row_of_this_page_counts_as_it_is_typed_not_as_it_is_stored(admin_client):
    row = ClusterPatch.objects.get()
    told = ask(
        admin_client, here=[row.pk], other=["renamed"], key="ui.color", kind="text", text="x"
    )
    assert told["problems"] == {"key": "", "value": ""}


@pytest.mark.parametrize(
    ("model", "inherited"),
    [
        (Cluster, "inherited: 2 from profile gold"),
        (Profile, "inherited: 1 from the catalog"),
        (Component, ""),
    ],
)
def test_what_a_row_inherits(admin_client, model, inherited):
    with change():
        gold = make_profile(id="gold", labels={"tier": "gold"})
        patch(gold, Component.objects.get(id="podinfo"), "replicaCount", 2)
    assert ask(admin_client, model, key="replicaCount")["inherited"] == inherited


def test_a_new_cluster_inherits_by_what_is_typed_of_it(admin_client):
    with change():
        gold = make_profile(id="gold", labels={"tier": "gold"}, environments=["prod"])
        patch(gold, Component.objects.get(id="podinfo"), "replicaCount", 2)

    def told(environment: str, labels: str) -> str:
        typed = {"owner": "", "environment": environment, "labels": labels}
        return ask(admin_client, **typed, key="replicaCount")["inherited"]

    assert told("prod", '{"tier": "gold"}') == "inherited: 2 from profile gold"
    assert told("dev", '{"tier": "gold"}') == "inherited: 1 from the catalog"
    assert told("prod", "{") == "inherited: 1 from the catalog"


@pytest.mark.parametrize("model", [Profile, Component])
def test_a_lower_layer_need_not_have_all_that_the_schema_wants(admin_client, model):
    row = {"id": ComponentPatch.objects.get().pk, "key": "replicaCount", "kind": "number"}
    assert ask(admin_client, model, **row, text="5")["problems"]["value"] == ""
    assert "maximum of 20" in ask(admin_client, model, **row, text="50")["problems"]["value"]


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("replicaCount", "number"),
        ("ui.color", "text"),
        ("ui", "object"),
        ("size", "list"),
        ("x", ""),
    ],
)
def test_the_kind_that_is_likely_is_told(admin_client, key, kind):
    with change():
        podinfo = Component.objects.get(id="podinfo")
        patch(podinfo, podinfo, "size", [1])
    assert ask(admin_client, key=key)["kind"] == kind


def test_the_keys_to_choose_from_are_those_of_the_schema_and_of_all_layers(admin_client):
    with change():
        podinfo = Component.objects.get(id="podinfo")
        patch(make_profile(), podinfo, "of.a.profile", 1)
        patch(make_cluster(), podinfo, "of.another.cluster", 1)
        patch(make_cluster(), make_component(), "of.another.component", 1)
    assert ask(admin_client, suggest="on")["keys"] == [
        "of.a.profile",
        "of.another.cluster",
        "replicaCount",
        "ui.color",
    ]
    assert ask(admin_client)["keys"] == []


def test_there_are_no_more_than_a_hundred_of_them(admin_client):
    with change():
        for number in range(120):
            patch(Cluster.objects.get(), Component.objects.get(id="podinfo"), f"k{number}", 1)
    assert len(ask(admin_client, suggest="on")["keys"]) == 100


def test_what_an_assignment_inherits(admin_client):
    with change():
        gold = make_profile(labels={"tier": "gold"}, id="gold")
        assign(gold, Component.objects.get(id="podinfo"), oci_tag="v9", enabled=False)
    told = ask(admin_client)
    assert told["enabled"] == "Inherit (no)"
    assert told["fields"] == {
        "component_version": "1.0.0 from the catalog",
        "component_path": "charts/podinfo from the catalog",
        "oci_tag": "v9 from profile gold",
    }


def test_who_may_not_see_clusters_is_not_told():
    assert logged_in().post(url(Cluster, "patch"), {}).status_code == 403
    assert logged_in("viewers").post(url(Cluster, "patch"), {}).status_code == 200


def test_the_number_of_queries_is_fixed(admin_client, django_assert_num_queries):
    ask(admin_client)
    row = {"owner": "c1", "component": "podinfo", "key": "x", "kind": "text", "suggest": "on"}
    with django_assert_num_queries(15):
        admin_client.post(url(Cluster, "patch"), row)
    with change():
        for number in range(50):
            patch(Cluster.objects.get(), Component.objects.get(id="podinfo"), f"k{number}", 1)
            make_profile(id=f"p-{number}")
    with django_assert_num_queries(15):
        admin_client.post(url(Cluster, "patch"), row)
