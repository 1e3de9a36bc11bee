"""One store, two views: `patches` as text and `values` as they are, each to read and to write."""

import json
from typing import Any

import pytest

from tests.api.conftest import Api
from tests.services.fleets import nothing_changes

EXACT = {"number": 3, "text": "3", "yes": True, "word": "true", "list": [1, "a"]}
TEXTS = {"number": "3", "text": "3", "yes": "true", "word": "true", "list": '[1,"a"]'}


def values(response: Any) -> Any:
    """Of podinfo; as text, where 1 and true are two."""
    assert response.status_code == 200, response.content
    return json.dumps(response.json()["values"].get("podinfo", {}), sort_keys=True)


def as_text(wanted: Any) -> str:
    return json.dumps(wanted, sort_keys=True)


@pytest.fixture
def exact(api: Api) -> Api:
    """c-2 with values whose texts do not tell their types."""
    api.put("/clusters/c-2", {"values": {"podinfo": EXACT}})
    return api


def test_values_are_shown_as_text_too(exact: Api) -> None:
    assert exact.get("/clusters/c-2").json()["patches"] == {"podinfo": TEXTS}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("true", True),
        ("null", None),
        ("3.0", "3.0"),
        ("007", "007"),
        ("a,b", "a,b"),
        ("#fff", "#fff"),
        ("", ""),
        (3, 3),
        (False, False),
        (["a"], ["a"]),
    ],
)
def test_text_is_typed_as_helm_types_it(api: Api, text: Any, value: Any) -> None:
    response = api.put("/clusters/c-2", {"patches": {"podinfo": {"key": text}}})
    assert values(response) == as_text({"key": value})


def test_a_dot_in_a_name_is_escaped(api: Api) -> None:
    response = api.put("/clusters/c-2", {"patches": {"podinfo": {r"a.b\.c": "1"}}})
    assert values(response) == as_text({"a": {"b.c": 1}})


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("view", ["patches", "values"])
def test_types_stay_when_another_key_changes(exact: Api, method: str, view: str) -> None:
    changed = exact.get("/clusters/c-2").json()[view]
    changed["podinfo"]["other"] = 1
    response = exact(method, "/clusters/c-2", {view: changed})
    assert values(response) == as_text({**EXACT, "other": 1})


def test_patching_one_key_as_text_keeps_the_types_of_the_others(exact: Api) -> None:
    response = exact.patch("/clusters/c-2", {"patches": {"podinfo": {"number": "4"}}})
    assert values(response) == as_text({**EXACT, "number": 4})


def test_null_for_helm_is_kept_by_a_patch_of_another_key(api: Api) -> None:
    api.put("/clusters/c-2", {"patches": {"podinfo": {"nil": "null"}}})
    response = api.patch("/clusters/c-2", {"values": {"podinfo": {"other": 1}}})
    assert values(response) == as_text({"nil": None, "other": 1})


@pytest.mark.parametrize("view", ["patches", "values"])
def test_put_replaces_a_view_as_a_whole(exact: Api, view: str) -> None:
    response = exact.put("/clusters/c-2", {view: {"podinfo": {"only": 1}}})
    assert values(response) == as_text({"only": 1})


@pytest.mark.parametrize(("method", "removal"), [("PUT", {}), ("PUT", None), ("PATCH", None)])
@pytest.mark.parametrize("view", ["patches", "values"])
def test_nothing_in_a_view_is_nothing_at_all(
    exact: Api, method: str, removal: Any, view: str
) -> None:
    response = exact(method, "/clusters/c-2", {view: removal})
    assert values(response) == as_text({})
    assert response.json()["patches"] == {}


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_both_views_given_back_as_they_were(exact: Api, method: str) -> None:
    read = exact.get("/clusters/c-2").json()
    with nothing_changes():
        response = exact(method, "/clusters/c-2", {k: read[k] for k in ("patches", "values")})
    assert values(response) == as_text(EXACT)


