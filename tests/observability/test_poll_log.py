"""Of a poll that Django did not see, the log and the metrics tell what they tell of any other."""

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest
from prometheus_client import CollectorRegistry, Histogram, generate_latest

from config.logs import formatter
from fleet.metrics import observe_all
from fleet.request_log import logger
from flux_api.poll_log import ROUTE, Answered, json_line, text_line

NOW = 1_790_000_000.123
POLL = Answered("namespaces", "active", 200, NOW, 0.0123, 0.0045, 7, "own", 42, "abc-1")
UNKNOWN = POLL._replace(status=503, state="unknown", actor=None, revision=None)


def logged(poll: Answered, level: int, log_format: str) -> str:
    """As fleet.request_log hands it to logging."""
    facts = {
        "method": "GET",
        "route": ROUTE,
        "status": poll.status,
        "ms": round(poll.seconds * 1000, 1),
        "database_ms": round(poll.database_seconds * 1000, 1),
        "queries": poll.queries,
        "actor": poll.actor,
        "revision": poll.revision,
        "request_id": poll.request_id,
    }
    arguments = ("GET", ROUTE, poll.status)
    record = logger.makeRecord(logger.name, level, "", 0, "%s %s %s", arguments, None, extra=facts)
    record.created, record.msecs = NOW, int(NOW % 1 * 1000)
    return formatter(log_format).format(record) + "\n"


@pytest.mark.parametrize(("poll", "level"), [(POLL, logging.INFO), (UNKNOWN, logging.ERROR)])
@pytest.mark.parametrize(("log_format", "line"), [("json", json_line), ("text", text_line)])
def test_lines(poll: Answered, level: int, log_format: str, line: Callable[..., str]) -> None:
    assert line(poll, level) == logged(poll, level, log_format)
    if log_format == "json":
        assert json.loads(line(poll, level))["request_id"] == "abc-1"


def histogram() -> tuple[Any, CollectorRegistry]:
    registry = CollectorRegistry()
    return Histogram("seconds", "For this test.", buckets=(0.1, 1), registry=registry), registry


def test_all_at_once_is_one_by_one() -> None:
    values = [0.05, 0.1, 0.2, 1, 5]
    (many, told_many), (single, told_single) = histogram(), histogram()
    observe_all(many, values)
    for value in values:
        single.observe(value)

    def lines(registry: CollectorRegistry) -> list[str]:
        told = generate_latest(registry).decode().splitlines()
        return [line for line in told if "_created" not in line]

    assert lines(told_many) == lines(told_single)
