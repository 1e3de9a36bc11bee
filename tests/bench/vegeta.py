"""Vegeta: polls at a constant rate. One that waits keeps no other from being sent in time."""

import json
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.bench.wrk import POLLS_OF_A_CONNECTION, TIMEOUT_SECONDS, Load
from tests.e2e.programs.build import build
from tests.e2e.programs.recipes import VEGETA

NANOSECONDS_IN_A_MILLISECOND = 1e6
ERRORS_SHOWN = 10


def obtain() -> Path:
    return build(VEGETA)["vegeta"]


def attack(base_url: str, polls: Path, *, rate: int, seconds: int) -> Load:
    """One poll after the other, as they are in the file, which is shuffled."""
    program = str(obtain())
    targets = polls.with_name("targets")
    targets.write_text("\n".join(targets_of(base_url, polls.open())))
    attacking = [
        *(program, "attack", f"-targets={targets}", f"-rate={rate}/s", f"-duration={seconds}s"),
        # The answers are read, but not kept.
        *(f"-timeout={TIMEOUT_SECONDS}s", "-max-body=0"),
    ]
    with subprocess.Popen(attacking, stdout=subprocess.PIPE) as process:
        done = subprocess.run(
            [program, "report", "-type=json"],
            stdin=process.stdout,
            capture_output=True,
            check=True,
        )
    return load_of(json.loads(done.stdout))


def targets_of(base_url: str, polls: Iterable[str]) -> Iterator[str]:
    for number, poll in enumerate(polls, start=1):
        path, token = poll.split()
        end = "" if number % POLLS_OF_A_CONNECTION else "Connection: close\n"
        yield f"GET {base_url}{path}\nAuthorization: Bearer {token}\n{end}"


def load_of(result: dict[str, Any]) -> Load:
    latencies = {
        name: value / NANOSECONDS_IN_A_MILLISECOND for name, value in result["latencies"].items()
    }
    for error in result["errors"][:ERRORS_SHOWN]:
        print(f"A poll failed: {error}")
    answered = {int(status): number for status, number in result["status_codes"].items()}
    return Load(
        polls=result["requests"],
        seconds=result["requests"] / result["rate"],
        p50=latencies["50th"],
        p99=latencies["99th"],
        longest=latencies["max"],
        refused=sum(number for status, number in answered.items() if status >= 300),
        # Without any answer.
        broken=answered.get(0, 0),
    )
