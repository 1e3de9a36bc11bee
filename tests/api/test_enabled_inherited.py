"""`enabled` of an assigned component: always true or false, with a mark where it is inherited."""

from typing import Any

import pytest

from fleet import models
from tests.api.conftest import Api


def entry(document: dict[str, Any], component: str) -> dict[str, Any]:
    [found] = [item for item in document["platform_components"] if item["id"] == component]
    return {name: value for name, value in found.items() if name.startswith("enabled")}


def assign(api: Api, path: str, **entry: Any) -> Any:
    return api.patch(path, {"platform_components": [{"id": "spare", **entry}]})


def stored(cluster: str = "c-1") -> bool | None:
    return models.ClusterComponent.objects.get(cluster_id=cluster, component_id="spare").enabled


@pytest.fixture
def switched_off(api: Api) -> None:
    """By a profile that lies on every cluster."""
    assign(api, "/profiles/everywhere", enabled=False)


def test_a_cluster_that_says_nothing_has_it_on(api: Api) -> None:
    shown = assign(api, "/clusters/c-1").json()
    assert entry(shown, "spare") == {"enabled": True, "enabled_inherited": True}


@pytest.mark.usefixtures("switched_off")
def test_a_cluster_shows_what_is_in_effect(api: Api) -> None:
    assign(api, "/clusters/c-1")
    shown = api.get("/clusters/c-1").json()
    assert entry(shown, "spare") == {"enabled": False, "enabled_inherited": True}
    assert api.get("/clusters?search=c-1").json()[0] == shown


def test_of_two_profiles_the_heavier_decides(api: Api) -> None:
    assign(api, "/profiles/everywhere", enabled=True)
    assign(api, "/profiles/picked", enabled=False)
    api.patch("/profiles/picked", {"clusters": ["c-1"], "weight": 1_000})
    for cluster, expected in (("c-1", False), ("c-2", True)):
        shown = assign(api, f"/clusters/{cluster}").json()
        assert entry(shown, "spare") == {"enabled": expected, "enabled_inherited": True}


def test_a_profile_that_says_nothing_shows_it_as_on(api: Api) -> None:
    shown = assign(api, "/profiles/gold").json()
    assert entry(shown, "spare") == {"enabled": True, "enabled_inherited": True}


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("path", ["/clusters/c-1", "/profiles/gold"])
def test_what_a_layer_says_has_no_mark(api: Api, path: str, enabled: bool) -> None:
    shown = assign(api, path, enabled=enabled).json()
    assert entry(shown, "spare") == {"enabled": enabled}


@pytest.mark.usefixtures("switched_off")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"enabled": False, "enabled_inherited": True}, None),
        ({"enabled": True, "enabled_inherited": True}, True),
        ({"enabled": False}, False),
        ({"enabled": False, "enabled_inherited": False}, False),
        ({"enabled": None, "enabled_inherited": True}, None),
        ({"enabled": None}, None),
        ({}, None),
    ],
)
def test_what_is_written_back(api: Api, given: dict[str, Any], expected: bool | None) -> None:
    assign(api, "/clusters/c-1")
    assert assign(api, "/clusters/c-1", **given).status_code == 200
    assert stored() is expected


@pytest.mark.parametrize(("enabled", "expected"), [(True, None), (False, False)])
def test_what_is_written_back_to_a_profile(api: Api, enabled: bool, expected: bool | None) -> None:
    assign(api, "/profiles/gold", enabled=enabled, enabled_inherited=True)
    own = models.ProfileComponent.objects.get(profile_id="gold", component_id="spare")
    assert own.enabled is expected


@pytest.mark.usefixtures("switched_off")
def test_a_document_written_back_as_it_was_read_changes_nothing(api: Api) -> None:
    assign(api, "/clusters/c-1")
    read = api.get("/clusters/c-1").json()
    plan = api.put("/clusters/c-1?dry_run=true", read).json()
    assert plan["rows"] == {}


@pytest.mark.usefixtures("switched_off")
def test_a_cluster_that_was_purged_comes_back_as_it_was(api: Api) -> None:
    read = assign(api, "/clusters/c-1").json()
    for _ in range(2):
        api.delete("/clusters/c-1")
    assign(api, "/profiles/everywhere", enabled=True)
    assert api.post("/clusters", read).status_code == 201
    assert stored() is None


def test_the_etag_is_of_what_the_cluster_says_itself(api: Api) -> None:
    before = assign(api, "/clusters/c-1").headers["ETag"]
    assign(api, "/profiles/everywhere", enabled=False)
    after = api.get("/clusters/c-1")
    assert entry(after.json(), "spare")["enabled"] is False
    assert after.headers["ETag"] == before


def test_the_mark_is_true_or_false(api: Api) -> None:
    response = assign(api, "/clusters/c-1", enabled=True, enabled_inherited="yes")
    assert response.json()["details"] == {
        "platform_components[0].enabled_inherited": ["must be true or false, not 'yes'"]
    }
