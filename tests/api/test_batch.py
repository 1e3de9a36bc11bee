"""POST /batch: several operations, all or none, one revision."""

from typing import Any

import pytest
from django.conf import settings as django_settings

from fleet.history.change import head_number
from tests.api.conftest import Api
from tests.api.fleet import LEAST
from tests.services.fleets import nothing_changes


def operation(method: str, path: str, *body: Any) -> dict[str, Any]:
    return {"method": method, "path": path, **({"body": body[0]} if body else {})}


NEW = operation("POST", "/namespaces", {"id": "new"})


def test_operations_in_order(api: Api) -> None:
    head = head_number()
    response = api.post(
        "/batch",
        [
            operation("POST", "/namespaces", {"id": "new"}),
            operation("PATCH", "/clusters/c-1", {"namespaces": ["new"]}),
            operation("PUT", "/namespaces/new", {"labels": {"a": "b"}}),
            operation("DELETE", "/platform_components/spare"),
            operation("POST", "/clusters/c-2/freeze"),
            operation("PATCH", "/clusters?environment=prod", {"node_count": 2}),
        ],
        X_Change_Reason="all at once",
    )
    assert response.status_code == 200
    assert [item["status"] for item in response.json()] == [201, 200, 200, 200, 200, 200]
    created, patched, replaced, deleted, frozen, many = (item["body"] for item in response.json())
    assert created == {"id": "new", "description": "", "labels": {}, "annotations": {}}
    assert patched["namespaces"] == [{"id": "new"}]
    assert replaced["labels"] == {"a": "b"}
    assert deleted["id"] == "spare"
    assert frozen["state"] == "frozen"
    assert many == {"matched": 2, "changed": 2, "clusters": ["c-2", "c-3"]}
    assert response.headers["X-Fleet-Revision"] == str(head + 1)
    assert api.get(f"/revisions/{head + 1}").json()["reason"] == "all at once"
    assert head_number() == head + 1


def test_every_section(api: Api) -> None:
    operations = [operation("POST", f"/{section}", body) for section, body in LEAST.items()]
    assert api.post("/batch", operations).status_code == 200
    assert all(api.get(f"/{section}/new").status_code == 200 for section in LEAST)


def test_what_is_made_and_taken_away_again_is_no_change(api: Api) -> None:
    with nothing_changes():
        response = api.post("/batch", [NEW, operation("DELETE", "/namespaces/new")])
    assert response.status_code == 200


REFUSED: list[tuple[dict[str, Any], int, str, str]] = [
    (operation("POST", "/namespaces", {"id": "apps"}), 409, "conflict", "Operation 1: There is"),
    (operation("PATCH", "/clusters/nope", {}), 404, "not_found", "Operation 1: There is no"),
    (
        operation("PATCH", "/clusters/c-1", {"node_count": "x"}),
        400,
        "validation_error",
        "Operation 1: node_count: must be a whole number",
    ),
    (operation("DELETE", "/clusters"), 405, "method_not_allowed", "Operation 1: "),
    (operation("PATCH", "/clusters", {}), 400, "validation_error", "Operation 1: all=true"),
    (operation("PUT", "/clusters/c-1"), 400, "validation_error", "Operation 1: A body is needed"),
    (operation("PUT", "/clusters/c-1", None), 400, "validation_error", "Operation 1: The body"),
    (
        operation("DELETE", "/clusters/日本"),
        404,
        "not_found",
        "Operation 1: There is no cluster '日本'",
    ),
    (
        operation("DELETE", "/namespaces/spare?dry_run=true"),
        400,
        "validation_error",
        "Operation 1: dry_run belongs to the batch",
    ),
    (
        operation("DELETE", "/namespaces/spare?confirm=x"),
        400,
        "validation_error",
        "Operation 1: confirm belongs to the batch",
    ),
]


@pytest.mark.parametrize(("refused", "status", "code", "message"), REFUSED, ids=str)
def test_all_or_none(api: Api, refused: Any, status: int, code: str, message: str) -> None:
    with nothing_changes():
        response = api.post("/batch", [NEW, refused])
    assert response.status_code == status
    body = response.json()
    assert body["error"] == code
    assert body["message"].startswith(message)
    assert body["details"]["operation"] == 1
    assert body["details"]["status"] == status
    assert body["details"]["refusal"]["error"] == code


def test_an_operation_says_what_was_wrong_with_it(api: Api) -> None:
    operations = [operation("PATCH", "/clusters/c-1", {"namespaces": ["x"]})]
    response = api.post("/batch", operations)
    assert response.json()["details"]["refusal"]["details"] == {
        "namespaces[0].id": ["there is no namespace 'x' (allowed: apps, logs, spare)"]
    }


