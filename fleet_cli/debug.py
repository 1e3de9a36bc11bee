"""`--debug`: the HTTP exchange on standard error, without secrets."""

import json
import sys
from typing import Any

import httpx

HIDDEN_HEADERS = {"authorization", "cookie", "set-cookie", "proxy-authorization"}
HIDDEN_FIELDS = {"token"}
HIDDEN = "********"
SHOWN_CHARACTERS = 4_000


def hooks() -> dict[str, list[Any]]:
    return {"request": [show_request], "response": [show_response]}


def show_request(request: httpx.Request) -> None:
    _write(f"> {request.method} {_address(request.url)}")
    _headers(">", request.headers)
    _body(">", request.content)


def show_response(response: httpx.Response) -> None:
    response.read()
    took = response.elapsed.total_seconds() * 1_000
    _write(f"< {response.status_code} {response.reason_phrase} ({took:.0f} ms)")
    _headers("<", response.headers)
    _body("<", response.content)


def _address(url: httpx.URL) -> str:
    return str(url.copy_with(username=None, password=None))


def _headers(mark: str, headers: httpx.Headers) -> None:
    for name, value in headers.items():
        _write(f"{mark} {name}: {HIDDEN if name in HIDDEN_HEADERS else value}")


def _body(mark: str, content: bytes) -> None:
    if not content:
        return
    try:
        text = json.dumps(_without_secrets(json.loads(content)), ensure_ascii=False)
    except ValueError:
        text = f"({len(content)} bytes that are not JSON)"
    more = f" … ({len(text)} characters)" if len(text) > SHOWN_CHARACTERS else ""
    _write(f"{mark} {text[:SHOWN_CHARACTERS]}{more}")


def _without_secrets(data: Any) -> Any:
    if isinstance(data, dict):
        return {
            name: HIDDEN
            if name in HIDDEN_FIELDS and isinstance(value, str)
            else _without_secrets(value)
            for name, value in data.items()
        }
    if isinstance(data, list):
        return [_without_secrets(item) for item in data]
    return data


def _write(line: str) -> None:
    sys.stderr.write(line + "\n")
