from typing import Any

import pytest

from fleet import models
from fleet.history.change import head_number
from fleet.resources.showing import documents_of
from fleet.services.clusters import cluster_freeze
from fleet.services.objects import (
    clusters_patch,
    object_create,
    object_delete,
    object_get,
    object_patch,
    object_update,
)
from tests.services.fleets import SMALL, nothing_changes
from tests.undo.acts import NEW_CLUSTER

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fleet")]


def read(section: str, item_id: str) -> dict[str, Any]:
    [document] = documents_of(section, [item_id])
    return document


def put(item_id: str, **document: Any) -> dict[str, Any]:
    """What the cluster is after an update."""
    object_update(section="clusters", id=item_id, document=document)
    return read("clusters", item_id)


def values_of(cluster_id: str) -> dict[str, str]:
    rows = models.ClusterPatch.objects.filter(cluster_id=cluster_id, unset=False)
    return dict(rows.values_list("key", "value"))


NEW: dict[str, dict[str, Any]] = {
    "environments": {"id": "stage", "rank": 4},
    "namespaces": {"id": "fresh", "labels": {"a": "b"}, "annotations": {"c": "d"}},
    "rolebindings": {
        "id": "fresh",
        "role": "edit",
        "subjects": [
            {"kind": "Group", "name": "team", "apiGroup": "rbac.authorization.k8s.io"},
            {"kind": "ServiceAccount", "name": "bot", "namespace": "apps", "apiGroup": ""},
        ],
    },
    "platform_components": {
        "id": "fresh",
        "kind": "kustomize",
        "component_path": "deploy",
        "component_version": "1.2.3",
        "cluster_env_enabled": True,
        "oci_url": "oci://registry.example.com/fresh",
        "oci_tag": "v1",
        "depends_on": ["base", "web"],
        "values": {"a": {"b": [1, None, {"c": True}]}},
        "values_schema": {"type": "object"},
    },
    "profiles": {
        "id": "fresh",
        "weight": 7,
        "environments": ["dev", "prod"],
        "labels": {"tier": "gold"},
        "clusters": ["one", "two"],
        "namespaces": [{"id": "apps"}],
        "rolebindings": [{"id": "readers"}],
        "unset": {"web": ["ui.color"]},
    },
    "clusters": NEW_CLUSTER
    | {
        "platform_components": [
            {
                "id": "extra",
                "enabled": False,
                "oci_tag": None,
                "component_path": None,
                "component_version": "9",
            }
        ],
        "namespaces": [{"id": "apps"}],
        "rolebindings": [{"id": "readers"}],
    },
}


@pytest.mark.parametrize(("section", "document"), NEW.items(), ids=NEW)
def test_a_new_object_has_what_its_document_says(section, document):
    object_create(section=section, document=document)
    found = read(section, document["id"])
    assert {name: found[name] for name in document} == document


def test_a_new_object_is_given_back():
    assert object_create(section="namespaces", document={"id": "fresh"}).labels == {}


def test_a_new_object_is_one_revision():
    before = head_number()
    object_create(section="clusters", document=NEW_CLUSTER)
    assert head_number() == before + 1


def test_what_is_not_given_has_its_default():
    document = {"id": "fresh", "component_path": "x", "oci_url": "oci://example.com/x"}
    created = object_create(section="platform_components", document=document)
    assert (created.kind, created.component_version, created.oci_tag) == (
        "helm",
        "latest",
        "latest",
    )


def test_an_assignment_may_be_a_bare_id():
    found = put("three", platform_components=["web"], namespaces=["apps"])
    assert [item["id"] for item in found["platform_components"]] == ["web"]
    assert found["namespaces"] == [{"id": "apps"}]


def test_a_dns_name_is_kept_in_lower_case():
    assert put("one", cluster_dns="UNO.Example.com")["cluster_dns"] == "uno.example.com"


def test_the_fields_that_are_named_are_replaced_and_the_others_stay():
    before = read("clusters", "one")
    after = put("one", labels={"new": "label"}, namespaces=[])
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"labels", "namespaces"}
    assert after["labels"] == {"new": "label"}


def test_a_list_of_components_is_replaced_with_all_its_overrides():
    put("one", platform_components=[{"id": "web", "oci_tag": "v9"}])
    [web] = models.ClusterComponent.objects.filter(cluster_id="one")
    assert (web.oci_tag, web.component_version) == ("v9", "")


def test_values_are_replaced_and_unset_keys_stay():
    put("one", unset={"base": ["debug"]})
    found = put("one", patches={"base": {"level": "2"}})
    assert found["unset"] == {"base": ["debug"]}
    assert values_of("one") == {"level": "2"}


def test_a_key_that_is_unset_loses_its_value():
    found = put("one", unset={"web": ["ui.message"]})
    assert found["unset"] == {"web": ["ui.message"]}
    assert values_of("one") == {}


