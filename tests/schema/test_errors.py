"""All error answers have one shape, wherever they come from."""

import json
import socket

import pytest
from django.test import Client

AUTHORIZED = {"Authorization": "Bearer test-write-token"}
JSON = "application/json"
DEEP = "[" * 10_000 + "]" * 10_000


def check(response, status: int, code: str) -> None:
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"] == JSON
    body = response.json()
    assert set(body) == {"error", "message", "details"}
    assert body["error"] == code
    assert body["message"]
    assert isinstance(body["details"], dict)


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("POST", "/health", 405, "method_not_allowed"),
        ("DELETE", "/ready", 405, "method_not_allowed"),
        ("OPTIONS", "/health", 405, "method_not_allowed"),
        ("POST", "/openapi.yaml", 405, "method_not_allowed"),
        ("POST", "/docs", 405, "method_not_allowed"),
        ("POST", "/api", 405, "method_not_allowed"),
        ("PUT", "/clusters", 405, "method_not_allowed"),
        ("POST", "/clusters/a", 405, "method_not_allowed"),
        ("GET", "/clusters/a/freeze", 405, "method_not_allowed"),
        ("TRACE", "/clusters", 405, "method_not_allowed"),
        ("BREW", "/clusters", 405, "method_not_allowed"),
        ("POST", "/api/v2/flux/clusters", 405, "method_not_allowed"),
        ("GET", "/nope", 404, "not_found"),
        ("POST", "/nope", 404, "not_found"),
        ("GET", "/clusters/a", 404, "not_found"),
        ("GET", "/clusters/a/b/c", 404, "not_found"),
        ("GET", "/clusters/%ff", 404, "not_found"),
        ("GET", "/clusters/%00", 404, "not_found"),
        ("GET", "/clusters/a%00b/effective", 404, "not_found"),
        ("GET", "/clusters/a%0a", 404, "not_found"),
        ("GET", "/clusters/%F0%9F%98%80", 404, "not_found"),
        ("GET", "/clusters/%2e%2e", 404, "not_found"),
        ("GET", "/clusters/" + "a" * 3_000, 404, "not_found"),
        ("GET", "/api/v2/flux/clusters/%00/namespaces", 404, "not_found"),
        ("GET", "/api/v2/flux/clusters/%ff/namespaces", 404, "not_found"),
        ("GET", "/%ff%00", 404, "not_found"),
        ("GET", "/revisions/99999999999999999999", 404, "not_found"),
        ("GET", "/clusters?%ff=%fe", 400, "validation_error"),
        ("GET", "/clusters?id=%00", 400, "validation_error"),
        ("GET", "/clusters?&&==&", 400, "validation_error"),
        ("GET", "/clusters?id=a&id=b", 400, "validation_error"),
        ("GET", "/clusters?" + "a&" * 2_000, 400, "validation_error"),
        ("GET", "/clusters?limit=" + "9" * 4_000, 400, "validation_error"),
        ("GET", "/clusters/a/effective?revision=" + "9" * 5_000, 400, "validation_error"),
        ("GET", "/revisions?since=0001-01-01T00:00:00%2B14:00", 400, "validation_error"),
        ("GET", "/revisions?until=9999-12-31T23:59:59-14:00", 400, "validation_error"),
    ],
)
def test_addresses_and_methods(client, db, method, path, status, code):
    check(client.generic(method, path, headers=AUTHORIZED), status, code)


@pytest.mark.parametrize(
    ("body", "media_type", "status", "code"),
    [
        ("{", JSON, 400, "validation_error"),
        ("\xff\xfe", JSON, 400, "validation_error"),
        (b"\xff", JSON, 400, "validation_error"),
        ("[]", JSON, 400, "validation_error"),
        ("null", JSON, 400, "validation_error"),
        ("", JSON, 400, "validation_error"),
        (DEEP, JSON, 400, "validation_error"),
        ('{"id": NaN}', JSON, 400, "validation_error"),
        ('{"rank": ' + "1" * 5_000 + "}", JSON, 400, "validation_error"),
        ('{"rank": 1e999}', JSON, 400, "validation_error"),
        ('{"id": "a", "id": "b"}', JSON, 400, "validation_error"),
        ('{"id": "\\u0000"}', JSON, 400, "validation_error"),
        ('{"id": "\\ud800"}', JSON, 400, "validation_error"),
        # A field that is called as a part of the answer is.
        ('{"id": "a", "status": 200}', JSON, 400, "validation_error"),
        ('{"id": "a", "error": {}, "details": 1}', JSON, 400, "validation_error"),
        ("id=a", "application/x-www-form-urlencoded", 415, "unsupported_media_type"),
        ("<id/>", "application/xml", 415, "unsupported_media_type"),
        ("{}", "text/plain; charset=\xff", 415, "unsupported_media_type"),
        ('{"id": "' + "a" * 1024 * 1024 + '"}', JSON, 413, "too_large"),
    ],
)
def test_bodies(client, db, body, media_type, status, code):
    response = client.generic("POST", "/environments", body, media_type, headers=AUTHORIZED)
    check(response, status, code)


