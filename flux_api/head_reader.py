"""The newest revision, read once for all polls that wait for it.

A poll may use a read that began after the poll came in, so that no answer is older than the last
revision that was committed before. Polls that come during a read share the next one.
"""

import asyncio
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from django.conf import settings
from django.db import OperationalError, connection

from config.sqlite.base import File, file_at, path_of
from fleet.desired_state.queries import Reading, Statement

# The time is a part of it: after a restore from a backup, a number may come a second time.
SQL = "SELECT number, CAST(created_at AS TEXT) FROM fleet_revision ORDER BY number DESC LIMIT 1"


class Head(NamedTuple):
    number: int
    created_at: str | None


# Before the first revision, and before the first read.
NO_HEAD = Head(0, None)

Rows = Sequence[Sequence[Any]]


class DatabaseReader(ABC):
    """Asks for what every poll waits for. In the loop: handing it to a thread takes longer than
    the database does."""

    @abstractmethod
    async def ask(self, *statements: str) -> list[Rows]:
        """What each of them finds. Each sees the moment of the one before it, or a later one."""

    @abstractmethod
    async def close(self) -> None:
        """The next question opens another connection."""


class HeadReader:
    def __init__(
        self, reader: DatabaseReader, catch_up: Callable[[Head, Head], Awaitable[None]]
    ) -> None:
        """`catch_up(known, newest)` is awaited before any poll goes on with the newest."""
        self.known = NO_HEAD
        self._reader = reader
        self._catch_up = catch_up
        self._waiting: list[asyncio.Future[Head]] = []
        self._reading: asyncio.Task[None] | None = None

    def newest(self) -> asyncio.Future[Head]:
        """A future for each poll: one that is cancelled takes no other with it."""
        loop = asyncio.get_running_loop()
        if not self._waiting and self._reading is None:
            # Not at once: polls that came in the same moment share the read.
            loop.call_soon(self._begin)
        future = loop.create_future()
        self._waiting.append(future)
        return future

    def _begin(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._reading = asyncio.create_task(self._answer(waiting))

    async def _answer(self, waiting: list[asyncio.Future[Head]]) -> None:
        try:
            [found] = await self._reader.ask(SQL)
            head = head_of(found)
            if head != self.known:
                await self._catch_up(self.known, head)
                self.known = head
        except Exception as error:  # Each poll decides what to make of it.
            for future in waiting:
                if not future.done():
                    future.set_exception(error)
        else:
            for future in waiting:
                if not future.done():
                    future.set_result(head)
        finally:
            self._reading = None
            if self._waiting:
                self._begin()


def head_of(found: Rows) -> Head:
    return Head(*found[0]) if found else NO_HEAD


def newest_revision() -> Reading:
    return Reading([Statement(SQL)], head_of)


def database_reader() -> DatabaseReader:
    if connection.vendor == "sqlite":
        return SqliteReader(str(connection.settings_dict["NAME"]))
    return PostgresReader()


# After the first.
SECOND_CANCEL_SECONDS = 0.1


class PostgresReader(DatabaseReader):
    """On a connection of its own."""

    def __init__(self) -> None:
        self._parameters = {
            **connection.get_connection_params(),
            "cursor_factory": psycopg.AsyncCursor,
            "autocommit": True,
        }
        self._connection: psycopg.AsyncConnection[Any] | None = None

    async def ask(self, *statements: str) -> list[Rows]:
        question = asyncio.create_task(self._ask_or_reconnect(statements))
        await asyncio.wait([question], timeout=settings.POLL_SECONDS)
        if not question.done():
            self._abandon(question)
            raise OperationalError("the server did not answer in time")
        try:
            return question.result()
        except (psycopg.Error, OSError) as error:
            await self.close()
            raise OperationalError(*error.args) from error

    def _abandon(self, question: asyncio.Task[list[Rows]]) -> None:
        """With its connection, and without waiting. psycopg takes the first cancellation as a wish
        to cancel the query in the server, for up to ten seconds; the second ends it at once."""
        self._connection = None
        question.add_done_callback(forget_error)
        question.cancel()
        asyncio.get_running_loop().call_later(SECOND_CANCEL_SECONDS, question.cancel)

    async def _ask_or_reconnect(self, statements: Sequence[str]) -> list[Rows]:
        if self._connection is not None:
            try:
                return await self._ask(self._connection, statements)
            except psycopg.OperationalError:  # Lost since the last read; the server may be well.
                await self.close()
        self._connection = await psycopg.AsyncConnection.connect(**self._parameters)
        return await self._ask(self._connection, statements)

    async def _ask(
        self, connection: psycopg.AsyncConnection[Any], statements: Sequence[str]
    ) -> list[Rows]:
        found: list[Rows] = []
        async with connection.cursor() as cursor:
            for sql in statements:
                # To plan how the newest revision is found takes longer than to find it.
                await cursor.execute(sql, prepare=sql is SQL)
                found.append(await cursor.fetchall())
        return found

    async def close(self) -> None:
        if self._connection is not None:
            with suppress(psycopg.Error, OSError):
                await self._connection.close()
        self._connection = None


def forget_error(task: asyncio.Task[Any]) -> None:
    """Otherwise asyncio would log it: nobody waits for this task any more."""
    if not task.cancelled():
        task.exception()


class SqliteReader(DatabaseReader):
    """A read never waits for a writer."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._uri = f"{Path(path_of(name)).as_uri()}?mode=ro"
        self._file: File | None = None
        self._connection: sqlite3.Connection | None = None

    async def ask(self, *statements: str) -> list[Rows]:
        try:
            return self._ask(*statements)
        except (sqlite3.Error, OSError) as error:
            await self.close()
            raise OperationalError(*error.args) from error

    def _ask(self, *statements: str) -> list[Rows]:
        file = file_at(self._name)
        if self._connection is None or self._file != file:
            self._disconnect()
            self._connection = sqlite3.connect(self._uri, uri=True, isolation_level=None)
            self._file = file
        return [self._connection.execute(sql).fetchall() for sql in statements]

    async def close(self) -> None:
        self._disconnect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = self._file = None
