"""The log of all changes, and taking one back."""

from datetime import timedelta
from typing import Any

import pytest

from fleet.history.change import head_number
from fleet.models import Revision
from tests.api.conftest import Api
from tests.services.fleets import nothing_changes


def numbers(response: Any) -> list[int]:
    assert response.status_code == 200, response.content
    return [item["number"] for item in response.json()]


@pytest.fixture
def log(api: Api) -> int:
    """The number of the first of three revisions, by the API, each with a reason."""
    first = head_number() + 1
    api.patch("/clusters/c-1", {"node_count": 5}, X_Change_Reason="more nodes")
    api.patch(
        "/profiles/everywhere",
        {"patches": {"traefik": {"debug": "true"}}},
        X_Change_Reason="look closer",
    )
    api.patch("/platform_components/podinfo", {"oci_tag": "v2"}, X_Change_Reason="more tags")
    return first


def test_newest_first(api: Api, log: int) -> None:
    assert numbers(api.get("/revisions"))[:4] == [log + 2, log + 1, log, log - 1]


def test_an_entry(api: Api, log: int) -> None:
    [entry] = api.get("/revisions?limit=1").json()
    created_at = Revision.objects.get(number=log + 2).created_at
    assert entry == {
        "number": log + 2,
        "created_at": created_at.isoformat(),
        "actor": {"kind": "token", "name": "CRUD_AUTH_TOKEN"},
        "source": "api",
        "reason": "more tags",
        "reverts": None,
    }


# A filter, and which of the three revisions of the log it finds.
FILTERS = {
    "actor=CRUD_AUTH_TOKEN": [2, 1, 0],
    "actor=somebody": [],
    "source=api": [2, 1, 0],
    "source=admin": [],
    "cluster=c-2": [1],
    "cluster=c-1&source=api": [2, 1],
    "cluster=nowhere": [],
    "object=clusters/c-1&source=api": [0],
    "object=profiles/everywhere&source=api": [1],
    "object=platform_components/podinfo&source=api": [2],
    "object=platform_components/nowhere": [],
    "object=environments/dev&source=api": [],
    "search=MORE": [2, 0],
    "ordering=number&source=api": [0, 1, 2],
    "source=api&limit=1&offset=1": [1],
}


@pytest.mark.parametrize("query", FILTERS)
def test_filters(api: Api, log: int, query: str) -> None:
    found = [number - log for number in numbers(api.get(f"/revisions?{query}"))]
    # What the seed did has no place in the table.
    assert [number for number in found if number >= 0] == FILTERS[query]


def test_by_time(api: Api, log: int) -> None:
    created_at = Revision.objects.get(number=log + 1).created_at
    now = created_at.isoformat().replace("+", "%2B")
    assert numbers(api.get(f"/revisions?since={now}")) == [log + 2, log + 1]
    assert numbers(api.get(f"/revisions?until={now}"))[0] == log
    tomorrow = (created_at + timedelta(days=1)).date().isoformat()
    assert numbers(api.get(f"/revisions?since={tomorrow}")) == []
    assert len(numbers(api.get(f"/revisions?until={tomorrow}"))) == log + 2


def test_a_revision_has_all_that_it_did(api: Api) -> None:
    api.patch(
        "/clusters/c-1",
        {"node_count": 5, "patches": {"podinfo": {"replicaCount": "4"}}, "namespaces": []},
    )
    document = api.get(f"/revisions/{head_number()}").json()
    assert document["clusters"] == ["c-1"]
    assert document["reverted_by"] is None
    assert document["changes"] == [
        {
            "kind": "cluster",
            "object": {"id": "c-1"},
            "action": "changed",
            "fields": [{"field": "node_count", "old": 3, "new": 5}],
        },
        {
            "kind": "clusterpatch",
            "object": {"cluster": "c-1", "component": "podinfo", "key": "replicaCount"},
            "action": "changed",
            "fields": [{"field": "value", "old": "3", "new": "4"}],
        },
        {
            "kind": "clusternamespace",
            "object": {"cluster": "c-1", "namespace": "apps"},
            "action": "deleted",
            "fields": [],
        },
    ]