SHAPE = "must be a path such as /clusters/demo-cluster-01"
METHODS = "must be one of: POST, PUT, PATCH, DELETE"
PLACE = "must lead to an object, a list or an act of the API"
MALFORMED: list[tuple[Any, dict[str, list[str]]]] = [
    ({}, {"body": ["must be a list of 1 to 1000 operations"]}),
    ([], {"body": ["must be a list of 1 to 1000 operations"]}),
    ("x", {"body": ["must be a list of 1 to 1000 operations"]}),
    ([NEW] * 1_001, {"body": ["must be a list of 1 to 1000 operations"]}),
    (["x"], {"[0]": ["must be an object with method, path and body"]}),
    ([{}], {"[0].method": [METHODS], "[0].path": [SHAPE]}),
    ([NEW, operation("GET", "/clusters")], {"[1].method": [METHODS]}),
    ([operation("patch", "/clusters/c-1")], {"[0].method": [METHODS]}),
    ([{**NEW, "method": ["POST"]}], {"[0].method": [METHODS]}),
    ([operation("POST", "clusters")], {"[0].path": [SHAPE]}),
    ([operation("POST", "https://example.com/clusters")], {"[0].path": [SHAPE]}),
    ([operation("POST", "//example.com/clusters")], {"[0].path": [SHAPE]}),
    ([{**NEW, "path": 1}], {"[0].path": [SHAPE]}),
    (
        [{**NEW, "headers": {}}],
        {"[0].headers": ["is not a field here (allowed: method, path, body)"]},
    ),
    ([NEW, operation("POST", "/nowhere")], {"[1].path": ["leads nowhere"]}),
    ([NEW, operation("POST", "/batch", [])], {"[1].path": [PLACE]}),
    ([NEW, operation("POST", "/batch/", [])], {"[1].path": [PLACE]}),
    ([NEW, operation("POST", "/admin/login/")], {"[1].path": [PLACE]}),
    ([NEW, operation("POST", "/api/v2/flux/clusters")], {"[1].path": [PLACE]}),
    ([NEW, operation("POST", "/health")], {"[1].path": [PLACE]}),
    ([NEW, operation("POST", "/")], {"[1].path": [PLACE]}),
]


@pytest.mark.parametrize(("body", "details"), MALFORMED, ids=lambda it: str(it)[:60])
def test_malformed(api: Api, body: Any, details: dict[str, list[str]]) -> None:
    with nothing_changes():
        response = api.post("/batch", body)
    assert response.status_code == 400
    assert response.json()["error"] == "validation_error"
    assert response.json()["details"] == details


def test_the_largest_batch(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fleet.api.batch.MAX_OPERATIONS", 3)
    operations = [operation("POST", "/environments", {"id": f"e-{n}"}) for n in range(4)]
    assert len(api.post("/batch", operations[:3]).json()) == 3
    assert api.post("/batch", operations).status_code == 400


def test_paths_as_in_a_request(api: Api) -> None:
    """With a trailing slash, percent-encoded, and with several of one filter."""
    api.patch("/clusters/c-1", {"labels": {"a.b": "c"}})
    response = api.post(
        "/batch",
        [
            operation("PATCH", "/clusters/c%2D1/", {"node_count": 1}),
            operation("PATCH", "/clusters?label=a.b%3Ac&label=tier", {"node_count": 2}),
        ],
    )
    assert response.json()[0]["body"]["id"] == "c-1"
    assert response.json()[1]["body"]["clusters"] == ["c-1"]


def test_dry_run(api: Api) -> None:
    with nothing_changes():
        response = api.post(
            "/batch?dry_run=true", [NEW, operation("PATCH", "/clusters/c-1", {"namespaces": []})]
        )
    assert response.status_code == 200
    [group] = response.json()["groups"]
    assert group["clusters"] == ["c-1"]
    assert response.json()["rows"] == {"namespace": 1, "clusternamespace": 1}


def test_the_guard_looks_at_the_whole(api: Api, settings: Any) -> None:
    settings.GUARD_CLUSTERS = 1
    operations = [
        operation("PATCH", "/clusters/c-1", {"platform_components": []}),
        operation("PATCH", "/clusters/c-3", {"platform_components": []}),
    ]
    with nothing_changes():
        refusal = api.post("/batch", operations)
    assert refusal.status_code == 409
    assert refusal.json()["error"] == "confirmation_required"
    digest = refusal.json()["details"]["digest"]
    assert api.post(f"/batch?confirm={digest}", operations).status_code == 200


def test_a_reader_cannot_write_by_a_batch(api: Api) -> None:
    with nothing_changes():
        response = api.post("/batch", [NEW], Authorization="Bearer test-read-token")
    assert response.status_code == 403


def test_a_body_within_has_the_limit_of_a_body(api: Api) -> None:
    large = {"annotations": {"a": "x" * django_settings.MAX_BODY}}
    with nothing_changes():
        response = api.post("/batch", [operation("PATCH", "/namespaces/apps", large)])
    assert response.status_code == 413
    assert response.json()["error"] == "too_large"
    assert response.json()["details"]["operation"] == 0
