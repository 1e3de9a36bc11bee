"""Django behind the event loop: a request gets a thread when all of it is there.

So a client that sends slowly costs a connection and no thread, and one that has gone, or does not
read its answer, keeps none.
"""

import asyncio
import json
import logging
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from threading import Event
from typing import IO, Any

from a2wsgi import WSGIMiddleware

from config.asgi_types import Message, Receive, Scope, Send
from fleet.web.client_gone import CLIENT_GONE
from fleet.web.errors import error_body

logger = logging.getLogger(__name__)

# Larger bodies are on disk while they wait.
IN_MEMORY = 1024 * 1024
CHUNK = 64 * 1024
# How many of the largest bodies may wait at the same time, in each worker.
LARGEST_AT_ONCE = 4


class TooMuch(Exception):
    """What other clients have sent leaves no room for this body."""


class ClientGone(Exception):
    pass


class DjangoThreads:
    def __init__(
        self, wsgi: Any, *, threads: int, client_seconds: float, largest_body: int
    ) -> None:
        self._django = WSGIMiddleware(wsgi, workers=threads)
        self._client_seconds = client_seconds
        self._largest_body = largest_body
        # Bytes of all bodies that are being received or answered.
        self._held = 0
        # The loop itself holds tasks only weakly.
        self._running: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._django(scope, receive, send)  # type: ignore[arg-type]
        task = asyncio.create_task(self._serve(scope, receive, send))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        # gunicorn ends us when the client has gone. What runs in a thread goes on, and needs
        # somebody to take what it sends.
        return await asyncio.shield(task)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._body() as body:
            try:
                await self._receive(body, scope, receive)
            except ClientGone:
                return
            except TooMuch:
                await refuse(send)
                return
            await self._answer(scope, body, receive, send)

    @contextmanager
    def _body(self) -> Iterator[IO[bytes]]:
        with tempfile.SpooledTemporaryFile(IN_MEMORY) as body:
            try:
                yield body
            finally:
                self._held -= body.seek(0, 2)

    async def _receive(self, body: IO[bytes], scope: Scope, receive: Receive) -> None:
        if length_in(scope) > self._largest_body:
            return  # Django refuses it for what its header says.
        more = True
        while more and body.tell() <= self._largest_body:
            message = await receive()
            if message["type"] == "http.disconnect":  # Or silence, for gunicorn's `timeout`.
                raise ClientGone
            self._held += body.write(message.get("body", b""))
            if self._held > LARGEST_AT_ONCE * self._largest_body:
                raise TooMuch
            more = message.get("more_body", False)

    async def _answer(self, scope: Scope, body: IO[bytes], receive: Receive, send: Send) -> None:
        gone = Event()
        own_scope = {**scope, "headers": headers_with_length(scope, body), CLIENT_GONE: gone}
        body.seek(0)

        async def receive_body() -> Message:
            chunk = body.read(CHUNK)
            return {"type": "http.request", "body": chunk, "more_body": len(chunk) == CHUNK}

        async def send_in_time(message: Message) -> None:
            """It never fails: a thread that sends would wait for a sender that has ended."""
            if gone.is_set():
                return
            if scope["method"] == "HEAD" and "body" in message:
                message = {**message, "body": b""}
            try:
                async with asyncio.timeout(self._client_seconds):
                    await send(message)
            except TimeoutError:
                logger.warning("A client did not read its answer")
                gone.set()
            except Exception:
                logger.exception("An answer could not be sent")
                gone.set()

        async with noticing(receive, gone):
            await self._django(own_scope, receive_body, send_in_time)  # type: ignore[arg-type]


def length_in(scope: Scope) -> int:
    values = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(values[0]) if values else 0


def headers_with_length(scope: Scope, body: IO[bytes]) -> list[tuple[bytes, bytes]]:
    """Django reads as much as Content-Length says. A chunked body has none by itself."""
    headers = list(scope["headers"])
    if not any(name == b"transfer-encoding" for name, _ in headers):
        return headers
    framing = {b"transfer-encoding", b"content-length"}
    length = (b"content-length", str(body.tell()).encode())
    return [*((name, value) for name, value in headers if name not in framing), length]


@asynccontextmanager
async def noticing(receive: Receive, gone: Event) -> AsyncIterator[None]:
    """Sets `gone` when the client goes away."""

    async def wait() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass  # The rest of a body that is too large.
        gone.set()

    task = asyncio.create_task(wait())
    try:
        yield
    finally:
        task.cancel()


async def refuse(send: Send) -> None:
    error = error_body("unavailable", "Too many large requests at once. Try again soon.")
    body = json.dumps(error).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"retry-after", b"5"),
    ]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": body})
