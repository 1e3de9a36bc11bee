"""The commands of docs/operations.md, run as they stand there."""

import subprocess
import sys
from pathlib import Path

from config.environment import BASE_DIR
from tests.databases import on_postgres, postgres_programs
from tests.docs.blocks import blocks_of
from tests.processes import environment_with


def block_with(word: str) -> str:
    [found] = [block for block in blocks_of("operations.md", "bash") if word in block]
    return found


def shell(block: str, user: str | None = None, **environment: str) -> str:
    """With `python` as ours, and the programs of the test's PostgreSQL."""
    environment = environment_with(environment)
    programs = [str(Path(sys.executable).parent)]
    if on_postgres():
        programs.append(str(postgres_programs()))
    environment["PATH"] = ":".join((*programs, environment["PATH"]))
    done = subprocess.run(
        ["bash", "-euc", block],
        user=user,
        cwd=BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
