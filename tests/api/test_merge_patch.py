"""PATCH is JSON Merge Patch at every depth: null removes, lists are replaced, the rest stays."""

import json
from typing import Any

import pytest

from tests.api.conftest import Api
from tests.services.fleets import nothing_changes

DEEP: dict[str, Any] = {
    "a": {"b": {"c": 1, "d": [1, {"e": 2}]}},
    "flag": True,
    "n": 1,
    "x": None,
    "empty": {},
}


@pytest.fixture
def deep(api: Api) -> Api:
    """c-2 with one of each kind of value."""
    assert api.put("/clusters/c-2", {"values": {"podinfo": DEEP}}).status_code == 200
    return api


# What is patched in the values of podinfo, and what then is there.
VALUES: dict[str, tuple[Any, Any]] = {
    "a leaf": ({"a": {"b": {"c": 2}}}, {**DEEP, "a": {"b": {"c": 2, "d": [1, {"e": 2}]}}}),
    "a new leaf": ({"a": {"z": 1}}, {**DEEP, "a": {"b": DEEP["a"]["b"], "z": 1}}),
    "a new branch": ({"p": {"q": {"r": 1}}}, {**DEEP, "p": {"q": {"r": 1}}}),
    "null removes a leaf": ({"flag": None}, {k: v for k, v in DEEP.items() if k != "flag"}),
    "null removes a branch": ({"a": None}, {k: v for k, v in DEEP.items() if k != "a"}),
    "the last leaf takes its branch along": (
        {"a": {"b": {"c": None, "d": None}}},
        {k: v for k, v in DEEP.items() if k != "a"},
    ),
    "null for what is not there": ({"nope": None}, DEEP),
    "null below what is not there": ({"nope": {"deeper": {"still": None}}}, DEEP),
    "a list as a whole": (
        {"a": {"b": {"d": [9]}}},
        {**DEEP, "a": {"b": {"c": 1, "d": [9]}}},
    ),
    "an empty list": ({"a": {"b": {"d": []}}}, {**DEEP, "a": {"b": {"c": 1, "d": []}}}),
    "null in a list is a value": ({"n": [None]}, {**DEEP, "n": [None]}),
    "an empty object where nothing was": ({"new": {}}, {**DEEP, "new": {}}),
    "an empty object changes no object": ({"a": {}}, DEEP),
    "into an empty object": ({"empty": {"k": 1}}, {**DEEP, "empty": {"k": 1}}),
    "an empty object stays when nothing is removed from it": ({"empty": {"k": None}}, DEEP),
    "an object gives way to text": ({"a": "text"}, {**DEEP, "a": "text"}),
    "text gives way to an object": ({"flag": {"on": True}}, {**DEEP, "flag": {"on": True}}),
    "true is not 1": ({"n": True}, {**DEEP, "n": True}),
    "1.0 is not 1": ({"n": 1.0}, {**DEEP, "n": 1.0}),
    "text is not a number": ({"n": "1"}, {**DEEP, "n": "1"}),
    "an empty text": ({"n": ""}, {**DEEP, "n": ""}),
    "zero": ({"n": 0}, {**DEEP, "n": 0}),
    "false": ({"flag": False}, {**DEEP, "flag": False}),
    "nothing": ({}, DEEP),
}


@pytest.mark.parametrize("name", VALUES)
def test_values(deep: Api, name: str) -> None:
    patch, wanted = VALUES[name]
    response = deep.patch("/clusters/c-2", {"values": {"podinfo": patch}})
    assert response.status_code == 200
    given = response.json()["values"]["podinfo"]
    # As text, where 1, 1.0 and true are three.
    assert json.dumps(given, sort_keys=True) == json.dumps(wanted, sort_keys=True)


@pytest.mark.parametrize("name", VALUES)
def test_a_patch_twice_is_a_patch_once(deep: Api, name: str) -> None:
    patch, _ = VALUES[name]
    deep.patch("/clusters/c-2", {"values": {"podinfo": patch}})
    with nothing_changes():
        deep.patch("/clusters/c-2", {"values": {"podinfo": patch}})


# A patch of c-1, and the field that it changes as it is then.
FIELDS: list[tuple[dict[str, Any], str, Any]] = [
    ({"labels": {"tier": None}}, "labels", {"region": "eu"}),
    ({"labels": {"tier": "silver"}}, "labels", {"region": "eu", "tier": "silver"}),
    ({"labels": {"tier": None, "region": None}}, "labels", {}),
    ({"labels": {}}, "labels", {"region": "eu", "tier": "gold"}),
    ({"labels": None}, "labels", {}),
    ({"node_count": None}, "node_count", None),
    ({"vm_image": None}, "vm_image", ""),
    ({"patches": None}, "patches", {}),
    ({"patches": {"podinfo": None}}, "patches", {}),
    ({"values": None}, "patches", {}),
    ({"values": {"podinfo": {"ui": None}}}, "unset", {"podinfo": ["ui.message"]}),
    ({"unset": None}, "unset", {}),
    ({"unset": {"podinfo": None}}, "unset", {}),
    ({"unset": {"podinfo": ["a", "b"]}}, "unset", {"podinfo": ["a", "b"]}),
    ({"unset": {"traefik": ["a"]}}, "unset", {"podinfo": ["ui.message"], "traefik": ["a"]}),
    ({"namespaces": [{"id": "logs"}]}, "namespaces", [{"id": "logs"}]),
    ({"namespaces": []}, "namespaces", []),
    ({"namespaces": None}, "namespaces", []),
    ({"rolebindings": ["readers"]}, "rolebindings", [{"id": "readers"}]),
    ({"platform_components": None}, "platform_components", []),
]


@pytest.mark.parametrize(("patch", "field", "wanted"), FIELDS, ids=lambda it: str(it)[:50])
def test_fields(api: Api, patch: dict[str, Any], field: str, wanted: Any) -> None:
    before = api.get("/clusters/c-1").json()
    response = api.patch("/clusters/c-1", patch)
    assert response.status_code == 200
    assert response.json()[field] == wanted
    views = {"patches", "values"} if {"patches", "values"} & patch.keys() else set()
    for name in before.keys() - patch.keys() - views:
        assert response.json()[name] == before[name]


def test_an_assignment_is_replaced_with_its_list(api: Api) -> None:
    response = api.patch("/clusters/c-1", {"platform_components": [{"id": "podinfo"}]})
    [assigned] = response.json()["platform_components"]
    assert assigned == {
        "id": "podinfo",
        "enabled": True,
        "enabled_inherited": True,
        "oci_tag": None,
        "component_path": None,
        "component_version": None,
    }


def test_the_media_type_of_merge_patches(api: Api) -> None:
    response = api.patch(
        "/clusters/c-1", {"node_count": 5}, Content_Type="application/merge-patch+json"
    )
    assert response.json()["node_count"] == 5
