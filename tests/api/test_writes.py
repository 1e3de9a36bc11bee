"""What every write has: a dry run, a confirmation, a reason, and the revision in the answer."""

from collections.abc import Callable
from typing import Any

import pytest

from fleet.history.change import head_number
from fleet.models import Revision
from tests.api.conftest import Api
from tests.api.fleet import LEAST
from tests.services.fleets import nothing_changes

# Every kind of write there is: method, path, body. {last} is a revision that can be taken back.
WRITES: dict[str, tuple[str, str, Any]] = {
    **{f"create {section}": ("POST", f"/{section}", LEAST[section]) for section in LEAST},
    "replace": ("PUT", "/clusters/c-1", {"node_count": 7}),
    "patch": ("PATCH", "/profiles/gold", {"weight": 7}),
    "delete": ("DELETE", "/namespaces/spare", None),
    "decommission": ("DELETE", "/clusters/c-1", None),
    "patch many": ("PATCH", "/clusters?environment=prod", {"node_count": 7}),
    "freeze": ("POST", "/clusters/c-1/freeze", None),
    "restore": ("POST", "/clusters/c-2/restore", {"revision": 2}),
    "revert": ("POST", "/revisions/{last}/revert", None),
    "batch": ("POST", "/batch", [{"method": "DELETE", "path": "/namespaces/spare"}]),
}


@pytest.fixture(params=WRITES)
def write(request: Any, api: Api) -> Callable[..., Any]:
    """Each of the writes, with parameters and headers as a test wants."""
    api.patch("/clusters/c-2", {"node_count": 5})
    method, path, body = WRITES[request.param]
    path = path.format(last=head_number())

    def run(parameter: str = "", **headers: str) -> Any:
        joint = ("&" if "?" in path else "?") if parameter else ""
        return api(method, f"{path}{joint}{parameter}", body, **headers)

    return run


def test_a_write_is_one_revision_and_says_which(write: Any) -> None:
    head = head_number()
    response = write()
    assert response.status_code in {200, 201}
    assert response.headers["X-Fleet-Revision"] == str(head_number()) == str(head + 1)


def test_a_dry_run_answers_the_plan_and_changes_nothing(write: Any) -> None:
    with nothing_changes():
        response = write("dry_run=true")
    assert response.status_code == 200
    assert response.json().keys() == {
        "digest",
        "confirmation_required",
        "totals",
        "groups",
        "purged",
        "warnings",
        "rows",
    }
    assert response.json()["rows"] != {}
    assert response.headers["X-Fleet-Revision"] == str(head_number())


def test_a_misspelt_parameter_is_refused(write: Any) -> None:
    with nothing_changes():
        response = write("dry_rum=true")
    assert response.status_code == 400
    assert list(response.json()["details"]) == ["dry_rum"]


def test_the_reason_is_recorded(write: Any) -> None:
    write(X_Change_Reason="because")
    assert Revision.objects.get(number=head_number()).reason == "because"


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ("dry_rum=true", "is not a parameter here (did you mean dry_run?)"),
        ("dry-run=true", "is not a parameter here (did you mean dry_run?)"),
        ("Dry_run=true", "is not a parameter here (did you mean dry_run?)"),
        ("x=1", "is not a parameter here (allowed: confirm, dry_run, expect)"),
        ("dry_run=1", "must be true or false"),
        ("dry_run=", "must be true or false"),
        ("dry_run=true&dry_run=false", "is given more than once"),
        ("confirm=a&confirm=b", "is given more than once"),
    ],
)
def test_parameters_that_are_refused(api: Api, parameter: str, message: str) -> None:
    with nothing_changes():
        response = api.patch(f"/clusters/c-1?{parameter}", {"node_count": 7})
    assert response.status_code == 400
    assert response.json()["details"] == {parameter.partition("=")[0]: [message]}


@pytest.mark.parametrize("text", ["false", "False"])
def test_dry_run_false_is_a_write(api: Api, text: str) -> None:
    response = api.patch(f"/clusters/c-1?dry_run={text}", {"node_count": 7})
    assert response.json()["node_count"] == 7


def test_the_plan_of_a_dry_run(api: Api) -> None:
    response = api.patch(
        "/clusters/c-1?dry_run=true", {"patches": {"podinfo": {"replicaCount": "4", "new": "x"}}}
    )
    plan = response.json()
    assert plan["confirmation_required"] is False
    assert plan["totals"] == {
        "clusters": 1,
        "removing_clusters": 0,
        "added": {},
        "changed": {"platform-components": 1},
        "removed": {},
    }
    assert plan["groups"] == [
        {
            "count": 1,
            "clusters": ["c-1"],
            "changes": [
                {
                    "resource": "platform-components",
                    "id": "podinfo",
                    "action": "changed",
                    "fields": [
                        {"field": "values.new", "new": "x"},
                        {"field": "values.replicaCount", "old": 3, "new": 4},
                    ],
                }
            ],
        }
    ]
    assert plan["rows"] == {"clusterpatch": 2}


