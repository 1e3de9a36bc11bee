"""Polls as bytes on a connection."""

import socket

import pytest

from tests.planes.conftest import Planes
from tests.planes.polling import DEMO, answers_of
from tests.processes import Server

pytestmark = [pytest.mark.server, pytest.mark.database("sqlite")]

PATH = f"{DEMO}/namespaces"
CLOSE = "Connection: close"


def request(read: Server, *lines: str, body: str = "", version: str = "1.1") -> str:
    own = (f"Host: localhost\r\nAuthorization: Bearer {read.read_token}", *lines)
    return f"GET {PATH} HTTP/{version}\r\n" + "\r\n".join(own) + f"\r\n\r\n{body}"


def answers(read: Server, *requests: str) -> list[tuple[str, dict[str, str], bytes]]:
    """Until the server hangs up; all are sent at once."""
    host, _, port = read.environment["LISTEN_ADDR"].rpartition(":")
    with socket.create_connection((host, int(port)), timeout=10) as client:
        client.sendall("".join(requests).encode())
        stream = client.makefile("rb")
        found = []
        while status := stream.readline():
            lines = iter(stream.readline, b"\r\n")
            headers = dict(line.decode().strip().lower().split(": ", 1) for line in lines)
            found.append((status.decode().strip(), headers, stream.read(length_in(headers))))
        return found


def length_in(headers: dict[str, str]) -> int:
    return int(headers["content-length"])


def test_one_after_the_other_on_one_connection(planes: Planes) -> None:
    read = planes.read
    found = answers(read, request(read), request(read), request(read, CLOSE))
    expected = answers_of(read)[PATH]
    assert [body for _, _, body in found] == [expected] * 3
    assert [headers.get("connection") for _, headers, _ in found] == [None, None, "close"]


@pytest.mark.parametrize(
    ("version", "lines", "status"),
    [
        ("1.1", (CLOSE,), "HTTP/1.1 200 OK"),
        ("1.0", (), "HTTP/1.0 200 OK"),
    ],
)
def test_who_wants_one_answer_gets_one(
    planes: Planes, version: str, lines: tuple[str, ...], status: str
) -> None:
    read = planes.read
    [(first, headers, body)] = answers(read, request(read, *lines, version=version))
    assert (first, body) == (status, answers_of(read)[PATH])
    assert headers["connection"] == "close"


@pytest.mark.parametrize(
    ("lines", "body"),
    [
        (("Content-Length: 2",), "{}"),
        (("Transfer-Encoding: chunked",), "2\r\n{}\r\n0\r\n\r\n"),
    ],
)
def test_a_body_is_not_taken_for_the_next_request(
    planes: Planes, lines: tuple[str, ...], body: str
) -> None:
    read = planes.read
    found = answers(read, request(read, *lines, body=body), request(read, CLOSE))
    assert [status for status, _, _ in found] == ["HTTP/1.1 200 OK"] * 2


def test_no_header_can_be_smuggled_into_an_answer(planes: Planes) -> None:
    read = planes.read
    [(_, headers, _)] = answers(read, request(read, CLOSE, "X-Request-ID: a\tb, c: d"))
    assert len(headers["x-request-id"]) == 32


@pytest.mark.parametrize("plane", ["read", "crud"])
def test_both_paths_give_the_same_answer(planes: Planes, plane: str) -> None:
    """A condition that does not hold makes a poll unusual, so Django answers it."""
    server = getattr(planes, plane)
    unusual = request(server, 'If-None-Match: "another"', CLOSE)
    [(status, slow, body)] = answers(server, unusual)
    [(fast_status, fast, fast_body)] = answers(server, request(server, CLOSE))
    for headers in (slow, fast):
        for name in ("date", "x-request-id"):
            del headers[name]
    assert (fast_status, fast, fast_body) == (status, slow, body)
