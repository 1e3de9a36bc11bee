"""The line of a request, and those that are written while it is answered."""

import json
import logging
from unittest.mock import patch

import pytest
from django.contrib import admin
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory
from django.utils.functional import SimpleLazyObject

from config.logs import JsonLines, RedactFilter, TextLines
from fleet.web.request_id import WithRequestId
from fleet.web.request_log import actor_of
from tests.flux.conftest import fleet, poll

__all__ = ["fleet", "poll"]

PATH = "clusters/c-1.example.com/namespaces"


class Written(logging.Handler):
    """What the console would have got."""

    def __init__(self, formatter: logging.Formatter) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.setFormatter(formatter)
        self.addFilter(WithRequestId())
        self.addFilter(RedactFilter())

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def written(request):
    handler = Written(getattr(request, "param", JsonLines)())
    root, level = logging.getLogger(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    logging.getLogger("django").setLevel(logging.INFO)
    yield handler.lines
    root.removeHandler(handler)
    root.setLevel(level)
    logging.getLogger("django").setLevel(level)


def test_an_unexpected_error_is_found_by_its_id_and_by_that_of_the_request(poll, written):
    with patch("flux_api.views.answers_now", side_effect=RuntimeError("a bug")):
        response = poll(PATH, **{"X-Request-ID": "mine"})
    failure, line = (json.loads(text) for text in written)
    assert response.headers["X-Request-ID"] == failure["request_id"] == line["request_id"] == "mine"
    assert response.json()["details"]["id"] in failure["message"]
    assert "RuntimeError: a bug" in failure["exc_info"]
    assert (line["level"], line["status"]) == ("ERROR", 500)


def test_an_exception_outside_the_api_is_told_once_and_without_the_query(admin_client, written):
    admin_client.raise_request_exception = False
    with patch.object(admin.site, "get_app_list", side_effect=RuntimeError("a bug")):
        assert admin_client.get("/admin/?token=hunter2").status_code == 500
    failure, line = (json.loads(text) for text in written)
    assert "RuntimeError: a bug" in failure["exc_info"]
    assert line["actor"] == "admin"
    assert "hunter2" not in "".join(written)


def test_an_id_ends_with_its_request(poll, written):
    poll(PATH)
    logging.getLogger("fleet").info("later")
    assert "request_id" not in json.loads(written[-1])


@pytest.mark.parametrize("written", [TextLines], indirect=True)
def test_text_is_for_people(poll, written):
    poll(PATH, **{"X-Request-ID": "mine"})
    [line] = written
    assert "INFO fleet.requests: GET /api/v2/flux/clusters/{dns}/{resource} 200 ms=" in line
    assert "actor=AUTH_TOKEN revision=" in line
    assert line.endswith("request_id=mine")


def test_who_asked_is_not_looked_up_for_the_log_alone():
    request = RequestFactory().get("/")
    request.user = SimpleLazyObject(lambda: pytest.fail("a query"))  # type: ignore[assignment]
    assert actor_of(request) is None


def test_nobody_in_particular_is_no_actor():
    request = RequestFactory().get("/")
    assert actor_of(request) is None
    request.user = AnonymousUser()
    assert actor_of(request) is None
