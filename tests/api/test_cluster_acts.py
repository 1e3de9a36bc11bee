"""Freeze, unfreeze, recommission and restore."""

from typing import Any

import pytest

from fleet.history.change import head_number
from fleet.models import Cluster
from tests.api.conftest import Api
from tests.services.fleets import nothing_changes, served

# From a state, by an act, to a state; None where the act is refused.
STATES = [
    ("active", "freeze", "frozen"),
    ("active", "unfreeze", None),
    ("active", "recommission", None),
    ("frozen", "freeze", None),
    ("frozen", "unfreeze", "active"),
    ("frozen", "recommission", None),
    ("decommissioned", "freeze", None),
    ("decommissioned", "unfreeze", None),
    ("decommissioned", "recommission", "active"),
    ("waiting", "approve", "active"),
    ("waiting", "freeze", None),
    ("waiting", "unfreeze", None),
    ("waiting", "recommission", None),
    ("active", "approve", None),
    ("frozen", "approve", None),
    ("decommissioned", "approve", None),
]


def bring(api: Api, state: str) -> None:
    if state == "frozen":
        api.post("/clusters/c-1/freeze")
    elif state == "decommissioned":
        api.delete("/clusters/c-1")
    elif state == "waiting":
        Cluster.objects.filter(pk="c-1").update(state=state)


@pytest.mark.parametrize(("start", "act", "end"), STATES)
def test_states(api: Api, start: str, act: str, end: str | None) -> None:
    bring(api, start)
    before = api.get("/clusters/c-1").json()
    response = api.post(f"/clusters/c-1/{act}")
    if end is None:
        assert response.status_code == 409
        assert response.json()["error"] == "conflict"
        assert api.get("/clusters/c-1").json() == before
    else:
        assert response.status_code == 200
        assert response.json() == {**before, "state": end}
        assert response.headers["X-Fleet-Revision"] == str(head_number())
        assert response.headers["ETag"] == api.get("/clusters/c-1").headers["ETag"]


@pytest.mark.parametrize("act", ["approve", "freeze", "unfreeze", "recommission", "restore"])
def test_on_no_cluster(api: Api, act: str) -> None:
    body = {"revision": 1} if act == "restore" else None
    with nothing_changes():
        response = api.post(f"/clusters/nowhere/{act}", body)
    assert response.status_code == 404


def test_a_frozen_cluster_does_not_follow(api: Api) -> None:
    before = served("c-1")
    api.post("/clusters/c-1/freeze")
    response = api.patch("/clusters/c-1", {"patches": {"podinfo": {"replicaCount": "9"}}})
    assert response.status_code == 200
    assert served("c-1") == before
    api.post("/clusters/c-1/unfreeze")
    assert served("c-1") != before


@pytest.mark.parametrize("body", [{"dry_run": True}, ["x"], 1, b"{"])
@pytest.mark.parametrize("act", ["freeze", "unfreeze", "recommission"])
def test_an_act_takes_no_body(api: Api, act: str, body: Any) -> None:
    """What is said there would be passed over."""
    with nothing_changes():
        assert api.post(f"/clusters/c-1/{act}", body).status_code == 400


@pytest.mark.parametrize("body", [{}, b""])
def test_an_empty_body_is_none(api: Api, body: Any) -> None:
    assert api.post("/clusters/c-1/freeze", body).status_code == 200


def test_restore(api: Api) -> None:
    before, number = api.get("/clusters/c-1").json(), head_number()
    api.put("/clusters/c-1", {"platform_components": [], "patches": {}, "labels": {}})
    response = api.post("/clusters/c-1/restore", {"revision": number})
    assert response.status_code == 200
    assert response.json() == before
    assert response.headers["X-Fleet-Revision"] == str(number + 2)


def test_restore_of_a_purged_cluster(api: Api) -> None:
    before, number = api.get("/clusters/c-3").json(), head_number()
    api.delete("/clusters/c-3")
    api.delete("/clusters/c-3")
    assert api.post("/clusters/c-3/restore", {"revision": number}).json() == before
    assert api.get("/profiles/picked").json()["clusters"] == ["c-3"]


def test_restore_to_before_the_cluster_was_there(api: Api) -> None:
    with nothing_changes():
        response = api.post("/clusters/c-1/restore", {"revision": 1})
    assert response.status_code == 404
    assert response.json()["message"] == "There was no cluster 'c-1' at revision 1."


def test_restore_to_a_revision_of_the_future(api: Api) -> None:
    with nothing_changes():
        response = api.post("/clusters/c-1/restore", {"revision": 1_000})
    assert response.status_code == 404
    assert response.json()["message"] == "There is no revision 1000."
