"""The life of a token: issued, used, rotated, expired, revoked; and what it tells of itself."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from fleet import models
from fleet.history.change import head_number
from fleet.services.clusters import cluster_decommission, cluster_purge
from fleet.services.tokens import token_issue, token_revoke, token_rotate
from fleet.services.undo import revision_revert
from tests.services.fleets import nothing_changes

pytestmark = pytest.mark.both_databases

FLUX = "/api/v2/flux/clusters/c-1.example.com/namespaces"


def statuses(asking: Any, *secrets: str) -> list[int]:
    return [asking(secret).get("/clusters").status_code for secret in secrets]


def test_a_secret_is_shown_once(api):
    answer = api.post("/tokens", {"id": "ci", "kind": "operator"})
    assert answer.status_code == 201
    assert answer.headers["Location"] == "http://testserver/tokens/ci"
    assert answer.headers["Cache-Control"] == "no-store"
    secret = answer.json()["token"]
    for path in ("/tokens", "/tokens/ci", f"/revisions/{head_number()}", "/revisions"):
        assert secret.partition(".")[2] not in api.get(path).text


def test_a_secret_is_nowhere_in_the_database(api):
    secret = api.post("/tokens", {"id": "ci", "kind": "operator"}).json()["token"]
    rows = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608
            rows += cursor.fetchall()
    assert any("ci" in row for row in rows)
    assert secret.partition(".")[2] not in repr(rows)


def test_what_a_token_tells_of_itself(api):
    api.post("/tokens", {"id": "ci", "kind": "operator", "environments": ["dev", "qa"]})
    token = api.get("/tokens/ci").json()
    [key] = token.pop("keys")
    assert token == {
        "id": "ci",
        "kind": "operator",
        "cluster": None,
        "environments": ["dev", "qa"],
        "labels": {},
        "profiles": [],
        "needs_approval": False,
        "max_uses": None,
        "uses": 0,
        "expires_at": None,
        "rotated_at": None,
    }
    assert len(key["prefix"]) == 8
    assert (key["expires_at"], key["last_used"]) == (None, None)


def test_tokens_can_be_found(api, issue):
    issue("reader", "dashboard")
    issue("cluster", "c-1-flux", cluster="c-1")
    assert [item["id"] for item in api.get("/tokens").json()] == ["c-1-flux", "dashboard"]
    assert [item["id"] for item in api.get("/tokens?kind=reader").json()] == ["dashboard"]
    assert [item["id"] for item in api.get("/tokens?cluster=c-1").json()] == ["c-1-flux"]
    assert api.get("/tokens?sort=id").status_code == 400


def test_a_list_takes_as_many_queries_for_fifty(api, issue, django_assert_num_queries):
    issue("reader", "first")
    with django_assert_num_queries(3):
        api.get("/tokens")
    for number in range(50):
        issue("reader", f"reader-{number}")
    with django_assert_num_queries(3):
        assert len(api.get("/tokens").json()) == 51


def test_the_log_tells_who_issued_what(api):
    api.post("/tokens", {"id": "ci", "kind": "operator"}, X_Change_Reason="for the pipeline")
    revision = api.get(f"/revisions/{head_number()}").json()
    assert revision["actor"] == {"kind": "token", "name": "CRUD_AUTH_TOKEN"}
    assert revision["reason"] == "for the pipeline"
    assert [(item["kind"], item["action"]) for item in revision["changes"]] == [
        ("token", "created")
    ]
    assert revision["clusters"] == []


def test_a_dry_run_makes_no_token(api):
    with nothing_changes():
        answer = api.post("/tokens?dry_run=true", {"id": "ci", "kind": "operator"})
    assert answer.status_code == 200
    assert "token" not in answer.json()
    assert not models.TokenKey.objects.exists()


def test_rotation_overlaps(issue, asking):
    old = issue("reader")
    new = token_rotate(id="reader").secret
    assert statuses(asking, old, new) == [200, 200]
    [first, second] = models.TokenKey.objects.order_by("created")
    assert second.expiry_date is None
    assert first.expiry_date is not None
    left = first.expiry_date - timezone.now()
    assert timedelta(hours=23, minutes=59) < left <= timedelta(hours=24)


def test_after_the_time_of_grace_the_old_secret_is_gone(issue, asking):
    old = issue("reader")
    new = token_rotate(id="reader", grace=timedelta(0)).secret
    assert statuses(asking, old, new) == [401, 200]


def test_a_second_rotation_prolongs_nothing(issue, asking):
    first = issue("reader")
    second = token_rotate(id="reader", grace=timedelta(0)).secret
    third = token_rotate(id="reader").secret
    assert statuses(asking, first, second, third) == [401, 200, 200]
    assert models.TokenKey.objects.count() == 2


def test_rotation_by_the_api(api, asking):
    old = api.post("/tokens", {"id": "ci", "kind": "reader"}).json()["token"]
    answer = api.post("/tokens/ci/rotate", {"grace_seconds": 0})
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.json()["rotated_at"]
    assert statuses(asking, old, answer.json()["token"]) == [401, 200]


def test_expiry(issue, asking):
    secret = issue("reader", expires_at=timezone.now() + timedelta(hours=1))
    assert statuses(asking, secret) == [200]
    models.Token.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert statuses(asking, secret) == [401]


def test_an_expired_token_needs_a_new_expiry_to_be_rotated(api, issue, asking):
    issue("reader", expires_at=timezone.now() + timedelta(hours=1))
    models.Token.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert api.post("/tokens/reader/rotate").status_code == 409
    renewed = api.post("/tokens/reader/rotate", {"expires_at": "2100-01-01T00:00:00Z"}).json()
    assert statuses(asking, renewed["token"]) == [200]


def test_revocation_is_at_once(api, issue, asking):
    secret = issue("reader")
    assert api.delete("/tokens/reader").status_code == 200
    assert statuses(asking, secret) == [401]
    assert api.get("/tokens/reader").status_code == 404


def test_undo_brings_no_secret_back(issue, asking):
    secret = issue("reader")
    token_revoke(id="reader")
    with pytest.raises(Exception, match="Nothing of revision"):
        revision_revert(number=head_number())
    assert statuses(asking, secret) == [401]


def test_a_purged_cluster_takes_its_tokens_along(issue, asking):
    secret = issue("cluster", cluster="c-1")
    assert asking(secret).get(FLUX).status_code == 200
    cluster_decommission(cluster="c-1")
    assert asking(secret).get(FLUX).json() == {"inputs": []}
    cluster_purge(cluster="c-1")
    assert asking(secret).get(FLUX).status_code == 401
    revision_revert(number=head_number())
    assert asking(secret).get(FLUX).status_code == 401
    assert models.Cluster.objects.filter(pk="c-1").exists()


def test_a_cluster_reads_its_own_answers_by_its_name_in_any_case(issue, asking):
    secret = issue("cluster", cluster="c-1")
    own = asking(secret).get("/api/v2/flux/clusters/C-1.example.com/platform-components")
    assert own.status_code == 200
    assert [item["id"] for item in own.json()["inputs"]] == ["podinfo", "traefik"]


def test_a_cluster_learns_nothing_of_others(issue, asking):
    asked = asking(issue("cluster", cluster="c-1"))
    others = [
        asked.get(f"/api/v2/flux/clusters/{dns}/namespaces")
        for dns in ("c-2.example.com", "no-such.example.com")
    ]
    assert {answer.status_code for answer in others} == {403}
    assert len({answer.content for answer in others}) == 1


def test_a_poll_with_an_issued_token_takes_one_query_more(issue, asking, api):
    def queries(credential: Any) -> int:
        with CaptureQueriesContext(connection) as captured:
            assert credential.get(FLUX).status_code == 200
        return len(captured)

    asked = asking(issue("cluster", cluster="c-1"))
    assert queries(asked) == queries(api) + 1


WRONG = [
    ({}, "id", "is required"),
    ({"id": "Ci", "kind": "reader"}, "id", "'Ci' must be"),
    ({"id": "ci"}, "kind", "is required"),
    ({"id": "ci", "kind": "root"}, "kind", "'root' must be one of: cluster, reader, operator"),
    ({"id": "ci", "kind": "reader", "scope": 1}, "scope", "is not a field here"),
    ({"id": 5, "kind": "reader"}, "id", "must be text, not 5"),
    ({"id": "ci", "kind": "cluster"}, "cluster", "must be given for a cluster token"),
    ({"id": "ci", "kind": "reader", "cluster": "c-1"}, "cluster", "and for no other"),
    ({"id": "ci", "kind": "cluster", "cluster": "c-l"}, "cluster", "did you mean c-"),
    ({"id": "ci", "kind": "reader", "environments": ["dev"]}, "environments", "operator"),
    ({"id": "ci", "kind": "operator", "environments": []}, "environments", "one at least"),
    ({"id": "ci", "kind": "operator", "environments": "dev"}, "environments", "must be a list"),
    ({"id": "ci", "kind": "operator", "environments": [1]}, "environments[0]", "must be text"),
    (
        {"id": "ci", "kind": "operator", "environments": ["prd"]},
        "environments[0]",
        "there is no environment 'prd' (did you mean prod?)",
    ),
    (
        {"id": "ci", "kind": "operator", "environments": ["dev", "dev"]},
        "environments[1]",
        "is in the list twice",
    ),
    ({"id": "ci", "kind": "reader", "expires_at": "soon"}, "expires_at", "must be a moment"),
    ({"id": "ci", "kind": "reader", "expires_at": 5}, "expires_at", "must be text"),
    (
        {"id": "ci", "kind": "reader", "expires_at": "2030-01-01T00:00:00"},
        "expires_at",
        "with its zone",
    ),
    (
        {"id": "ci", "kind": "reader", "expires_at": "2001-01-01T00:00:00Z"},
        "expires_at",
        "must be in the future",
    ),
    (
        {"id": "ci", "kind": "reader", "expires_at": "0001-01-01T00:00:00+14:00"},
        "expires_at",
        "must be a moment",
    ),
]


@pytest.mark.parametrize(("body", "field", "message"), WRONG)
def test_a_mistake_is_named_and_changes_nothing(api, body, field, message):
    with nothing_changes():
        answer = api.post("/tokens", body)
    assert answer.status_code == 400
    assert message in " ".join(answer.json()["details"][field])


WRONG_ROTATIONS = [
    ({"grace_seconds": -1}, "grace_seconds", "must be from 0"),
    ({"grace_seconds": "1"}, "grace_seconds", "must be a whole number"),
    ({"grace_seconds": 10**8}, "grace_seconds", "must be from 0 to 2592000"),
    ({"grace": 1}, "grace", "is not a field here"),
    ({"expires_at": "2001-01-01T00:00:00Z"}, "expires_at", "must be in the future"),
]


@pytest.mark.parametrize(("body", "field", "message"), WRONG_ROTATIONS)
def test_a_mistake_in_a_rotation(api, issue, body, field, message):
    issue("reader")
    with nothing_changes():
        answer = api.post("/tokens/reader/rotate", body)
    assert answer.status_code == 400
    assert message in " ".join(answer.json()["details"][field])


def test_a_name_is_taken_once(api, issue):
    issue("reader", "ci")
    with nothing_changes():
        assert api.post("/tokens", {"id": "ci", "kind": "operator"}).status_code == 409


def test_an_issue_that_fails_leaves_no_key(api):
    operations = [
        {"method": "POST", "path": "/tokens", "body": {"id": "ci", "kind": "reader"}},
        {"method": "DELETE", "path": "/clusters/no-such"},
    ]
    assert api.post("/batch", operations).status_code == 404
    assert not models.TokenKey.objects.exists()


def test_the_environment_may_have_two_tokens_while_one_is_rotated(fleet, asking, settings):
    settings.AUTH_TOKENS = ["new-read", "old-read"]
    settings.CRUD_AUTH_TOKENS = ["new-write", "old-write"]
    assert statuses(asking, "new-read", "old-read", "new-write", "test-read-token") == [
        200,
        200,
        200,
        401,
    ]


def test_the_command(fleet, asking, capsys):
    call_command("tokens", "issue", "ci", "--kind", "operator", "--environment", "dev")
    first = secret_in(capsys)
    call_command("tokens", "rotate", "ci", "--grace-hours", "0", "--expires-in-days", "30")
    second = secret_in(capsys)
    assert statuses(asking, first, second) == [401, 200]
    call_command("tokens", "list")
    assert capsys.readouterr().out.startswith("ci  ")
    call_command("tokens", "revoke", "ci")
    assert statuses(asking, second) == [401]
    assert models.Revision.objects.get(number=head_number()).reason == "Revoke token ci"


def secret_in(capsys: Any) -> str:
    lines = capsys.readouterr().out.splitlines()
    return lines[lines.index("The secret, which is not shown again:") + 1]


def test_what_is_printed_of_an_issued_token_has_no_secret(fleet):
    issued = token_issue(id="ci", kind="reader")
    assert issued.secret not in repr(issued)


def test_the_revisions_of_a_token_can_be_found(api, issue):
    issue("reader", "ci")
    token_rotate(id="ci")
    token_revoke(id="ci")
    found = api.get("/revisions?object=tokens/ci").json()
    assert len(found) == 3
