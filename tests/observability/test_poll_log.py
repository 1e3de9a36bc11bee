"""Of a poll that Django did not see, the log tells what it tells of any other request."""

import logging
from typing import Any

import pytest

from config.logs import formatter
from fleet.web.request_log import logger, request_facts
from flux_api.poll_log import ROUTE, AnsweredPoll, PollLog

NOW = 1_790_000_000.123
POLL = AnsweredPoll("namespaces", "active", 200, NOW, 0.0123, 0.0045, 7, "own", 42, "abc-1")
FAILED = POLL._replace(status=503, state="unknown", actor=None, revision=None)


def logged(poll: AnsweredPoll, level: int, log_format: str) -> str:
    """As fleet.web.request_log hands it to logging."""
    facts = request_facts(
        "GET", ROUTE, poll.status, 0.0123, 0.0045, 7, poll.actor, poll.revision
    ) | {"request_id": "abc-1"}
    arguments = ("GET", ROUTE, poll.status)
    record = logger.makeRecord(logger.name, level, "", 0, "%s %s %s", arguments, None, extra=facts)
    record.created = NOW
    return formatter(log_format).format(record)


@pytest.mark.parametrize(("poll", "level"), [(POLL, logging.INFO), (FAILED, logging.ERROR)])
@pytest.mark.parametrize("log_format", ["json", "text"])
def test_lines(poll: AnsweredPoll, level: int, log_format: str, settings: Any) -> None:
    settings.LOG_FORMAT = log_format
    assert PollLog().line(poll, level) == logged(poll, level, log_format)
