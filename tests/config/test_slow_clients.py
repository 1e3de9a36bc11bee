"""A client that is slow, or hostile, must not keep others from their answers."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from tests.observability.lines import line_with
from tests.processes import Server, own_place, running

pytestmark = pytest.mark.database("sqlite")

LAST_REQUEST = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
HALF_A_REQUEST = b"GET /health HTTP/1.1\r\nHost: loc"


@pytest.fixture(scope="module", params=["crud", "read-only"])
def server(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Server]:
    """With one worker and one thread: whoever is stuck is in everybody's way."""
    folder: Path = tmp_path_factory.mktemp("slow")
    with own_place(folder) as place, ExitStack() as stack:
        if request.param == "read-only":  # It finds what the other has prepared.
            stack.enter_context(running(place))
        own = {**place, "API_MODE": request.param, "THREADS": "1", "CLIENT_TIMEOUT": "2"}
        yield stack.enter_context(running(own))


def connect(server: Server) -> socket.socket:
    host, _, port = server.environment["LISTEN_ADDR"].rpartition(":")
    return socket.create_connection((host, int(port)), timeout=10)


def seconds_of_a_request(server: Server) -> float:
    with connect(server) as client:
        started = time.monotonic()
        client.sendall(LAST_REQUEST)
        assert client.recv(12) == b"HTTP/1.1 200"
        return time.monotonic() - started


def go_on_sending(client: socket.socket) -> None:
    for _ in range(100):
        client.sendall(b"more")
        time.sleep(0.1)


def test_clients_that_do_not_hang_up_hold_up_nobody(server: Server) -> None:
    with ExitStack() as stack:
        for _ in range(3):
            client = stack.enter_context(connect(server))
            client.sendall(LAST_REQUEST)
            assert client.recv(12) == b"HTTP/1.1 200"
        # Each would be in the way for 2 seconds.
        assert seconds_of_a_request(server) < 1.5


def test_a_client_that_does_not_hang_up_is_hung_up_on(server: Server) -> None:
    with connect(server) as client:
        client.sendall(LAST_REQUEST)
        while client.recv(4096):
            pass
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            go_on_sending(client)


def test_a_client_that_stops_in_its_request_is_given_up(server: Server) -> None:
    with connect(server) as client:
        client.sendall(HALF_A_REQUEST)
        assert httpx.get(f"{server.base_url}/health", timeout=10).status_code == 200
        assert '"level": "WARNING"' in line_with(server, "A client stopped in the middle")
    assert "Traceback" not in server.output
