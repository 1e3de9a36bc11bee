"""What a running server writes to its log."""

import base64
import socket

import httpx
import pytest

from tests.observability.lines import line_of_poll, lines, lines_of
from tests.processes import Server

pytestmark = [pytest.mark.slow, pytest.mark.server, pytest.mark.database("sqlite")]

POLL = "/api/v2/flux/clusters/demo-cluster-01.k8s.example.com/namespaces"
SECRET = "hunter2"
BASIC = base64.b64encode(f"anyone:{SECRET}".encode()).decode()


def ask(server: Server, path: str, request_id: str, **options) -> httpx.Response:
    headers = {"X-Request-ID": request_id, **options.pop("headers", {})}
    method = options.pop("method", "GET")
    return httpx.request(method, server.base_url + path, headers=headers, timeout=30, **options)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_a_request_is_one_line_of_json(busy: Server) -> None:
    answer = ask(busy, POLL, "one-line", headers=bearer(busy.read_token))
    line = line_of_poll(busy, "one-line")
    assert line.pop("ms") >= line.pop("database_ms") > 0
    assert line.pop("queries") >= 1
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "INFO",
        "logger": "fleet.requests",
        "message": "GET /api/v2/flux/clusters/{dns}/{resource} 200",
        "method": "GET",
        "route": "/api/v2/flux/clusters/{dns}/{resource}",
        "status": 200,
        "actor": "AUTH_TOKEN",
        "revision": int(answer.headers["X-Fleet-Revision"]),
        "request_id": "one-line",
    }


def test_every_line_of_the_log_is_json(busy: Server) -> None:
    log = busy.output.partition("Ctrl-C stops the server.\n\n")[2]
    assert len(log.splitlines()) == len(lines(busy)) > 0
    assert {line["logger"] for line in lines(busy)} >= {"gunicorn.error"}


def test_a_write_has_its_revision(busy: Server) -> None:
    headers = bearer(busy.write_token)
    ask(busy, "/namespaces", "write", method="POST", json={"id": "logged"}, headers=headers)
    [line] = lines_of(busy, "write")
    assert (line["status"], line["actor"]) == (201, "CRUD_AUTH_TOKEN")
    assert line["revision"] > 0


def test_a_wrong_token_is_one_line_without_it(busy: Server) -> None:
    assert ask(busy, POLL, "wrong", headers=bearer(SECRET)).status_code == 401
    [line] = lines_of(busy, "wrong")
    assert (line["status"], line["actor"]) == (401, None)
    assert SECRET not in busy.output


def test_an_unknown_address_is_not_written_down(busy: Server) -> None:
    assert ask(busy, f"/{SECRET}", "unknown").status_code == 404
    [line] = lines_of(busy, "unknown")
    assert line["route"] == "unmatched"
    assert SECRET not in busy.output


def test_probes_in_order_are_not_logged(busy: Server) -> None:
    assert ask(busy, "/ready", "probe").headers["X-Request-ID"] == "probe"
    assert lines_of(busy, "probe") == []


def test_an_unknown_host_is_told_without_a_traceback(busy: Server) -> None:
    assert ask(busy, POLL, "host", headers={"Host": "elsewhere.example"}).status_code == 400
    warning, line = lines_of(busy, "host")
    assert "elsewhere.example" in warning["message"]
    assert "exc_info" not in warning
    assert line["status"] == 400


@pytest.mark.parametrize(
    ("path", "options"),
    [
        (f"{POLL}?token={SECRET}", {}),
        (POLL, {"headers": {"Authorization": f"Bearer {SECRET}"}}),
        (POLL, {"headers": {"Authorization": f"Basic {BASIC}"}}),
        (POLL, {"headers": {"Cookie": f"sessionid={SECRET}"}}),
        (POLL, {"headers": {"X-Api-Key": SECRET}}),
        ("/namespaces", {"method": "POST", "json": {"id": SECRET}}),
        ("/admin/login/", {"method": "POST", "data": {"username": "a", "password": SECRET}}),
        (f"/clusters/{SECRET}", {}),
        (f"/static/{SECRET}", {}),
    ],
)
def test_no_secret_is_logged(busy: Server, path: str, options: dict) -> None:
    ask(busy, path, "secret", **options)
    assert lines_of(busy, "secret")
    assert SECRET not in busy.output
    assert BASIC not in busy.output


def test_what_gunicorn_refuses_is_not_logged(busy: Server) -> None:
    """It answers by itself, and any client could fill the log."""
    host, _, port = busy.environment["LISTEN_ADDR"].rpartition(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(f"GET / HTTP/1.1\r\nAuthorization Bearer {SECRET}\r\n\r\n".encode())
        assert connection.recv(20).startswith(b"HTTP/1.1 400")
    assert SECRET not in busy.output


@pytest.mark.parametrize("given", ["", "a b", "a" * 65, "a\u00e9", '"quoted"', "<script>"])
def test_an_odd_request_id_is_replaced(busy: Server, given: str) -> None:
    headers = {b"X-Request-ID": given.encode()}
    own = httpx.get(f"{busy.base_url}/health", headers=headers).headers["X-Request-ID"]
    assert len(own) == 32
    assert own.isalnum()
