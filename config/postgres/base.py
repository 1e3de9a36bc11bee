"""Django's PostgreSQL backend, with an end to every wait.

It is the server that keeps `statement_timeout`: one that hangs, or whose host has vanished, does
not, and libpq would wait for ever. So the wait ends here too, a little later, and the connection
with it.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from math import inf
from threading import Lock, local
from time import monotonic
from typing import Any

import psycopg
from django.core.signals import request_finished, request_started
from django.db.backends.postgresql import base

# A connection that is well answers `SELECT 1` in milliseconds; another is replaced.
HEALTH_CHECK_SECONDS = 2


class Request(local):
    """When the request began that this thread serves, if it serves one."""

    began: float | None = None

    def deadline(self, seconds: float | None) -> float:
        return inf if seconds is None or self.began is None else self.began + seconds


request = Request()


def begin_request(**kwargs: Any) -> None:
    request.began = monotonic()


def end_request(**kwargs: Any) -> None:
    request.began = None


request_started.connect(begin_request, dispatch_uid="config.postgres.begin_request")
request_finished.connect(end_request, dispatch_uid="config.postgres.end_request")


class Outage:
    """While the server does not answer, one thread tries to connect and the others fail at once.

    If all of them tried, none would be left for the probe that asks whether this process is alive.
    """

    def __init__(self) -> None:
        self.lasts = False
        self.trying = Lock()

    @contextmanager
    def one_attempt(self) -> Iterator[None]:
        alone = self.lasts
        if alone and not self.trying.acquire(blocking=False):
            raise psycopg.OperationalError("the server did not answer a moment ago")
        try:
            yield
            self.lasts = False
        except psycopg.errors.ConnectionTimeout:
            self.lasts = True
            raise
        finally:
            if alone:
                self.trying.release()


outage = Outage()


class BoundedConnection(psycopg.Connection[Any]):
    answer_seconds: float
    # All statements of one request together; None: any time.
    request_seconds: float | None

    def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().wait(ending_at(self._deadline(), gen), *args, **kwargs)
        except TimeoutError:
            # Its answer may still come, and must not be taken for that of the next statement.
            self.pgconn.finish()
            raise psycopg.OperationalError("the server did not answer in time") from None

    def _deadline(self) -> float:
        return min(monotonic() + self.answer_seconds, request.deadline(self.request_seconds))


def ending_at(deadline: float, steps: Any) -> Generator[Any, Any, Any]:
    """The steps of psycopg, which wakes them up ten times a second while nothing comes."""
    try:
        wanted = next(steps)
        while True:
            ready = yield wanted
            if monotonic() > deadline:
                raise TimeoutError
            wanted = steps.send(ready)
    except StopIteration as end:
        return end.value


class DatabaseWrapper(base.DatabaseWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> BoundedConnection:
        if monotonic() > request.deadline(self.settings_dict["REQUEST_SECONDS"]):
            # Django connects anew as it leaves a transaction whose connection was lost.
            raise psycopg.OperationalError("the server did not answer in time")
        with outage.one_attempt():
            connection: Any = super().get_new_connection(conn_params)
        # Django connects by itself and cannot be told another class.
        connection.__class__ = BoundedConnection
        connection.answer_seconds = self.settings_dict["ANSWER_SECONDS"]
        connection.request_seconds = self.settings_dict["REQUEST_SECONDS"]
        return connection

    def is_usable(self) -> bool:
        if self.connection is None:
            return False
        usual = self.connection.answer_seconds
        self.connection.answer_seconds = HEALTH_CHECK_SECONDS
        try:
            return super().is_usable()
        finally:
            self.connection.answer_seconds = usual
