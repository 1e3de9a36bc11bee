"""What fleet.request_log writes and counts of a request, for polls that Django did not see.

Those of a moment are written and counted together, and a line is made by hand: one by one, by
`logging` and its JSON, that would take longer than the answers.
"""

import asyncio
import logging
import sys
import time
from collections import Counter, defaultdict
from functools import lru_cache
from typing import NamedTuple

from django.conf import settings

from fleet.metrics import DATABASE, POLLS, REQUESTS, observe_all, poll_result
from fleet.request_log import level_of, logger

# How long a line may wait for others. A worker that ends waits for it: config.loop_worker.
SECONDS = 0.02
ROUTE = "/api/v2/flux/clusters/{dns}/{resource}"


class Answered(NamedTuple):
    resource: str
    state: str
    status: int
    at: float
    seconds: float
    database_seconds: float
    queries: int
    actor: str | None
    revision: int | None
    request_id: str


class PollLog:
    def __init__(self) -> None:
        self._answered: list[Answered] = []
        self._line = text_line if settings.LOG_FORMAT == "text" else json_line

    def add(self, answered: Answered) -> None:
        if not self._answered:
            asyncio.get_running_loop().call_later(SECONDS, self._write)
        self._answered.append(answered)

    def _write(self) -> None:
        answered, self._answered = self._answered, []
        count(answered)
        lines = [
            self._line(poll, level)
            for poll in answered
            if logger.isEnabledFor(level := level_of(ROUTE, poll.status))
        ]
        if lines:
            sys.stderr.write("".join(lines))
            sys.stderr.flush()


def json_line(poll: Answered, level: int) -> str:
    """No value needs to be escaped: names and ids are plain by their rules."""
    actor = f'"{poll.actor}"' if poll.actor else "null"
    return (
        f'{{"time": "{utc(int(poll.at))}.{int(poll.at % 1 * 1000):03}Z", '
        f'"level": "{logging.getLevelName(level)}", "logger": "{logger.name}", '
        f'"message": "GET {ROUTE} {poll.status}", "method": "GET", "route": "{ROUTE}", '
        f'"status": {poll.status}, "ms": {round(poll.seconds * 1000, 1)}, '
        f'"database_ms": {round(poll.database_seconds * 1000, 1)}, "queries": {poll.queries}, '
        f'"actor": {actor}, "revision": {poll.revision or "null"}, '
        f'"request_id": "{poll.request_id}"}}\n'
    )


def text_line(poll: Answered, level: int) -> str:
    facts = {
        "ms": round(poll.seconds * 1000, 1),
        "database_ms": round(poll.database_seconds * 1000, 1),
        "queries": poll.queries,
        "actor": poll.actor,
        "revision": poll.revision,
        "request_id": poll.request_id,
    }
    known = "".join(f" {name}={value}" for name, value in facts.items() if value is not None)
    moment = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(poll.at))
    return (
        f"{moment},{int(poll.at % 1 * 1000):03} {logging.getLevelName(level)} {logger.name}: "
        f"GET {ROUTE} {poll.status}{known}\n"
    )


@lru_cache(maxsize=2)
def utc(second: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))


def count(answered: list[Answered]) -> None:
    seconds: defaultdict[int, list[float]] = defaultdict(list)
    for poll in answered:
        seconds[poll.status].append(poll.seconds)
    for status, values in seconds.items():
        observe_all(REQUESTS.labels("GET", ROUTE, status), values)
    observe_all(DATABASE.labels(ROUTE), [poll.database_seconds for poll in answered])
    polls = Counter((poll.resource, poll.state, poll.status) for poll in answered)
    for (resource, state, status), times in polls.items():
        POLLS.labels(resource, state, poll_result(status)).inc(times)
