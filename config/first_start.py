"""Brings the database to where a server can work with it: tables, a fleet, somebody to log in."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.db.backends.utils import CursorWrapper
from django.db.migrations.executor import MigrationExecutor

from config.environment import ConfigurationError
from fleet.models import Cluster, Component

ADMIN = "admin"
# Any number will do that nobody else uses in this database.
LOCK = 3_514_117_025
LOCK_PAUSE = 0.2


def prepare_store() -> None:
    if settings.READ_ONLY and not settings.MEMORY_STORE:
        return
    try:
        with one_at_a_time():
            fill_store()
    except DatabaseError as error:
        reason = " ".join(str(error).split())
        raise ConfigurationError(
            f"The database {database_name()} cannot be used: {reason}; "
            "DATABASE_URL must name one that we may write to."
        ) from error


def fill_store() -> None:
    migrate()
    # By their history: a fleet that its owner has emptied must not fill up again by itself.
    if not Cluster.history.exists() and not Component.history.exists():
        load_fleet()
    if not settings.READ_ONLY:
        make_admin()


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Replicas that start together queue up here: one makes the tables, the others find them.

    The lock is that of a session: whatever becomes of its holder, PostgreSQL lets go of it. It is
    asked for again and again, since a wait would end with `statement_timeout`. A SQLite file is
    one machine's, with one server that prepares it.
    """
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        while not _locked(cursor, "SELECT pg_try_advisory_lock(%s)"):
            time.sleep(LOCK_PAUSE)
        try:
            yield
        finally:
            if connection.is_usable():
                _locked(cursor, "SELECT pg_advisory_unlock(%s)")


def _locked(cursor: CursorWrapper, question: str) -> bool:
    cursor.execute(question, [LOCK])
    return cursor.fetchone()[0]


def migrate() -> None:
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False)


def load_fleet() -> None:
    """All or nothing: after a refusal nothing is there, and the next start tries again."""
    file = settings.SEED_FILE or settings.DEMO_FILE
    try:
        call_command("import_seed", str(file))
    except CommandError as error:
        raise ConfigurationError(f"SEED_FILE {file} is refused.\n{error}") from error


def make_admin() -> None:
    users = get_user_model().objects
    if not users.filter(username=ADMIN).exists():
        users.create_superuser(username=ADMIN, password=os.environ["ADMIN_PASSWORD"])
        sys.stdout.write(f"Made the user {ADMIN}.\n")


def database_name() -> str:
    """As in DATABASE_URL, without the password."""
    database = settings.DATABASES["default"]
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME'].lstrip('/')}"
    port = f":{database['PORT']}" if database["PORT"] else ""
    return f"postgres://{database['USER']}@{database['HOST']}{port}/{database['NAME']}"
