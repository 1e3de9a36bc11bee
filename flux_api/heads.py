"""The newest revision, read once for all polls that wait for it.

A poll may use a read that began after the poll came in, so that no answer is older than the last
revision that was committed before. Polls that come during a read share the next one.
"""

import asyncio
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, NamedTuple

import psycopg
from django.core.signals import request_finished, request_started
from django.db import OperationalError, connection
from psycopg import pq

from config.sqlite.base import File, file_at
from fleet.prepared import Reading, Statement, read

# The time is a part of it: after a restore from a backup, a number may come a second time.
SQL = "SELECT number, CAST(created_at AS TEXT) FROM fleet_revision ORDER BY number DESC LIMIT 1"


class Head(NamedTuple):
    number: int
    made_at: str | None


# Before the first revision, and before the first read.
NONE = Head(0, None)


class Reader(ABC):
    @abstractmethod
    async def read(self) -> Head: ...


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
            head = await self._reader.read()
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


def reader() -> Reader:
    if connection.vendor == "sqlite":
        return SqliteReader(str(connection.settings_dict["NAME"]))
    return PostgresReader()


class PostgresReader(Reader):
    """In the loop, on a connection of its own: a thread would have to wait for its turn in Python
    twice, which on a busy loop takes longer than the database does. And by libpq itself, since a
    cursor of psycopg costs several times as much as this one row."""

    def __init__(self) -> None:
        self._parameters = {
            **connection.get_connection_params(),
            "cursor_factory": psycopg.AsyncCursor,
            "autocommit": True,
        }
        self._seconds = connection.settings_dict["ANSWER_SECONDS"]
        self._connection: psycopg.AsyncConnection[Any] | None = None
        self._readable = asyncio.Event()

    async def read(self) -> Head:
        try:
            async with asyncio.timeout(self._seconds):
                return await self._head_or_again()
        except (psycopg.Error, OSError) as error:  # The time-out is among the latter.
            await self._close()
            raise OperationalError(*error.args) from error

    async def _head_or_again(self) -> Head:
        if self._connection is not None:
            try:
                return await self._head(self._connection.pgconn)
            except psycopg.OperationalError:  # It was lost since the last read; the server is not.
                await self._close()
        self._connection = await psycopg.AsyncConnection.connect(**self._parameters)
        pgconn = self._connection.pgconn
        asyncio.get_running_loop().add_reader(pgconn.socket, self._readable.set)
        return await self._head(pgconn)

    async def _head(self, pgconn: pq.abc.PGconn) -> Head:
        pgconn.send_query(SQL.encode())
        found = NONE
        while True:
            while pgconn.is_busy():
                self._readable.clear()
                await self._readable.wait()
                pgconn.consume_input()
            result = pgconn.get_result()
            if result is None:
                return found
            if result.status != pq.ExecStatus.TUPLES_OK:
                raise psycopg.OperationalError(result.get_error_message())
            if result.ntuples:
                number, made_at = (result.get_value(0, column) or b"" for column in (0, 1))
                found = Head(int(number), made_at.decode())

    async def _close(self) -> None:
        if self._connection is not None:
            with suppress(psycopg.Error, OSError, ValueError):
                asyncio.get_running_loop().remove_reader(self._connection.pgconn.socket)
            with suppress(psycopg.Error, OSError):
                await self._connection.close()
        self._connection = None


def newest() -> Reading:
    return Reading([Statement(SQL)], lambda found: Head(*found[0]) if found else NONE)


def read_head() -> Head:
    [head] = read(newest())
    return head


def served(read: Callable[..., Any], *arguments: Any) -> Any:
    """In a thread, as Django serves a request there: with its time-outs and its connection."""
    request_started.send(served)
    try:
        return read(*arguments)
    finally:
        request_finished.send(served)


class SqliteReader(Reader):
    """In the loop itself: it takes less than to ask a thread, and never waits for a writer."""

    def __init__(self, uri: str) -> None:
        self._uri = uri
        self._file: File | None = None
        self._connection: sqlite3.Connection | None = None

    async def read(self) -> Head:
        try:
            return self._head()
        except (sqlite3.Error, OSError) as error:
            self._close()
            raise OperationalError(*error.args) from error

    def _head(self) -> Head:
        file = file_at(self._uri)
        if self._connection is None or self._file != file:
            self._close()
            self._connection = sqlite3.connect(self._uri, uri=True, isolation_level=None)
            self._file = file
        row = self._connection.execute(SQL).fetchone()
        return Head(*row) if row else NONE

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = self._file = None
