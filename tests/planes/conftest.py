"""Both planes, started once for all tests. gunicorn alone, since the launcher would double the time
of a start; it prepares the databases."""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.planes.postgres import (
    Postgres,
    let_reader_read,
    make_fleet_database,
    new_postgres,
)
from tests.processes import Server, running

SERVE = (sys.executable, "-m", "gunicorn", "-c", "config/gunicorn.py")
SECRETS = {
    "SECRET_KEY": "for these tests alone",
    "AUTH_TOKEN": "read",
    "CRUD_AUTH_TOKEN": "write",
    "ADMIN_PASSWORD": "password",
    "HTTPS_ONLY": "false",
}
READ_ONLY = {"API_MODE": "read-only"}
# Short, since each test of a fault waits for it.
STATEMENT_SECONDS = 2

Place = dict[str, str]


@dataclass(frozen=True)
class Planes:
    """Both planes on one SQLite database."""

    place: Place
    crud: Server
    read: Server


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker("slow")


@pytest.fixture(scope="session")
def demo_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite database with the demo fleet, as a server that was stopped has left it."""
    file = tmp_path_factory.mktemp("demo") / "fleet.sqlite3"
    with running({**SECRETS, "DATABASE_URL": f"sqlite://{file}"}):
        pass
    return file


def copy_of(file: Path, folder: Path) -> Place:
    folder.mkdir()
    shutil.copy(file, folder)
    return {**SECRETS, "DATABASE_URL": f"sqlite://{folder}/{file.name}"}


@pytest.fixture(scope="session")
def planes(demo_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planes]:
    place = copy_of(demo_file, tmp_path_factory.mktemp("planes") / "data")
    with (
        running(place, SERVE) as crud,
        running({**place, **READ_ONLY, "WEB_CONCURRENCY": "2"}, SERVE) as read,
    ):
        yield Planes(place, crud, read)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with new_postgres() as started:
        yield started


@pytest.fixture(scope="session")
def place(postgres: Postgres) -> Place:
    """A database with the demo fleet, with the roles that docs/operations.md has."""
    make_fleet_database(postgres)
    place = {**SECRETS, "DATABASE_URL": postgres.url("fleet", "fleet")}
    with running(place):
        pass
    let_reader_read(postgres)
    return place


@pytest.fixture(scope="session")
def reader_place(postgres: Postgres, place: Place) -> Place:
    url = postgres.url("fleet", "fleet_reader")
    return {**place, **READ_ONLY, "DATABASE_URL": url, "STATEMENT_TIMEOUT": str(STATEMENT_SECONDS)}


@pytest.fixture(scope="session")
def reader(reader_place: Place) -> Iterator[Server]:
    with running({**reader_place, "THREADS": "8"}, SERVE) as started:
        yield started
