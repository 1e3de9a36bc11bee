"""gunicorn's signals under load: no poll may fail for the reason that a server is restarted."""

import http.client
import os
import signal
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.config.polling import CLIENTS, PATH, polling, wait_for_answers
from tests.processes import Server, own_place, running
from tests.workers import all_workers, replace_workers, wait_until

# The same with any database, and each starts a server of its own: once is enough.
pytestmark = [pytest.mark.slow, pytest.mark.server, pytest.mark.database("sqlite")]

QUICK_END = {"GRACEFUL_TIMEOUT": "3"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """With a database that a server has prepared, for those that only read."""
    with own_place(tmp_path_factory.mktemp("restarts")) as place:
        with running(place):
            pass
        yield place


@pytest.fixture
def server(place: dict[str, str]) -> Iterator[Server]:
    with running({**place, "WEB_CONCURRENCY": "2"}) as started:
        yield started


@pytest.fixture(params=["crud", "read-only"])
def plane(place: dict[str, str], request: pytest.FixtureRequest) -> Iterator[Server]:
    own = {"WEB_CONCURRENCY": "2", "API_MODE": request.param, **QUICK_END}
    with running({**place, **own}) as started:
        yield started


def send(server: Server, number: signal.Signals) -> None:
    """To the master alone, as `kill` does."""
    os.kill(server.process.pid, number)


@contextmanager
def locked_database(server: Server) -> Iterator[None]:
    """Readers do not notice; a writer waits."""
    file = Path(server.environment["FLUX_FLEET_HOME"]) / "fleet.sqlite3"
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


def begin_write(server: Server) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection(server.environment["LISTEN_ADDR"], timeout=30)
    headers = {
        "Authorization": f"Bearer {server.write_token}",
        "Content-Type": "application/json",
    }
    connection.request("POST", "/namespaces", b'{"id": "slow"}', headers)
    return connection


def is_refused(server: Server) -> bool:
    host, _, port = server.environment["LISTEN_ADDR"].rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=5).close()
    except ConnectionRefusedError:
        return True
    return False


def test_hup_replaces_every_worker_and_no_poll_fails(plane: Server) -> None:
    with polling(plane) as polls:
        for _ in range(3):
            wait_for_answers(polls, 10)
            replace_workers(plane)
        wait_for_answers(polls, 10)
    assert (polls.failures, polls.refused) == ([], 0)


def test_a_rolling_restart_fails_no_poll(place: dict[str, str], plane: Server) -> None:
    """As Kubernetes does it: first new connections go to the new server, then the old one ends.
    Connections that were kept are answered there to the last."""
    own = {name: plane.environment[name] for name in ("WEB_CONCURRENCY", "API_MODE")}
    with running({**place, **own}) as successor, polling(plane) as polls:
        wait_for_answers(polls, 20)
        polls.server = successor
        wait_for_answers(polls, 20)
        send(plane, signal.SIGTERM)
        assert plane.process.wait(20) == 0
        wait_for_answers(polls, 20)
    assert (polls.failures, polls.refused, polls.retried) == ([], 0, 0)


def test_term_cuts_no_answer_off(plane: Server) -> None:
    """A connection that no worker has accepted yet may be reset, since the kernel had taken it."""
    with polling(plane) as polls:
        wait_for_answers(polls, 20)
        send(plane, signal.SIGTERM)
        assert plane.process.wait(20) == 0
    resets = [failure for failure in polls.failures if "ConnectionResetError" in failure]
    assert polls.failures == resets
    assert polls.refused == len(CLIENTS) - len(resets)


def test_term_waits_for_a_slow_request_and_refuses_new_ones_meanwhile(server: Server) -> None:
    with locked_database(server):
        slow = begin_write(server)
        send(server, signal.SIGTERM)
        wait_until(lambda: is_refused(server), seconds=15)
    assert slow.getresponse().status == 201
    assert server.process.wait(20) == 0


def test_a_write_that_waits_keeps_nobody_from_polls_and_probes(place: dict[str, str]) -> None:
    """It has the only thread that Django has."""
    with running({**place, "THREADS": "1"}) as server:
        with locked_database(server):
            slow = begin_write(server)
            assert server.get("/health", token="").json() == {"status": "ok"}
            assert server.get(PATH).status_code == 200
        assert slow.getresponse().status in {201, 409}


def test_an_idle_connection_is_waited_for_only_so_long(plane: Server) -> None:
    """By the master, or a little later by the worker itself."""
    idle = http.client.HTTPConnection(plane.environment["LISTEN_ADDR"], timeout=30)
    idle.request("GET", "/health")
    assert idle.getresponse().read()
    send(plane, signal.SIGTERM)
    assert plane.process.wait(20) == 0
    assert "Waiting for 1 connections to finish" in plane.output
    idle.close()


@pytest.mark.parametrize("milliseconds", [0, 20, 50, 100])
def test_a_signal_while_workers_start_is_obeyed(place: dict[str, str], milliseconds: int) -> None:
    """One that did not hear it would go on until it is killed, after a minute."""
    with running({**place, "WEB_CONCURRENCY": "2", "GRACEFUL_TIMEOUT": "60"}) as started:
        all_workers(started)
        send(started, signal.SIGHUP)
        time.sleep(milliseconds / 1000)
        send(started, signal.SIGTERM)
        assert started.process.wait(30) == 0
