"""The fast path, on the test's own connection and in its transaction. Django is not behind it."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, NamedTuple

from fleet.desired_state.queries import Reading, Statement, read
from flux_api.answer_cache import ChangedSince
from flux_api.changes import changes_since
from flux_api.fast_path import FastPath
from flux_api.head_reader import DatabaseReader, Head, Rows
from flux_api.lookup import find, look_up

READ = "test-read-token"


class Answered(NamedTuple):
    status: int
    body: bytes
    headers: dict[str, str]


class ForTheTest(Executor):
    """The loop has a thread of its own; what it wants done is done by the test's."""

    def __init__(self) -> None:
        self.wanted: SimpleQueue[Callable[[], None] | None] = SimpleQueue()

    def submit(self, work: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if work is look_up:  # It would close the connection that the test is still to use.
            work, args = find, args[:-1]

        def do() -> None:
            try:
                future.set_result(work(*args, **kwargs))
            except Exception as error:
                future.set_exception(error)

        self.wanted.put(do)
        return future

    def serve(self, main: Coroutine[Any, Any, Any]) -> Any:
        with ThreadPoolExecutor(1) as thread:
            running = thread.submit(asyncio.run, main)
            running.add_done_callback(lambda _: self.wanted.put(None))
            while work := self.wanted.get():
                work()
            return running.result()


class ReaderOf(DatabaseReader):
    def __init__(self, executor: ForTheTest) -> None:
        self.executor = executor

    async def ask(self, *statements: str) -> list[Rows]:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.executor, asked, *statements)

    async def close(self) -> None: ...


class AtOnce(DatabaseReader):
    async def ask(self, *statements: str) -> list[Rows]:
        return asked(*statements)

    async def close(self) -> None: ...


def asked(*statements: str) -> list[Rows]:
    [found] = read(Reading([Statement(sql) for sql in statements], lambda *rows: list(rows)))
    return found


def changes_between(known: Head, now: Head) -> ChangedSince | None:
    """By the test's own thread, which has no loop."""
    try:
        changes_since(AtOnce(), known, now).send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("it waited")


class Fast:
    """`poll` gives None where Django would be asked."""

    def __init__(self) -> None:
        self.executor = ForTheTest()
        self.path = FastPath(self._django, self.executor, ReaderOf(self.executor))
        self.asked_django = False

    async def _django(self, *args: Any) -> None:
        self.asked_django = True

    def poll(self, path: str, token: str = READ, **headers: str) -> Answered | None:
        given = {"authorization": f"Bearer {token}", **headers}
        return self.executor.serve(self._poll(path, given))

    async def _poll(self, path: str, headers: dict[str, str]) -> Answered | None:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        given = {"host": "testserver", **headers}
        scope = {
            "type": "http",
            "method": "GET",
            "scheme": "http",
            "path": f"/api/v2/flux/{path}",
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        }
        await self.path(scope, None, send)  # type: ignore[arg-type]
        if not sent:
            return None
        start, body = sent
        told = {name.decode(): value.decode() for name, value in start["headers"]}
        return Answered(start["status"], body["body"], told)
