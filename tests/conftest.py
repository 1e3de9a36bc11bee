import os
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


# Real processes that start, stop and fail, and walks over everything: minutes, for a few hundred
# tests that seldom fail alone.
SLOW = (
    "tests/cli/",
    "tests/admin/test_long_work.py",
    "tests/api/test_preconditions.py::test_of_many_at_once",
    "tests/api/test_selection.py::test_sql_and_the_merge_agree",
    "tests/docs/test_api_examples.py::test_every_example_runs_as_written",
    "tests/deploy/test_image.py",
    "tests/deploy/test_prepare.py",
    "tests/deploy/test_settings.py::test_the_role_that_compose_makes",
    "tests/planes/",
    "tests/config/test_launch.py",
    "tests/config/test_restarts.py",
    "tests/config/test_slow_clients.py",
    "tests/identity/test_browser_policy.py",
    "tests/identity/test_enrolments_at_once.py",
    "tests/identity/test_permission_table.py::test_the_",
    "tests/revisions/test_nothing_slips.py",
    "tests/plans/test_plan_properties.py",
    "tests/schema/test_pages.py",
    "tests/services/test_apply_properties.py",
    "tests/observability/test_log_lines.py",
    "tests/observability/test_metrics_of_workers.py",
    "tests/schema/test_errors.py::test_on_the_wire",
    "tests/undo/test_fifty_changes.py",
    "tests/undo/test_revert.py",
    "tests/undo/test_undo_properties.py",
)
# With a real browser, what people come to do; the walk over all pages is for `make browser`.
TASKS = ("tests/browser/test_tasks.py", "tests/browser/test_value_editor.py::test_replicas")
# Where databases differ: what they store, compare, lock and refuse.
DATABASE_MATTERS = (
    "tests/flux/",
    "tests/revisions/test_change.py",
    "tests/revisions/test_concurrent_writers.py",
    "tests/revisions/test_odd_writes.py",
    "tests/revisions/test_polls_during_writes.py",
    "tests/plans/",
    "tests/undo/test_timetravel.py",
    "tests/identity/test_tokens.py",
    "tests/identity/test_enrolment.py",
)
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
    """TEST_SUITE=quick is what `make test` runs; =rest and =browser are what that leaves out.

    What touches no database has run with SQLite, and would tell nothing new on PostgreSQL.
    """
    suite = os.environ.get("TEST_SUITE", "")
    chosen = [item for item in items if tells_something(item) and suite in {suite_of(item), ""}]
    kept = set(chosen)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = chosen


def tells_something(item: pytest.Item) -> bool:
    return not on_postgres() or bool(DATABASE_FIXTURES & set(fixtures_of(item)))


def suite_of(item: pytest.Item) -> str:
    if item.nodeid.startswith("tests/browser/"):
        return "quick" if item.nodeid.startswith(TASKS) else "browser"
    quick = item.nodeid.startswith(DATABASE_MATTERS) or not on_postgres()
    return "quick" if quick and not item.nodeid.startswith(SLOW) else "rest"


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