def test_a_key_that_gets_a_value_is_no_longer_unset():
    put("one", unset={"web": ["x"]})
    assert put("one", patches={"web": {"x": "1"}})["unset"] == {}


def test_null_is_the_default():
    put("one", node_count=3, vm_image="debian", labels={"a": "b"})
    found = put("one", node_count=None, vm_image=None, labels=None, namespaces=None)
    assert (found["node_count"], found["vm_image"], found["labels"]) == (None, "", {})
    assert found["namespaces"] == []


def test_null_takes_a_profile_off_its_list_and_an_empty_list_selects_nobody():
    object_update(section="profiles", id="picked", document={"clusters": None})
    assert read("profiles", "picked")["clusters"] is None
    object_update(section="profiles", id="picked", document={"clusters": []})
    assert read("profiles", "picked")["clusters"] == []


def test_null_drops_a_schema():
    object_update(
        section="platform_components", id="web", document={"values_schema": {"type": "object"}}
    )
    object_update(section="platform_components", id="web", document={"values_schema": None})
    assert object_get(section="platform_components", id="web").values_schema is None


TYPED = {
    "3": "3",
    "-7": "-7",
    "true": "true",
    "null": "null",
    "03": '"03"',
    "1.5": '"1.5"',
    "#2f855a": '"#2f855a"',
    "": '""',
    '€, "quoted"': '"€, \\"quoted\\""',
}


@pytest.mark.parametrize(("text", "value"), TYPED.items(), ids=repr)
def test_text_is_typed_as_helm_types_it(text, value):
    put("three", patches={"base": {"a": text}})
    assert values_of("three") == {"a": value}


def test_values_are_taken_as_they_are():
    put("three", values={"base": {"a": "3", "b": {"c": [1, "2"], "d": {}}, "e": None}})
    expected = {"a": '"3"', "b.c": '[1,"2"]', "b.d": "{}", "e": "null"}
    assert values_of("three") == expected


def test_text_that_comes_back_as_it_was_read_keeps_its_type():
    put("three", values={"base": {"a": "3"}})
    with nothing_changes():
        put("three", patches={"base": {"a": "3"}})
    assert values_of("three") == {"a": '"3"'}


@pytest.mark.parametrize("section", [*NEW])
def test_a_document_that_comes_back_as_it_was_read_changes_nothing(section):
    object_create(section=section, document=NEW[section])
    found = read(section, NEW[section]["id"])
    with nothing_changes():
        object_update(section=section, id=found["id"], document=found)


def test_a_frozen_cluster_that_comes_back_as_it_was_read_changes_nothing():
    cluster_freeze(cluster="one")
    found = read("clusters", "one")
    assert found["state"] == "frozen"
    with nothing_changes():
        put("one", **found)


def test_an_update_of_nothing_changes_nothing():
    with nothing_changes():
        put("one")


def test_a_merge_patch_changes_what_it_names_at_every_depth():
    object_patch(
        section="clusters",
        id="one",
        patch={"labels": {"new": "label"}, "patches": {"web": {"replicas": "5"}}},
    )
    assert read("clusters", "one")["labels"] == {"new": "label", "tier": "gold"}
    assert values_of("one") == {"replicas": "5", "ui.message": '"hello"'}


def test_a_merge_patch_removes_by_null():
    object_patch(
        section="clusters",
        id="one",
        patch={"labels": {"tier": None}, "patches": {"web": {"ui.message": None}}},
    )
    assert read("clusters", "one")["labels"] == {}
    assert values_of("one") == {}


def test_many_clusters_are_patched_in_one_revision():
    before = head_number()
    clusters_patch(ids=["one", "two"], patch={"labels": {"wave": "first"}})
    assert head_number() == before + 1
    assert [read("clusters", item)["labels"] for item in ("one", "two", "three")] == [
        {"tier": "gold", "wave": "first"},
        {"wave": "first"},
        {},
    ]


@pytest.mark.parametrize(
    ("section", "item_id"),
    [
        ("namespaces", "spare"),
        ("platform_components", "extra"),
        ("profiles", "gold"),
        ("profiles", "picked"),
        ("environments", "uat"),
    ],
)
def test_what_nobody_uses_can_be_deleted(section, item_id):
    object_delete(section=section, id=item_id)
    assert documents_of(section, [item_id]) == []


def test_a_component_goes_with_its_own_dependencies_and_values():
    document = {"depends_on": ["base"], "patches": {"a": "1"}}
    object_update(section="platform_components", id="extra", document=document)
    object_delete(section="platform_components", id="extra")
    assert not models.ComponentPatch.objects.filter(component_id="extra").exists()


def test_an_object_is_found():
    assert object_get(section="clusters", id="one").dns == SMALL["clusters"][0]["cluster_dns"]
