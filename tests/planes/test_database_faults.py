"""A sick PostgreSQL: each poll gets its whole answer or a quick error, and all is well again."""

import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
import pytest

from tests.planes.conftest import SERVE, STATEMENT_SECONDS, Place
from tests.planes.polling import polling
from tests.planes.postgres import Postgres
from tests.processes import Server, running

pytestmark = pytest.mark.database("postgresql")

# A statement with its margin, or a health check and a connection; and a busy machine.
QUICK = max(STATEMENT_SECONDS + 1, 2 + 2) + 2


def ready(server: Server) -> int:
    began = time.monotonic()
    status = server.get("/ready").status_code
    assert time.monotonic() - began < QUICK
    return status


def test_it_is_stopped_and_started_again(postgres: Postgres, reader: Server) -> None:
    with polling(reader) as polls:
        postgres.stop()
        polls.wait_for(503)
        assert ready(reader) == 503
        postgres.start()
        polls.wait_for(200)
        assert ready(reader) == 200
    polls.check()
    assert polls.statuses() == {200, 503}
    assert polls.slowest() < QUICK


@contextmanager
def with_one_thread(reader_place: Place) -> Iterator[Server]:
    """So that what is not in memory is read on its connection."""
    with running({**reader_place, "WEB_CONCURRENCY": "1", "THREADS": "1"}, SERVE) as started:
        yield started


def first_poll(server: Server, name: str) -> int:
    return server.get(f"/api/v2/flux/clusters/{name}.k8s.example.com/namespaces").status_code


def test_connections_that_were_lost_meanwhile_are_replaced(
    postgres: Postgres, reader_place: Place
) -> None:
    """Whoever polls notices nothing."""
    with with_one_thread(reader_place) as started:
        for name in ("demo-cluster-01", "prod-eu-01"):
            assert first_poll(started, name) == 200
            [(ended,)] = postgres.sql(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                "WHERE usename = 'fleet_reader'"
            )
            assert ended >= 2  # The thread's, and the loop's for the newest revision.


def test_a_migration_changes_what_statements_were_prepared_for(
    postgres: Postgres, reader_place: Place
) -> None:
    with with_one_thread(reader_place) as started:
        assert first_poll(started, "demo-cluster-01") == 200
        postgres.sql("ALTER TABLE fleet_cluster ALTER vm_image TYPE text", "fleet")
        try:
            assert first_poll(started, "prod-eu-01") == 200
            assert '"level": "ERROR"' not in started.output
        finally:
            postgres.sql("ALTER TABLE fleet_cluster ALTER vm_image TYPE varchar(255)", "fleet")


def test_locked_tables(postgres: Postgres, reader: Server) -> None:
    with polling(reader) as polls:
        with psycopg.connect(postgres.url("fleet")) as other:
            other.execute("LOCK TABLE fleet_cluster, fleet_head IN ACCESS EXCLUSIVE MODE")
            polls.wait_for(503)
            assert ready(reader) == 503
        polls.wait_for(200)
        assert ready(reader) == 200
    polls.check()
    assert polls.statuses() == {200, 503}
    assert polls.slowest() < QUICK


def test_it_hangs_in_the_middle_of_everything(postgres: Postgres, reader: Server) -> None:
    """Then it does not keep its own time-outs."""
    with polling(reader) as polls:
        with postgres.frozen():
            polls.wait_for(503)
            assert ready(reader) == 503
        polls.wait_for(200)
        assert ready(reader) == 200
    polls.check()
    assert polls.statuses() == {200, 503}
    assert polls.slowest() < QUICK


def test_a_host_that_accepts_and_never_answers(place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"postgres://fleet@127.0.0.1:{listener.getsockname()[1]}/fleet"
        with running({**place, "API_MODE": "read-only", "DATABASE_URL": url}, SERVE) as started:
            began = time.monotonic()
            response = started.get("/api/v2/flux/clusters")
            assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
            assert time.monotonic() - began < QUICK
            assert ready(started) == 503
            check_that_polls_leave_room_for_probes(started)


def check_that_polls_leave_room_for_probes(server: Server) -> None:
    """Ten times as many polls as threads would take twenty seconds, two each."""
    with ThreadPoolExecutor(40) as pool:
        began = time.monotonic()
        polls = [pool.submit(server.get, "/api/v2/flux/clusters") for _ in range(40)]
        assert server.get("/health").status_code == 200
        assert {poll.result().status_code for poll in polls} == {503}
        assert time.monotonic() - began < 10
