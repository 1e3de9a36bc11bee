"""Go, as the user has it installed."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ENVIRONMENT = {
    # Never another Go than the one that is there, nor other versions than go.sum has.
    "GOTOOLCHAIN": "local",
    "GOFLAGS": "-mod=readonly -buildvcs=false",
    "GOWORK": "off",
    # No C compiler needed.
    "CGO_ENABLED": "0",
}


class GoError(Exception):
    pass


def environment() -> dict[str, str]:
    return {**os.environ, **ENVIRONMENT}


def require() -> None:
    if not shutil.which("go"):
        raise GoError("Go 1.26 or newer is needed to build the programs: https://go.dev/dl")


def folder_of(module: str, within: Path) -> Path:
    """Downloads `path@version`, unless it is there, and checks it against go.sum."""
    done = subprocess.run(
        ["go", "mod", "download", "-json", module],
        cwd=within,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise GoError(f"{module} was not downloaded:\n{done.stderr}{done.stdout}")
    return Path(json.loads(done.stdout)["Dir"])


@contextmanager
def running(*arguments: str, cwd: Path) -> Iterator[subprocess.Popen[str]]:
    """In a process group of its own, since `go` leaves its compilers behind when it is ended."""
    process = subprocess.Popen(
        ["nice", "go", *arguments],
        cwd=cwd,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
