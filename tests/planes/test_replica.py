"""The read plane on a streaming replica goes on when the primary is gone."""

import signal
from collections.abc import Iterator

import pytest

from tests.planes.commands import block_with, shell
from tests.planes.conftest import SERVE, Place
from tests.planes.polling import answers_of, polling, wait_until
from tests.planes.postgres import Postgres, empty_postgres, standby_of
from tests.planes.replicas import COMPONENTS, change_settings, has_come_to, revision_of, write
from tests.processes import running

SLOT_IN_USE = "SELECT active FROM pg_replication_slots WHERE slot_name = 'fleet_replica'"

pytestmark = pytest.mark.database("postgresql")


@pytest.fixture
def primary(postgres: Postgres, place: Place) -> Iterator[Postgres]:
    """Others use it too: it is there again afterwards."""
    yield postgres
    if not postgres.process:
        postgres.start()


@pytest.fixture
def standby(primary: Postgres) -> Iterator[Postgres]:
    with standby_of(primary) as started:
        yield started


def test_it_follows_the_primary_and_outlives_it(
    primary: Postgres, standby: Postgres, place: Place, reader_place: Place
) -> None:
    on_standby = {**reader_place, "DATABASE_URL": standby.url("fleet", "fleet_reader")}
    with running(place, SERVE) as crud, running(on_standby, SERVE) as replica:
        assert standby.sql("SELECT pg_is_in_recovery()") == [(True,)]
        for message in ("seven", "eight"):
            written = write(crud, message)
            wait_until(has_come_to(replica, written))
            assert answers_of(replica) == answers_of(crud)

        with polling(replica) as polls:
            primary.stop(signal.SIGKILL)
            polls.wait_for(200, count=40)
        polls.check()
        assert polls.statuses() == {200}
        assert crud.get(COMPONENTS).status_code == 503
    with running(on_standby, SERVE) as restarted:
        assert restarted.get("/ready").json() == {"status": "ready", "revision": written}
        assert answers_of(restarted) == polls.expected


def test_a_poll_that_recovery_cancels_is_an_error_and_the_next_is_not(
    primary: Postgres, standby: Postgres, reader_place: Place
) -> None:
    """A lock that comes through the log waits for no reader, with `max_standby_streaming_delay`."""
    standby.sql("ALTER SYSTEM SET max_standby_streaming_delay = 0")
    standby.sql("SELECT pg_reload_conf()")
    on_standby = {**reader_place, "DATABASE_URL": standby.url("fleet", "fleet_reader")}
    with running(on_standby, SERVE) as replica, polling(replica) as polls:

        def cancelled() -> bool:
            primary.sql("BEGIN; LOCK TABLE fleet_cluster; COMMIT", "fleet")
            return 503 in polls.statuses()

        wait_until(cancelled)
        polls.wait_for(200)
    # It cancels a statement; between two of a transaction, it ends the connection.
    reasons = ("due to conflict with recovery", "the connection is lost", "closed the connection")
    errors = [line for line in replica.output.splitlines() if '"level": "ERROR"' in line]
    assert any(reason in line for reason in reasons for line in errors), errors
    polls.check()
    assert polls.statuses() == {200, 503}


@pytest.fixture
def documented(primary: Postgres) -> Iterator[Postgres]:
    """Made by the commands of docs/operations.md; nothing of it is left on the primary."""
    given = {
        "PRIMARY_URL": primary.url(),
        "REPLICATION_URL": primary.url("postgres", "fleet_replicator"),
    }
    with empty_postgres() as standby:
        try:
            commands = block_with("pg_basebackup")
            shell(commands, standby.user, **given, REPLICA_DATA=str(standby.data))
            standby.start()
            yield standby
        finally:
            settings = ("synchronous_standby_names", "synchronous_commit")
            change_settings(primary, [f"RESET {name}" for name in settings])
            standby.stop()
            wait_until(lambda: primary.sql(SLOT_IN_USE) == [(False,)])
            primary.sql("SELECT pg_drop_replication_slot('fleet_replica')")
            primary.sql("DROP ROLE fleet_replicator")


def test_the_commands_of_the_document(
    primary: Postgres, documented: Postgres, place: Place, reader_place: Place
) -> None:
    on_standby = {**reader_place, "DATABASE_URL": documented.url("fleet", "fleet_reader")}
    with running(place, SERVE) as crud, running(on_standby, SERVE) as replica:
        wait_until(has_come_to(replica, write(crud, "through the slot")))
        assert primary.sql(SLOT_IN_USE) == [(True,)]
        shell(block_with("remote_apply"), PRIMARY_URL=primary.url())
        wait_until(lambda: primary.sql("SHOW synchronous_commit") == [("remote_apply",)])
        for number in range(3):
            assert write(crud, f"waited for {number}") == revision_of(replica)
