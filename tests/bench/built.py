"""A fleet in a database of its own, built by the commands that an operator would use."""

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_urlsafe

from tests.bench.fleets import fleet
from tests.databases import administer
from tests.processes import environment_with, own_place

MANAGE = (sys.executable, "manage.py")
SECRETS = ("SECRET_KEY", "AUTH_TOKEN", "CRUD_AUTH_TOKEN", "ADMIN_PASSWORD")


@dataclass(frozen=True)
class Spent:
    """Seconds by the clock, and of our own processes' CPU; MiB at the most."""

    wall: float
    cpu: float
    memory: float


@dataclass(frozen=True)
class Fleet:
    database: str
    clusters: int
    environment: Mapping[str, str]
    folder: Path
    imported: Spent

    @property
    def polls(self) -> Path:
        """All that there can be, with valid tokens."""
        return self.folder / "polls"


@contextmanager
def built(database: str, clusters: int) -> Iterator[Fleet]:
    os.environ["TEST_DATABASE"] = database
    with tempfile.TemporaryDirectory() as name, own_place(Path(name)) as place:
        folder = Path(name)
        if database == "postgres":
            keep_promises()
        yield filled(database, clusters, place, folder)


def filled(database: str, clusters: int, place: Mapping[str, str], folder: Path) -> Fleet:
    """In the empty database of this place; what else is needed is kept in the folder."""
    secrets = {name: token_urlsafe(32) for name in SECRETS}
    environment = {**place, **secrets, "HTTPS_ONLY": "false"}
    seed = folder / "fleet.json"
    seed.write_text(json.dumps(fleet(clusters)))
    execute(environment, *MANAGE, "migrate", "--verbosity=0")
    imported = execute(environment, *MANAGE, "import_seed", str(seed), "--verbosity=0")
    result = Fleet(database, clusters, environment, folder, imported)
    execute(environment, sys.executable, "-m", "tests.bench.polls", str(result.polls))
    return result


def keep_promises() -> None:
    """As it comes: for tests, it was told that nothing has to survive."""
    administer("ALTER SYSTEM RESET ALL")
    administer("SELECT pg_reload_conf()")


def execute(environment: Mapping[str, str], *command: str) -> Spent:
    settings = {"DJANGO_SETTINGS_MODULE": "config.settings", "LOG_LEVEL": "warning"}
    began = time.monotonic()
    pid = os.posix_spawn(command[0], command, environment_with({**settings, **environment}))
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise SystemExit(f"It failed: {' '.join(command)}")
    cpu = usage.ru_utime + usage.ru_stime
    return Spent(time.monotonic() - began, cpu, usage.ru_maxrss / 1024)
