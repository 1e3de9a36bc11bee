"""What fleet.request_log writes and counts of a request, for a poll that Django did not see.

A line is made by hand, and those of polls that are answered together are written together: by
`logging` and its JSON, a line would take longer than the answer.
"""

import asyncio
import logging
import sys
import time
from typing import TYPE_CHECKING

from django.conf import settings

from fleet.metrics import DATABASE, POLLS, REQUESTS, poll_result
from fleet.request_log import DatabaseTime, level_of, logger

if TYPE_CHECKING:
    from flux_api.polls import Poll, Reply

ROUTE = "/api/v2/flux/clusters/{dns}/{resource}"


class PollLog:
    def __init__(self) -> None:
        self._lines: list[str] = []
        self._text = settings.LOG_FORMAT == "text"

    def write(self, poll: "Poll", reply: "Reply", seconds: float, database: DatabaseTime) -> None:
        count(poll.resource, reply.state, reply.status, seconds, database.seconds)
        level = level_of(ROUTE, reply.status)
        if not logger.isEnabledFor(level):
            return
        if not self._lines:
            asyncio.get_running_loop().call_soon(self._flush)
        make = text_line if self._text else json_line
        self._lines.append(make(logging.getLevelName(level), poll, reply, seconds, database))

    def _flush(self) -> None:
        lines, self._lines = self._lines, []
        sys.stderr.write("".join(lines))
        sys.stderr.flush()


def json_line(
    level: str, poll: "Poll", reply: "Reply", seconds: float, database: DatabaseTime
) -> str:
    """No value needs to be escaped: names and ids are plain by their rules."""
    actor = f'"{reply.actor}"' if reply.actor else "null"
    now = time.time()
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now))
    return (
        f'{{"time": "{moment}.{int(now % 1 * 1000):03}Z", "level": "{level}", '
        f'"logger": "{logger.name}", "message": "GET {ROUTE} {reply.status}", "method": "GET", '
        f'"route": "{ROUTE}", "status": {reply.status}, "ms": {round(seconds * 1000, 1)}, '
        f'"database_ms": {round(database.seconds * 1000, 1)}, "queries": {database.queries}, '
        f'"actor": {actor}, "revision": {reply.revision or "null"}, '
        f'"request_id": "{poll.request_id}"}}\n'
    )


def text_line(
    level: str, poll: "Poll", reply: "Reply", seconds: float, database: DatabaseTime
) -> str:
    now = time.time()
    moment = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now))
    known = "".join(
        f" {name}={value}"
        for name, value in (("actor", reply.actor), ("revision", reply.revision))
        if value is not None
    )
    return (
        f"{moment},{int(now % 1 * 1000):03} {level} {logger.name}: GET {ROUTE} {reply.status} "
        f"ms={round(seconds * 1000, 1)} database_ms={round(database.seconds * 1000, 1)} "
        f"queries={database.queries}{known} request_id={poll.request_id}\n"
    )


def count(resource: str, state: str, status: int, seconds: float, database: float) -> None:
    REQUESTS.labels("GET", ROUTE, status).observe(seconds)
    DATABASE.labels(ROUTE).observe(database)
    POLLS.labels(resource, state, poll_result(status)).inc()
