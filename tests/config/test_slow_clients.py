"""A client that is slow, or hostile, must not keep others from their answers."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from tests.processes import Server, own_place, running

pytestmark = [pytest.mark.slow, pytest.mark.server, pytest.mark.database("sqlite")]

LAST_REQUEST = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
DEMO = "demo-cluster-01.k8s.example.com"


@pytest.fixture(scope="module", params=["crud", "read-only"])
def server(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Server]:
    """With one worker and one thread: a client that holds it is in the way of all others."""
    folder: Path = tmp_path_factory.mktemp("slow")
    with own_place(folder) as place, ExitStack() as stack:
        if request.param == "read-only":  # It finds what the other has prepared.
            stack.enter_context(running(place))
        own = {**place, "API_MODE": request.param, "THREADS": "1", "CLIENT_TIMEOUT": "2"}
        yield stack.enter_context(running(own))


def connect(server: Server) -> socket.socket:
    host, _, port = server.environment["LISTEN_ADDR"].rpartition(":")
    return socket.create_connection((host, int(port)), timeout=10)


def check_that_others_are_answered(server: Server) -> None:
    assert httpx.get(f"{server.base_url}/health", timeout=10).status_code == 200
    assert server.inputs(f"clusters/{DEMO}/namespaces")


def test_clients_that_send_one_header_line_after_the_other(server: Server) -> None:
    with ExitStack() as stack:
        slow = [stack.enter_context(connect(server)) for _ in range(200)]
        for client in slow:
            client.sendall(b"GET /health HTTP/1.1\r\n")
        for number in range(3):
            for client in slow:
                client.sendall(f"X-Line-{number}: slow\r\n".encode())
            check_that_others_are_answered(server)


@pytest.mark.parametrize(
    "framing", [b"Content-Length: 100\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n5\r\n"]
)
def test_clients_that_stop_in_their_body(server: Server, framing: bytes) -> None:
    with ExitStack() as stack:
        for _ in range(5):
            client = stack.enter_context(connect(server))
            client.sendall(b"POST /admin/login/ HTTP/1.1\r\nHost: localhost\r\n" + framing + b"us")
        check_that_others_are_answered(server)


def test_clients_that_do_not_read_their_answer(server: Server) -> None:
    with ExitStack() as stack:
        for _ in range(5):
            client = stack.enter_context(connect(server))
            client.sendall(b"GET /openapi.yaml HTTP/1.1\r\nHost: localhost\r\n\r\n" * 5)
        check_that_others_are_answered(server)


def test_clients_that_do_not_hang_up(server: Server) -> None:
    with ExitStack() as stack:
        for _ in range(3):
            client = stack.enter_context(connect(server))
            client.sendall(LAST_REQUEST)
            assert client.recv(12) == b"HTTP/1.1 200"
        check_that_others_are_answered(server)
