"""Programs that run in the background; each ends with the block that started it."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from tests.processes import environment_with

START_SECONDS = 60
STOP_SECONDS = 15


class NotStarted(Exception):
    pass


def end_as_with_ctrl_c() -> None:
    """What ends a job of a CI then ends all that it has started."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)


@contextmanager
def daemon(
    name: str,
    command: list[str | Path],
    *,
    logs: Path,
    is_ready: Callable[[], bool],
    environment: Mapping[str, str] | None = None,
) -> Iterator[None]:
    """In a process group of its own: Ctrl-C ends the tests, and they end this."""
    log = logs / f"{name}.log"
    with log.open("ab") as stream:
        process = subprocess.Popen(
            command,
            cwd=logs,
            env=environment_with(environment or {}),
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        wait_until_ready(name, process, log, is_ready)
        yield
    finally:
        end(process)


def wait_until_ready(
    name: str, process: subprocess.Popen[bytes], log: Path, is_ready: Callable[[], bool]
) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if is_ready():
            return
        time.sleep(0.1)
    last = "\n".join(log.read_text(errors="replace").splitlines()[-20:])
    raise NotStarted(f"{name} did not start. The end of {log}:\n{last}")


def end(process: subprocess.Popen[bytes]) -> None:
    with suppress(subprocess.TimeoutExpired):
        process.terminate()
        process.wait(STOP_SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