EDITS: dict[str, tuple[Any, Any]] = {
    "a new key": ({"new": 1}, {**EXACT, "new": 1}),
    "another value": ({"number": 4}, {**EXACT, "number": 4}),
    "no value": ({"number": None}, {k: v for k, v in EXACT.items() if k != "number"}),
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize(("edited", "copied"), [("patches", "values"), ("values", "patches")])
def test_patch_with_an_edit_in_one_view_and_a_copy_of_the_other(
    exact: Api, edit: str, edited: str, copied: str
) -> None:
    patch, wanted = EDITS[edit]
    copy = exact.get("/clusters/c-2").json()[copied]
    response = exact.patch("/clusters/c-2", {edited: {"podinfo": patch}, copied: copy})
    assert values(response) == as_text(wanted)


@pytest.mark.parametrize("edit", EDITS)
def test_put_with_an_edit_in_patches_and_a_copy_of_values(exact: Api, edit: str) -> None:
    """As clients of the reference service do, who know nothing of `values`."""
    patch, wanted = EDITS[edit]
    document = exact.get("/clusters/c-2").json()
    for key, value in patch.items():
        if value is None:
            del document["patches"]["podinfo"][key]
        else:
            document["patches"]["podinfo"][key] = str(value)
    assert values(exact.put("/clusters/c-2", document)) == as_text(wanted)


@pytest.mark.parametrize("edit", EDITS)
def test_the_same_put_again_does_not_undo_itself(exact: Api, edit: str) -> None:
    """Its `values` are older than its `patches` by then: that cannot be told from an edit."""
    patch, wanted = EDITS[edit]
    document = exact.get("/clusters/c-2").json()
    for key, value in patch.items():
        document["patches"]["podinfo"].pop(key, None)
        if value is not None:
            document["patches"]["podinfo"][key] = str(value)
    exact.put("/clusters/c-2", document)
    with nothing_changes():
        again = exact.put("/clusters/c-2", document)
    [key] = patch
    assert again.status_code == 400
    assert again.json()["details"] == {
        f"patches.podinfo.{key}": ["says another thing than values does of this key"]
    }
    assert values(exact.get("/clusters/c-2")) == as_text(wanted)


def test_put_with_the_same_edit_in_both_views(exact: Api) -> None:
    document = {"patches": {"podinfo": {"a": "1"}}, "values": {"podinfo": {"a": "1"}}}
    assert values(exact.put("/clusters/c-2", document)) == as_text({"a": "1"})
    with nothing_changes():
        exact.put("/clusters/c-2", document)


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_contradiction_is_refused(exact: Api, method: str) -> None:
    document = {"patches": {"podinfo": {"number": "4"}}, "values": {"podinfo": {"number": 5}}}
    with nothing_changes():
        response = exact(method, "/clusters/c-2", document)
    assert response.status_code == 400
    details = response.json()["details"]
    assert details["patches.podinfo.number"] == ["says another thing than values does of this key"]


def test_removed_in_one_view_and_changed_in_the_other_is_a_contradiction(exact: Api) -> None:
    patch = {"patches": {"podinfo": {"number": None}}, "values": {"podinfo": {"number": 5}}}
    with nothing_changes():
        assert exact.patch("/clusters/c-2", patch).status_code == 400


def test_a_new_object_may_have_each_value_in_either_view(api: Api) -> None:
    response = api.post(
        "/profiles",
        {
            "id": "new",
            "patches": {"podinfo": {"a": "1", "same": "2"}},
            "values": {"podinfo": {"b": "1", "same": 2}},
        },
    )
    assert response.json()["values"] == {"podinfo": {"a": 1, "b": "1", "same": 2}}


def test_a_value_takes_the_place_of_an_unset_key(api: Api) -> None:
    response = api.patch("/clusters/c-1", {"patches": {"podinfo": {"ui.message": "hi"}}})
    assert response.json()["values"]["podinfo"]["ui"]["message"] == "hi"
    assert response.json()["unset"] == {}


def test_an_unset_key_takes_the_place_of_a_value(api: Api) -> None:
    response = api.patch("/clusters/c-1", {"unset": {"podinfo": ["ui.color"]}})
    assert response.json()["unset"] == {"podinfo": ["ui.color"]}
    assert "ui" not in response.json()["values"]["podinfo"]


def test_defaults_of_the_catalog_have_both_views_too(api: Api) -> None:
    response = api.patch("/platform_components/podinfo", {"values": {"ui": {"color": "red"}}})
    assert response.json()["patches"] == {"replicaCount": "1", "ui.color": "red"}
    response = api.patch("/platform_components/podinfo", {"patches": {"replicaCount": None}})
    assert response.json()["values"] == {"ui": {"color": "red"}}
