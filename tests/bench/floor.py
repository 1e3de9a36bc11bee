"""The least that a server can do: one answer for whatever is asked, made beforehand.

The file that BENCH_ANSWER names has its headers and its body.
"""

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import django

# The hooks in config/gunicorn.py ask Django.
django.setup()

_answer = json.loads(Path(os.environ["BENCH_ANSWER"]).read_text())
BODY: bytes = _answer["body"].encode()
HEADERS: list[tuple[str, str]] = [(name, value) for name, value in _answer["headers"]]
RAW_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS]


def application(*args: Any) -> Any:
    """As WSGI or as ASGI calls it: which of them is for the configuration of gunicorn to say."""
    return wsgi(*args) if len(args) == 2 else asgi(*args)


def wsgi(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    start_response("200 OK", HEADERS)
    return [BODY]


async def asgi(
    scope: dict[str, Any], receive: Callable[..., Any], send: Callable[..., Any]
) -> None:
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
        return
    await send({"type": "http.response.start", "status": 200, "headers": RAW_HEADERS})
    await send({"type": "http.response.body", "body": BODY})


async def lifespan(receive: Callable[..., Any], send: Callable[..., Any]) -> None:
    for _ in range(2):
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
