"""What gunicorn refuses before Django sees it, in the shape that all errors have."""

import json
from typing import Any

from gunicorn import util

CODES = {403: "forbidden", 414: "too_large", 431: "too_large", 500: "internal_error"}


def write_error(sock: Any, status: int, reason: str, message: str) -> None:
    util.write_nonblock(sock, error_response(status, reason, message))


def error_response(status: int, reason: str, message: str) -> bytes:
    error = {
        "error": CODES.get(status, "validation_error"),
        "message": message or f"{reason}.",
        "details": {},
    }
    body = json.dumps(error)
    head = (
        f"HTTP/1.1 {status} {reason}",
        "Connection: close",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    )
    return "\r\n".join((*head, "", body)).encode("ascii")