def test_a_revision_that_created(api: Api) -> None:
    api.post("/environments", {"id": "extra", "rank": 5})
    [change] = api.get(f"/revisions/{head_number()}").json()["changes"]
    assert change == {
        "kind": "environment",
        "object": {"id": "extra"},
        "action": "created",
        "fields": [{"field": "description", "new": ""}, {"field": "rank", "new": 5}],
    }


@pytest.mark.parametrize("number", ["1000", "0", "999999999999999999", "9" * 30, "x", "-1"])
def test_no_such_revision(api: Api, number: str) -> None:
    for response in (
        api.get(f"/revisions/{number}"),
        api.post(f"/revisions/{number}/revert"),
    ):
        assert response.status_code == 404
        assert response.json()["error"] == "not_found"


def test_revert(api: Api) -> None:
    before = api.get("/clusters/c-1").json()
    api.patch("/clusters/c-1", {"node_count": 9})
    number = head_number()
    response = api.post(f"/revisions/{number}/revert", X_Change_Reason="too many")
    assert response.status_code == 200
    assert response.json() == {"reverts": number}
    assert response.headers["X-Fleet-Revision"] == str(number + 1)
    assert api.get("/clusters/c-1").json() == before
    assert api.get(f"/revisions/{number}").json()["reverted_by"] == number + 1
    revert = api.get(f"/revisions/{number + 1}").json()
    assert (revert["reverts"], revert["reason"]) == (number, "too many")


def test_what_was_reverted_is_not_reverted_again(api: Api) -> None:
    api.patch("/clusters/c-1", {"node_count": 9})
    number = head_number()
    api.post(f"/revisions/{number}/revert")
    with nothing_changes():
        response = api.post(f"/revisions/{number}/revert")
    assert response.status_code == 409
    assert response.json()["message"] == (
        f"Revision {number} was reverted by revision {number + 1} already."
    )


@pytest.fixture
def half_overwritten(api: Api) -> int:
    """A revision of which one part was changed again."""
    api.patch("/clusters/c-1", {"node_count": 9, "vm_image": "debian-12"})
    number = head_number()
    api.patch("/clusters/c-1", {"node_count": 10})
    return number


def test_a_revert_with_conflicts_is_refused(api: Api, half_overwritten: int) -> None:
    with nothing_changes():
        response = api.post(f"/revisions/{half_overwritten}/revert")
    assert response.status_code == 409
    assert response.json()["details"] == {
        "conflicts": [{"object": "cluster c-1", "reason": "has another node_count by now: 10"}]
    }


def test_a_revert_can_skip_conflicts(api: Api, half_overwritten: int) -> None:
    response = api.post(f"/revisions/{half_overwritten}/revert", {"skip_conflicts": True})
    assert response.status_code == 200
    cluster = api.get("/clusters/c-1").json()
    assert (cluster["node_count"], cluster["vm_image"]) == (10, "ubuntu-24.04")


@pytest.mark.parametrize(
    ("body", "details"),
    [
        ({"skip_conflict": True}, {"skip_conflict": ["is not a field here"]}),
        ({"skip_conflicts": "yes"}, {"skip_conflicts": ["must be true or false"]}),
        ([], {"body": ["must be an object"]}),
        (0, {"body": ["must be an object"]}),
    ],
)
def test_what_a_revert_does_not_take(api: Api, body: Any, details: dict[str, list[str]]) -> None:
    api.patch("/clusters/c-1", {"node_count": 9})
    with nothing_changes():
        response = api.post(f"/revisions/{head_number()}/revert", body)
    assert response.status_code == 400
    assert response.json()["details"] == details
