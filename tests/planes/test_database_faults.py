"""A sick PostgreSQL: each poll gets its whole answer or a quick error, and all is well again."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import psycopg
import pytest

from tests.planes.polling import answers_of, polling
from tests.planes.postgres import Postgres
from tests.processes import Server, running

pytestmark = pytest.mark.database("postgresql")

# STATEMENT_TIMEOUT of the tests, its margin, and a busy machine.
STATEMENT_SECONDS = 2
QUICK = STATEMENT_SECONDS + 1 + 2


@pytest.fixture(scope="module")
def replica(place: dict[str, str]) -> Iterator[Server]:
    given = {"API_MODE": "read-only", "STATEMENT_TIMEOUT": str(STATEMENT_SECONDS), "THREADS": "8"}
    with running({**place, **given}) as started:
        yield started


def ready(server: Server) -> int:
    began = time.monotonic()
    status = server.get("/ready").status_code
    assert time.monotonic() - began < QUICK
    return status


def test_it_is_stopped_and_started_again(postgres: Postgres, replica: Server) -> None:
    with polling(replica) as polls:
        postgres.stop()
        polls.wait_for(503)
        assert ready(replica) == 503
        postgres.start()
        polls.wait_for(200)
        assert ready(replica) == 200
    polls.check()
    assert polls.statuses() == {200, 503}
    assert polls.slowest() < QUICK


def test_a_locked_table(postgres: Postgres, replica: Server) -> None:
    with polling(replica) as polls:
        with psycopg.connect(postgres.url("fleet")) as other:
            other.execute("LOCK TABLE fleet_cluster, fleet_head IN ACCESS EXCLUSIVE MODE")
            polls.wait_for(503)
            assert ready(replica) == 503
        polls.wait_for(200)
        assert ready(replica) == 200
    polls.check()
    assert polls.statuses() == {200, 503}
    assert polls.slowest() < QUICK


def test_it_hangs_in_the_middle_of_everything(postgres: Postgres, replica: Server) -> None:
    """Then it does not keep its own time-outs."""
    with polling(replica) as polls:
        with postgres.frozen():
            polls.wait_for(503)
            assert ready(replica) == 503
        polls.wait_for(200)
        assert ready(replica) == 200
    polls.check()
    assert polls.statuses() == {200, 503}
    assert polls.slowest() < QUICK


def test_many_slow_statements_are_one_slow_request(postgres: Postgres, replica: Server) -> None:
    """Each of them would be fast enough by itself."""
    postgres.sql("ALTER SYSTEM SET post_auth_delay = 0")
    with polling(replica, clients=1) as polls, throttled(postgres):
        polls.wait_for(503, count=1)
        polls.stopped.set()
    polls.check()
    assert polls.slowest() < QUICK
    assert answers_of(replica)


@contextmanager
def throttled(postgres: Postgres) -> Iterator[None]:
    """Every read of the clusters takes a second, by a policy that sleeps."""
    role = "throttled"
    raise NotImplementedError(role)
    yield


def test_a_host_that_accepts_and_never_answers(place: dict[str, str]) -> None:
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        url = f"postgres://fleet@127.0.0.1:{listener.getsockname()[1]}/fleet"
        replica = stack.enter_context(
            running({**place, "API_MODE": "read-only", "DATABASE_URL": url})
        )
        began = time.monotonic()
        response = replica.get("/api/v2/flux/clusters")
        assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
        assert time.monotonic() - began < 4
        assert ready(replica) == 503
        assert replica.get("/health").status_code == 200
