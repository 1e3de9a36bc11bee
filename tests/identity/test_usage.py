"""When a token was last used: written once a minute, and never by the read plane."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from fleet.access import token_usage
from fleet.history.change import head_number
from fleet.models import TokenKey


@pytest.fixture(autouse=True)
def nothing_noted(monkeypatch):
    monkeypatch.setattr(token_usage, "_noted", {})


def test_a_request_writes_nothing_and_the_thread_writes_it_down(issue, asking):
    asked = asking(issue("reader"))
    with CaptureQueriesContext(connection) as captured:
        asked.get("/clusters")
    assert not [query for query in captured if query["sql"].startswith("UPDATE")]
    assert TokenKey.objects.get().last_used is None
    before = head_number()
    token_usage.write()
    assert TokenKey.objects.filter(last_used__gt=timezone.now() - timedelta(minutes=2)).exists()
    assert head_number() == before


def test_a_thousand_requests_are_one_write(issue, asking):
    asked = asking(issue("reader"))
    for _ in range(5):
        asked.get("/clusters")
    with CaptureQueriesContext(connection) as captured:
        token_usage.write()
        token_usage.write()
    assert len([query for query in captured if query["sql"].startswith("UPDATE")]) == 1


def test_a_later_use_of_another_worker_is_kept(issue, asking):
    asking(issue("reader")).get("/clusters")
    later = timezone.now() + timedelta(minutes=5)
    TokenKey.objects.update(last_used=later)
    token_usage.write()
    assert TokenKey.objects.get().last_used == later


def test_who_was_refused_has_not_used_it(issue, asking):
    secret = issue("reader")
    asking(f"{secret[:-1]}{'a' if secret[-1] != 'a' else 'b'}").get("/clusters")
    token_usage.write()
    assert TokenKey.objects.get().last_used is None


def test_the_read_plane_notes_nothing(issue, asking, settings):
    settings.READ_ONLY = True
    asking(issue("reader")).get("/api/v2/flux/clusters")
    token_usage.write()
    assert TokenKey.objects.get().last_used is None
