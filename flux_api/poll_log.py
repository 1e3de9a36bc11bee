"""What fleet.web.request_log writes and counts of a request, for polls that Django did not see.

Those of a moment are written together: one by one, by `logging`, that would take longer than the
answers.
"""

import asyncio
import logging
import sys
from collections import Counter
from functools import cache
from typing import Any, NamedTuple

from django.conf import settings

from config.logs import formatter
from fleet.web.metrics import DATABASE, POLLS, REQUESTS, poll_result
from fleet.web.request_log import level_of, logger, request_facts

# How long a line may wait for others.
SECONDS = 0.02
ROUTE = "/api/v2/flux/clusters/{dns}/{resource}"


class AnsweredPoll(NamedTuple):
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
        self._answered: list[AnsweredPoll] = []
        self._formatter = formatter(settings.LOG_FORMAT)

    def add(self, answered: AnsweredPoll) -> None:
        if not self._answered:
            asyncio.get_running_loop().call_later(SECONDS, self.write)
        self._answered.append(answered)

    def write(self) -> None:
        answered, self._answered = self._answered, []
        count(answered)
        lines = [
            self.line(poll, level) + "\n"
            for poll in answered
            if logger.isEnabledFor(level := level_of(ROUTE, poll.status))
        ]
        sys.stderr.write("".join(lines))
        sys.stderr.flush()

    def line(self, poll: AnsweredPoll, level: int) -> str:
        facts = request_facts(
            "GET",
            ROUTE,
            poll.status,
            poll.seconds,
            poll.database_seconds,
            poll.queries,
            poll.actor,
            poll.revision,
        )
        facts["request_id"] = poll.request_id
        message = f"GET {ROUTE} {poll.status}"
        return self._formatter.line(
            poll.at, logging.getLevelName(level), logger.name, message, facts
        )


def count(answered: list[AnsweredPoll]) -> None:
    for poll in answered:
        requests_of(poll.status).observe(poll.seconds)
        # A poll that is answered from memory shares its one statement with others.
        if poll.queries > 1:
            DATABASE.labels(ROUTE).observe(poll.database_seconds)
    polls = Counter((poll.resource, poll.state, poll.status) for poll in answered)
    for (resource, state, status), times in polls.items():
        POLLS.labels(resource, state, poll_result(status)).inc(times)


# To find a series by its labels takes as long as to add to it. There are few.
@cache
def requests_of(status: int) -> Any:
    return REQUESTS.labels("GET", ROUTE, status)
