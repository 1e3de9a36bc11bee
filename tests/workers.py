"""The workers of a running server, and how to replace them."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from tests.processes import Server


def workers(server: Server) -> set[int]:
    return children(server.process.pid)


def children(pid: int) -> set[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return {int(child) for child in listed.split()}


def all_workers(server: Server) -> set[int]:
    """Waits for them: a server answers as soon as the first is there."""
    count = int(server.environment["WEB_CONCURRENCY"])
    wait_until(lambda: len(workers(server)) == count)
    return workers(server)


def replace_workers(server: Server) -> None:
    """Returns when the last of the old ones is gone."""
    before = all_workers(server)
    os.kill(server.process.pid, signal.SIGHUP)
    wait_until(lambda: not before & all_workers(server))


def wait_until(true: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)