@pytest.mark.parametrize(
    "path",
    ["/clusters/日本", "/clusters/%00", "/clusters/%ff", "/clusters/é?a=é", "/?", "/clusters/a#b"],
)
def test_odd_addresses_in_a_batch(client, db, path):
    operation = {"method": "DELETE", "path": path}
    response = client.post("/batch", [operation], JSON, headers=AUTHORIZED)
    assert response.status_code in {400, 404}
    assert set(response.json()) == {"error", "message", "details"}


def test_a_length_that_is_too_large_is_refused_before_anything_is_read(client, db):
    response = client.post(
        "/environments", "{}", JSON, headers=AUTHORIZED, CONTENT_LENGTH=str(10**12)
    )
    check(response, 413, "too_large")


def test_a_host_that_we_do_not_know(client, db):
    check(client.get("/clusters", headers={"Host": "evil.example"}), 400, "validation_error")


def test_an_accept_header_that_we_cannot_meet(client, db):
    headers = {**AUTHORIZED, "Accept": "application/xml"}
    check(client.get("/clusters", headers=headers), 406, "not_acceptable")


@pytest.mark.parametrize("path", ["/environments/dev", "/api/v2/flux/clusters"])
def test_a_read_with_if_match(client, db, path):
    headers = {**AUTHORIZED, "If-Match": '"other"'}
    check(client.get(path, headers=headers), 412, "precondition_failed")


def test_a_person_without_the_csrf_token(db, django_user_model):
    client = Client(enforce_csrf_checks=True)
    client.force_login(django_user_model.objects.create_superuser("ada"))
    check(client.post("/environments", {"id": "a"}, JSON), 403, "forbidden")
    check(client.post("/", {}, JSON), 403, "forbidden")


def test_a_bug_is_told_by_an_id_that_is_in_the_log(client, db, monkeypatch, caplog):
    monkeypatch.setattr("fleet.api.views.documents_of", lambda *args: 1 / 0)
    response = client.get("/environments", headers=AUTHORIZED)
    check(response, 500, "internal_error")
    assert response.json()["details"]["id"] in caplog.text
    assert "ZeroDivisionError" in caplog.text
    assert "ZeroDivision" not in response.content.decode()


def test_a_bug_outside_of_a_view(client, db, monkeypatch):
    client.raise_request_exception = False
    monkeypatch.setattr("django.middleware.common.CommonMiddleware.process_request", None)
    check(client.get("/environments", headers=AUTHORIZED), 500, "internal_error")


TEXT = "plain text"


def exchange(address: str, request: bytes) -> tuple[int, dict | None]:
    """The answer to a request as it is on the wire."""
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(request)
        answer = b""
        while b"\r\n\r\n" not in answer or b"}" not in answer:
            part = connection.recv(65_536)
            if not part:
                break
            answer += part
    head, _, body = answer.partition(b"\r\n\r\n")
    is_json = b"application/json" in head.lower()
    return int(head.split()[1]), json.loads(body) if is_json else None


@pytest.mark.slow
def test_on_the_wire(server):
    """What gunicorn refuses by itself, in plain text; and bodies of which nobody says how long they
    are."""
    running = server()
    token = running.write_token

    def ask(line: str, *headers: str, body: bytes = b"") -> tuple[int, str]:
        host = running.base_url.removeprefix("http://")
        head = [line, f"Host: {host}", f"Authorization: Bearer {token}", *headers, "", ""]
        status, answer = exchange(running.base_url, "\r\n".join(head).encode() + body)
        if answer is None:
            return status, TEXT
        if status >= 400:
            assert set(answer) == {"error", "message", "details"}
        return status, answer.get("error", "")

    def chunks(*parts: bytes) -> bytes:
        return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (*parts, b""))

    long = "a" * 5_000
    sent = ("Content-Type: application/json", "Transfer-Encoding: chunked")
    post = "POST /environments HTTP/1.1"
    assert ask(f"GET /clusters?id={long} HTTP/1.1") == (414, TEXT)
    assert ask("GET /clusters HTTP/1.1", f"X-Long: {long * 2}") == (431, TEXT)
    assert ask("GET /clusters HTTP/1.1", "Content-Length: x") == (400, TEXT)
    assert ask("nonsense") == (400, TEXT)
    assert ask(post, *sent, body=chunks(b'{"id": ', b'"chunked"}')) == (201, "")
    assert ask(post, *sent, body=chunks(b'"' + b"a" * 2**20 + b'"')) == (413, "too_large")
    assert ask(post, *sent, body=b"zz\r\n{}\r\n") == (400, TEXT)
    length = "Content-Length: 99999999999"
    assert ask(post, "Content-Type: application/json", length) == (413, "too_large")
