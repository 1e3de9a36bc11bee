"""Wrong, expired, revoked and unknown credentials all look alike."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from fleet.models import Token
from fleet.services.tokens import token_revoke

UNKNOWN = "abcdefgh.abcdefghijklmnopqrstuvwxyz012345"


@pytest.fixture
def secrets(issue):
    issue("reader", "expired", expires_at=timezone.now() + timedelta(hours=1))
    found = {
        "expired": issue("reader", "expiring", expires_at=timezone.now() + timedelta(hours=1)),
        "revoked": issue("reader", "revoked"),
        "wrong": issue("reader", "right")[:-1] + "!",
        "wrong secret": issue("reader", "another")[:9] + "x" * 32,
        "unknown": UNKNOWN,
        "no key": "nonsense",
        "very long": "x" * 4000,
        "NUL": "abcdefgh.\x00",
        "half a surrogate": "\udc80",
    }
    Token.objects.filter(pk="expiring").update(expires_at=timezone.now() - timedelta(seconds=1))
    token_revoke(id="revoked")
    return found


def test_they_all_get_the_same_answer(secrets, client):
    answers = {
        name: client.get("/clusters", HTTP_AUTHORIZATION=f"Bearer {secret}")
        for name, secret in secrets.items()
    }
    assert {answer.status_code for answer in answers.values()} == {401}
    assert len({answer.content for answer in answers.values()}) == 1
    for answer in answers.values():
        del answer.headers["X-Request-ID"]
    assert len({str(sorted(answer.headers.items())) for answer in answers.values()}) == 1


@pytest.mark.parametrize("name", ["expired", "revoked", "wrong secret", "unknown"])
def test_they_take_the_same_steps(secrets, client, name):
    with CaptureQueriesContext(connection) as captured:
        client.get("/clusters", HTTP_AUTHORIZATION=f"Bearer {secrets[name]}")
    assert len(captured) == 1


def test_no_secret_is_in_the_log(secrets, client, caplog):
    with caplog.at_level("DEBUG"):
        for secret in secrets.values():
            client.get("/clusters", HTTP_AUTHORIZATION=f"Bearer {secret}")
    assert not any(secret in caplog.text for secret in secrets.values() if len(secret) > 10)
