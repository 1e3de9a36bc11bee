"""Reads the log of a running server."""

import json
from typing import Any

from tests.processes import Server
from tests.workers import wait_until


def lines(server: Server) -> list[dict[str, Any]]:
    """All of what is logged; the launcher's own words are no log."""
    return [json.loads(line) for line in server.output.splitlines() if line.startswith("{")]


def lines_of(server: Server, request_id: str) -> list[dict[str, Any]]:
    """Of one request that Django answered: its last line is written before its answer is sent."""
    return [line for line in lines(server) if line.get("request_id") == request_id]


def line_of_poll(server: Server, request_id: str) -> dict[str, Any]:
    return json.loads(line_with(server, f'"request_id": "{request_id}"'))


def line_with(server: Server, text: str) -> str:
    """Of what is written a moment later: the lines of polls, and what no request is behind."""

    def found() -> list[str]:
        return [line for line in server.output.splitlines() if text in line]

    wait_until(lambda: bool(found()))
    return found()[0]
