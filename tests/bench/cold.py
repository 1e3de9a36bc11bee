"""The first poll of a cluster after a change, as the log of requests has it."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import httpx

from tests.bench.bench import Bench
from tests.bench.report import verdict
from tests.bench.writer import Writer

TITLE = "The first poll of a cluster after a change of the catalog, in milliseconds of the server"
RESOURCE = "platform-components"
POLLS = 50
LOG_SECONDS = 10
MOST_MILLISECONDS = 10
# By which the lines are found.
REQUEST_ID = "bench-cold-{}"


@dataclass(frozen=True)
class Line:
    ms: float
    database_ms: float
    queries: int


def measure_cold(bench: Bench, writer: Writer) -> None:
    size = bench.server.log.stat().st_size
    polls = [line for line in bench.fleet.polls.open() if f"/{RESOURCE} " in line]
    for number in range(POLLS):
        if number % len(polls) == 0:
            writer.change_catalog()
        poll(bench, polls[number % len(polls)], number)
    lines = wait_for_lines(bench.server.log, size)
    typical = median(line.ms for line in lines)
    bench.report.add(
        TITLE,
        {
            **bench.place,
            "median": f"{typical:.1f}",
            "longest": f"{max(line.ms for line in lines):.1f}",
            "of these in the database": f"{median(line.database_ms for line in lines):.1f}",
            "queries": f"{median(line.queries for line in lines):.0f}",
            f"< {MOST_MILLISECONDS} ms": verdict(typical < MOST_MILLISECONDS),
        },
    )


def poll(bench: Bench, line: str, number: int) -> None:
    """Over a connection of its own, so that any worker may get it."""
    path, token = line.split()
    headers = {"Authorization": f"Bearer {token}", "X-Request-ID": REQUEST_ID.format(number)}
    response = httpx.get(bench.server.base_url + path, headers=headers, timeout=30)
    bench.report.errors += response.status_code != 200


def wait_for_lines(log: Path, position: int) -> list[Line]:
    """A server may write them a little later."""
    deadline = time.monotonic() + LOG_SECONDS
    while len(lines := list(lines_after(log, position))) < POLLS:
        assert time.monotonic() < deadline, f"{len(lines)} of {POLLS} polls are in the log"
        time.sleep(0.1)
    return lines


def lines_after(log: Path, position: int) -> Iterator[Line]:
    with log.open("rb") as file:
        file.seek(position)
        for raw in file:
            if not raw.endswith(b"\n"):
                return
            line: dict[str, Any] = json.loads(raw)
            if str(line.get("request_id")).startswith(REQUEST_ID.format("")):
                yield Line(line["ms"], line["database_ms"], line["queries"])