def test_a_dry_run_finds_what_a_write_would_be_refused_for(api: Api) -> None:
    response = api.patch("/clusters/c-1?dry_run=true", {"namespaces": ["nope"]})
    assert response.status_code == 400


def test_what_changes_nothing_is_no_revision(api: Api) -> None:
    with nothing_changes():
        response = api.patch("/clusters/c-1", {"node_count": 3})
    assert response.status_code == 200
    assert response.headers["X-Fleet-Revision"] == str(head_number())


@pytest.fixture
def guarded(api: Api, settings: Any) -> Api:
    settings.GUARD_CLUSTERS = 1
    return api


REMOVAL = ("DELETE", "/profiles/everywhere", None)


def test_a_removal_from_many_needs_a_confirmation(guarded: Api) -> None:
    with nothing_changes():
        response = guarded(*REMOVAL)
    body = response.json()
    assert response.status_code == 409
    assert body["error"] == "confirmation_required"
    assert body["details"].keys() == {"digest", "plan"}
    assert body["details"]["plan"]["totals"]["removing_clusters"] == 3
    assert body["details"]["digest"] == body["details"]["plan"]["digest"]


def test_with_the_digest_it_goes_through(guarded: Api) -> None:
    digest = guarded(*REMOVAL).json()["details"]["digest"]
    response = guarded.delete(f"/profiles/everywhere?confirm={digest}")
    assert response.status_code == 200
    assert guarded.get("/profiles/everywhere").status_code == 404


def test_the_digest_of_a_dry_run_will_do(guarded: Api) -> None:
    plan = guarded.delete("/profiles/everywhere?dry_run=true").json()
    assert plan["confirmation_required"] is True
    assert guarded.delete(f"/profiles/everywhere?confirm={plan['digest']}").status_code == 200


def test_a_digest_is_of_no_use_once_the_fleet_has_changed(guarded: Api) -> None:
    digest = guarded(*REMOVAL).json()["details"]["digest"]
    guarded.post("/clusters", LEAST["clusters"])
    with nothing_changes():
        response = guarded.delete(f"/profiles/everywhere?confirm={digest}")
    assert response.status_code == 409
    assert response.json()["error"] == "confirmation_required"
    anew = response.json()["details"]["digest"]
    assert anew != digest
    assert guarded.delete(f"/profiles/everywhere?confirm={anew}").status_code == 200


def test_a_digest_is_of_no_use_for_another_change(guarded: Api) -> None:
    digest = guarded(*REMOVAL).json()["details"]["digest"]
    with nothing_changes():
        response = guarded.patch(
            f"/profiles/everywhere?confirm={digest}", {"platform_components": []}
        )
    assert response.status_code == 409


def test_a_confirmation_that_is_not_needed_does_no_harm(api: Api) -> None:
    assert api.patch("/clusters/c-1?confirm=x", {"node_count": 7}).status_code == 200


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("because", "because"),
        ("Für Größeres", "Für Größeres"),
        ("Für Größeres".encode().decode("latin-1"), "Für Größeres"),
        ("%46%C3%BCr%20Gr%C3%B6%C3%9Feres", "Für Größeres"),
        ("日本".encode().decode("latin-1"), "日本"),
        ("%E6%97%A5%E6%9C%AC", "日本"),
        ("100% sure", "100% sure"),
        ("x" * 2_000, "x" * 2_000),
        ("", ""),
    ],
    ids=lambda text: text[:20],
)
def test_reasons(api: Api, sent: str, kept: str) -> None:
    """On the wire a header is bytes; UTF-8 arrives as Latin-1."""
    api.patch("/clusters/c-1", {"node_count": 7}, X_Change_Reason=sent)
    assert Revision.objects.get(number=head_number()).reason == kept


@pytest.mark.parametrize("sent", ["x" * 2_001, "a%00b", "%E6" * 2_001])
def test_reasons_that_are_refused(api: Api, sent: str) -> None:
    with nothing_changes():
        response = api.patch("/clusters/c-1", {"node_count": 7}, X_Change_Reason=sent)
    assert response.status_code == 400
    assert response.json()["details"] == {
        "X-Change-Reason": ["must be at most 2000 characters of text"]
    }


def test_who_it_was(api: Api) -> None:
    api.patch("/clusters/c-1", {"node_count": 7})
    revision = Revision.objects.get(number=head_number())
    assert (revision.actor_kind, revision.actor) == ("token", "CRUD_AUTH_TOKEN")
    assert revision.source == "api"


def test_a_person_by_name(api: Api, django_user_model: Any) -> None:
    ada = django_user_model.objects.create_superuser("ada")
    api.client.force_login(ada)
    response = api.client.patch("/clusters/c-1", {"node_count": 7}, content_type="application/json")
    assert response.status_code == 200
    revision = Revision.objects.get(number=head_number())
    assert (revision.actor_kind, revision.actor) == ("user", "ada")
