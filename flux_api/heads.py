"""The newest revision, read once for all polls that wait for it.

A poll may use a read that began after the poll came in, so that no answer is older than the last
revision that was committed before. Polls that come during a read share the next one.
"""

import asyncio
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import psycopg
from django.core.signals import request_finished, request_started
from django.db import InterfaceError, NotSupportedError, OperationalError, connection
from psycopg import pq

from config.sqlite.base import File, file_at
from fleet.prepared import Reading, Statement

# The time is a part of it: after a restore from a backup, a number may come a second time.
SQL = "SELECT number, CAST(created_at AS TEXT) FROM fleet_revision ORDER BY number DESC LIMIT 1"


class Head(NamedTuple):
    number: int
    made_at: str | None


# Before the first revision, and before the first read.
NONE = Head(0, None)


Rows = Sequence[Sequence[Any]]


class Reader(ABC):
    """Asks for what every poll waits for. In the loop: to have a thread do it takes longer than
    the database does."""

    @abstractmethod
    async def ask(self, *statements: str) -> list[Rows]:
        """What each of them finds, which may come as text. Each sees the moment of the one before
        it, or a later one."""


class Heads:
    def __init__(self, reader: Reader, catch_up: Callable[[Head, Head], Awaitable[None]]) -> None:
        """`catch_up(known, newest)` is awaited before any poll goes on with the newest."""
        self.known = NONE
        self._reader = reader
        self._catch_up = catch_up
        self._waiting: list[asyncio.Future[Head]] = []
        self._reading: asyncio.Task[None] | None = None

    def newest(self) -> asyncio.Future[Head]:
        """Of its own for each poll: one that is cancelled takes no other with it."""
        loop = asyncio.get_running_loop()
        if not self._waiting and self._reading is None:
            # Not at once: whoever came in the same moment shares the read.
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
    if not found:
        return NONE
    [(number, made_at)] = found
    return Head(int(number), made_at)


def reader() -> Reader:
    if connection.vendor == "sqlite":
        return SqliteReader(str(connection.settings_dict["NAME"]))
    return PostgresReader()


# To plan how this one row is found takes PostgreSQL longer than to find it.
PREPARE, PREPARED = f"PREPARE newest AS {SQL}".encode(), {SQL: b"EXECUTE newest"}


class PostgresReader(Reader):
    """On a connection of its own. And by libpq itself, since a cursor of psycopg costs several
    times as much as one row."""

    def __init__(self) -> None:
        self._parameters = {
            **connection.get_connection_params(),
            "cursor_factory": psycopg.AsyncCursor,
            "autocommit": True,
        }
        self._seconds = connection.settings_dict["ANSWER_SECONDS"]
        self._connection: psycopg.AsyncConnection[Any] | None = None
        self._readable = asyncio.Event()

    async def ask(self, *statements: str) -> list[Rows]:
        try:
            async with asyncio.timeout(self._seconds):
                text = "; ".join(statements)
                return await self._ask_or_again(PREPARED.get(text) or text.encode())
        except (psycopg.Error, OSError) as error:  # The time-out is among the latter.
            await self._close()
            raise OperationalError(*error.args) from error

    async def _ask_or_again(self, statements: bytes) -> list[Rows]:
        if self._connection is not None:
            try:
                return await self._ask(self._connection.pgconn, statements)
            except psycopg.OperationalError:  # It was lost since the last read; the server is not.
                await self._close()
        self._connection = await psycopg.AsyncConnection.connect(**self._parameters)
        pgconn = self._connection.pgconn
        asyncio.get_running_loop().add_reader(pgconn.socket, self._readable.set)
        await self._ask(pgconn, PREPARE)
        return await self._ask(pgconn, statements)

    async def _ask(self, pgconn: pq.abc.PGconn, statements: bytes) -> list[Rows]:
        pgconn.send_query(statements)
        found: list[Rows] = []
        while True:
            while pgconn.is_busy():
                self._readable.clear()
                await self._readable.wait()
                pgconn.consume_input()
            result = pgconn.get_result()
            if result is None:
                return found
            if result.status not in {pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK}:
                raise psycopg.OperationalError(result.get_error_message())
            found.append(rows_of(result))

    async def _close(self) -> None:
        if self._connection is not None:
            with suppress(psycopg.Error, OSError, ValueError):
                asyncio.get_running_loop().remove_reader(self._connection.pgconn.socket)
            with suppress(psycopg.Error, OSError):
                await self._connection.close()
        self._connection = None


def rows_of(result: pq.abc.PGresult) -> Rows:
    columns = range(result.nfields)
    return [
        [(result.get_value(row, column) or b"").decode() for column in columns]
        for row in range(result.ntuples)
    ]


def newest() -> Reading:
    return Reading([Statement(SQL)], head_of)


def served(read: Callable[..., Any], *arguments: Any) -> Any:
    """In a thread, as Django serves a request there: with its time-outs and its connection."""
    request_started.send(served)
    try:
        return _read_or_again(read, *arguments)
    finally:
        request_finished.send(served)


def _read_or_again(read: Callable[..., Any], *arguments: Any) -> Any:
    """Django would ask a connection first whether it is still one, which takes as long as to read.
    One that was lost since it was used last shows that by itself, and so does one whose prepared
    statements are of before a migration."""
    own: Any = connection
    had_one = own.connection is not None
    own.health_check_done = True
    try:
        return read(*arguments)
    except (OperationalError, InterfaceError, NotSupportedError) as error:
        is_outdated = isinstance(error, NotSupportedError)
        if not had_one or (not is_outdated and own.is_usable()):
            raise
        own.close()
        return read(*arguments)


class SqliteReader(Reader):
    """A read never waits for a writer."""

    def __init__(self, uri: str) -> None:
        self._uri = uri
        self._file: File | None = None
        self._connection: sqlite3.Connection | None = None

    async def ask(self, *statements: str) -> list[Rows]:
        try:
            return self._ask(*statements)
        except (sqlite3.Error, OSError) as error:
            self._close()
            raise OperationalError(*error.args) from error

    def _ask(self, *statements: str) -> list[Rows]:
        file = file_at(self._uri)
        if self._connection is None or self._file != file:
            self._close()
            self._connection = sqlite3.connect(self._uri, uri=True, isolation_level=None)
            self._file = file
        return [self._connection.execute(sql).fetchall() for sql in statements]

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = self._file = None
