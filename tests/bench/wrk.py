"""wrk, which makes the load: as installed, or as Debian has it."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from tests import debian

SCRIPT = Path(__file__).parent / "polls.lua"
MISSING = "wrk is not installed; it is a package of Debian and of Homebrew: apt-get install wrk"
# One thread makes several times what the servers here can answer, and leaves them the other core.
THREADS = 1
CONNECTIONS = 32
# Those that are opened all at once may all be one worker's, and would be for ever.
POLLS_OF_A_CONNECTION = 25
# After which Flux Operator gives up a poll by default, and calls it an error.
TIMEOUT_SECONDS = 60


@dataclass(frozen=True)
class Load:
    """What came of a load; times in milliseconds."""

    polls: int
    seconds: float
    p50: float
    p99: float
    longest: float
    refused: int = 0
    broken: int = 0

    @property
    def rate(self) -> float:
        return self.polls / self.seconds

    @property
    def errors(self) -> int:
        return self.refused + self.broken


def together(loads: Sequence[Load]) -> Load:
    """Of several rounds. Their percentiles cannot be added up: these are the means."""
    return Load(
        polls=sum(load.polls for load in loads),
        seconds=sum(load.seconds for load in loads),
        p50=fmean(load.p50 for load in loads),
        p99=fmean(load.p99 for load in loads),
        longest=max(load.longest for load in loads),
        refused=sum(load.refused for load in loads),
        broken=sum(load.broken for load in loads),
    )


class Missing(Exception):
    pass


def obtain() -> None:
    if not shutil.which("wrk"):
        debian.install("wrk")
    if not shutil.which("wrk"):
        raise Missing(MISSING)


def drive(
    base_url: str,
    polls: Path,
    seconds: int,
    *,
    connections: int = CONNECTIONS,
    new_connections: bool = False,
) -> Load:
    """As many polls as the server answers, each a random one of those in the file."""
    done = subprocess.run(
        [
            *("wrk", "--latency", f"--threads={THREADS}", f"--connections={connections}"),
            *(f"--duration={seconds}s", f"--timeout={TIMEOUT_SECONDS}s"),
            *("--script", str(SCRIPT), base_url),
            *("--", str(polls), "1" if new_connections else str(POLLS_OF_A_CONNECTION)),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    [line] = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    return Load(**json.loads(line.removeprefix("RESULT ")))
