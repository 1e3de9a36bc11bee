from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from django.apps import apps
from django.db import connection
from django.db.models.signals import post_migrate
from gunicorn import __version__ as gunicorn_version

from fleet.models import Environment
from tests.databases import on_postgres
from tests.processes import LAUNCH, Server, own_place, running

# How long one example takes says more about the machine than about the code.
hypothesis.settings.register_profile("suite", deadline=None)
hypothesis.settings.load_profile("suite")

DATABASE_FIXTURES = {
    "db",
    "transactional_db",
    "django_db_setup",
    "server",
    "postgres",
    "planes",
    "large",
}


def pytest_report_header() -> str:
    return f"database: {'PostgreSQL' if on_postgres() else 'SQLite'}; gunicorn {gunicorn_version}"


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("database"):
        if connection.vendor not in marker.args:
            pytest.skip(f"is about {' and '.join(marker.args)}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What touches no database has run with SQLite, and would tell nothing new on PostgreSQL."""
    if not on_postgres():
        return
    chosen = [item for item in items if DATABASE_FIXTURES & set(fixtures_of(item))]
    kept = set(chosen)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = chosen


def fixtures_of(item: pytest.Item) -> list[str]:
    marked = ["db"] if item.get_closest_marker("django_db") else []
    return [*marked, *getattr(item, "fixturenames", ())]


def restore_migrated_rows(**kwargs: Any) -> None:
    """A test with real transactions ends in a flush, which also takes what migrations wrote."""
    flushed = "plan" not in kwargs
    if flushed and not Environment.objects.exists():
        migration = import_module("fleet.migrations.0002_usual_environments")
        migration.create_usual_environments(apps, None)


post_migrate.connect(restore_migrated_rows, sender=apps.get_app_config("fleet"))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers that share one home and one database: `server(API_MODE="read-only")`."""
    with own_place(tmp_path) as place, ExitStack() as stack:

        def start(command: tuple[str, ...] = LAUNCH, **environment: str) -> Server:
            return stack.enter_context(running({**place, **environment}, command))

        yield start
