"""What stands between the event loop and Django's threads: bodies that wait, clients that go."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from threading import Event
from typing import Any

import pytest

from config.django_threads import DjangoThreads
from fleet.web.client_gone import CLIENT_GONE

LARGEST = 100
HEADERS = [("Content-Type", "text/plain")]


class Client:
    """One request. What it sends is said step by step; `answer` is what it has got."""

    def __init__(self, threads: DjangoThreads, *headers: tuple[bytes, bytes]) -> None:
        self.sent: asyncio.Queue[Any] = asyncio.Queue()
        self.answer: list[Any] = []
        self.reads = True
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/",
            "query_string": b"",
            "http_version": "1.1",
            "headers": list(headers),
        }
        self.task = asyncio.create_task(threads(scope, self.sent.get, self._take))

    async def _take(self, message: Any) -> None:
        while not self.reads:
            await asyncio.sleep(0.01)
        self.answer.append(message)

    def send(self, body: bytes, *, more: bool = False) -> None:
        self.sent.put_nowait({"type": "http.request", "body": body, "more_body": more})

    def leave(self) -> None:
        self.sent.put_nowait({"type": "http.disconnect"})

    @property
    def status(self) -> int:
        return self.answer[0]["status"]

    @property
    def body(self) -> bytes:
        return b"".join(message["body"] for message in self.answer[1:])


def echo(environ: Any, start_response: Callable[..., Any]) -> Iterable[bytes]:
    start_response("200 OK", HEADERS)
    length = int(environ.get("CONTENT_LENGTH") or 0)
    return [b"%d:" % length, environ["wsgi.input"].read(length)]


def over(app: Any, *, client_seconds: float = 5) -> DjangoThreads:
    return DjangoThreads(app, threads=1, client_seconds=client_seconds, largest_body=LARGEST)


def test_django_gets_a_request_when_all_of_it_is_there() -> None:
    async def story() -> None:
        threads = over(echo)
        slow, quick = Client(threads, (b"content-length", b"4")), Client(threads)
        slow.send(b"ab", more=True)
        quick.send(b"")
        await quick.task
        assert quick.status == 200
        slow.send(b"cd")
        await slow.task
        assert slow.body == b"4:abcd"

    asyncio.run(story())


def test_a_chunked_body_has_a_length() -> None:
    async def story() -> None:
        client = Client(over(echo), (b"transfer-encoding", b"chunked"))
        client.send(b"abc", more=True)
        client.send(b"de")
        await client.task
        assert client.body == b"5:abcde"

    asyncio.run(story())


@pytest.mark.parametrize("framing", [b"content-length", b"transfer-encoding"])
def test_no_more_is_read_of_a_body_than_the_largest_may_have(framing: bytes) -> None:
    """Enough for Django to see that it is too large."""

    async def story() -> None:
        value = b"1000" if framing == b"content-length" else b"chunked"
        client = Client(over(lambda environ, start: refused(environ, start)), (framing, value))
        for _ in range(10):
            client.send(b"a" * LARGEST, more=True)
        await client.task
        assert client.status == 413
        assert int(client.body) > LARGEST

    def refused(environ: Any, start_response: Callable[..., Any]) -> Iterable[bytes]:
        start_response("413 Content Too Large", HEADERS)
        return [environ["CONTENT_LENGTH"].encode()]

    asyncio.run(story())


def test_large_bodies_that_wait_leave_room_for_no_more_of_them() -> None:
    async def story() -> None:
        threads = over(echo)
        waiting = [Client(threads, (b"transfer-encoding", b"chunked")) for _ in range(4)]
        for client in waiting:
            client.send(b"a" * LARGEST, more=True)
        await asyncio.sleep(0.05)
        one_more, small = (Client(threads, (b"transfer-encoding", b"chunked")) for _ in range(2))
        one_more.send(b"a" * LARGEST)
        await one_more.task
        assert one_more.status == 503
        waiting[0].leave()
        await waiting[0].task
        small.send(b"small")
        await small.task
        assert small.body == b"5:small"
        for client in waiting[1:]:
            client.leave()
            await client.task

    asyncio.run(story())


def test_a_client_that_goes_while_it_sends_reaches_nobody() -> None:
    async def story() -> None:
        client = Client(over(lambda *args: pytest.fail("it was called")))
        client.send(b"a", more=True)
        client.leave()
        await client.task
        assert client.answer == []

    asyncio.run(story())


def stream(environ: Any, start_response: Callable[..., Any]) -> Iterator[bytes]:
    """Until it hears that nobody reads."""
    start_response("200 OK", HEADERS)
    gone: Event = environ["asgi.scope"][CLIENT_GONE]
    while not gone.is_set():
        yield b"line\n"


def test_a_view_hears_that_its_client_has_gone() -> None:
    async def story() -> None:
        client = Client(over(stream))
        client.send(b"")
        while not client.answer:
            await asyncio.sleep(0.01)
        client.leave()
        await asyncio.wait_for(client.task, 10)

    asyncio.run(story())


def test_a_client_that_does_not_read_keeps_no_thread() -> None:
    async def story() -> None:
        threads = over(stream, client_seconds=0.1)
        client = Client(threads)
        client.reads = False
        client.send(b"")
        await asyncio.wait_for(client.task, 10)

    asyncio.run(story())


def test_what_runs_goes_on_when_its_connection_ends() -> None:
    """It sends more than the server keeps for it, and must not wait forever."""
    done = Event()

    def long(environ: Any, start_response: Callable[..., Any]) -> Iterator[bytes]:
        start_response("200 OK", HEADERS)
        yield from [b"line\n"] * 100
        done.set()

    async def story() -> None:
        client = Client(over(long))
        client.reads = False
        client.send(b"")
        await asyncio.sleep(0.05)
        client.task.cancel()
        client.reads = True
        await asyncio.to_thread(done.wait, 10)
        assert done.is_set()

    asyncio.run(story())
