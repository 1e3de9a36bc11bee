"""What it was measured on."""

import os
import platform
import sqlite3
import subprocess
from importlib.metadata import version
from pathlib import Path

from tests.bench.servers import WORKERS
from tests.databases import postgres_programs


def machine(databases: tuple[str, ...]) -> str:
    parts = [
        f"{os.cpu_count()} cores ({processor()}), {memory() / 2**30:.0f} GiB",
        f"{platform.system()} {platform.release().partition('-')[0]}",
        f"Python {platform.python_version()}, Django {version('Django')}",
        f"gunicorn {version('gunicorn')} with {WORKERS} workers",
        f"SQLite {sqlite3.sqlite_version}",
        *([f"PostgreSQL {postgres()}"] if "postgres" in databases else []),
    ]
    return f"Measured on one machine, load and database included: {'; '.join(parts)}."


def processor() -> str:
    names = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return names[0] if names else platform.machine()


def memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def postgres() -> str:
    program = postgres_programs() / "postgres"
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    return done.stdout.split()[-1]
