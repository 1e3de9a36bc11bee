"""Django's PostgreSQL backend, with an end to every wait: config/postgres/driver.py."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import Any

import psycopg
from django.db.backends.postgresql import base

from config.postgres import driver

# A connection that is well answers `SELECT 1` in milliseconds; another is replaced.
HEALTH_CHECK_SECONDS = 2


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


class DatabaseWrapper(base.DatabaseWrapper):
    Database = driver

    def get_new_connection(self, conn_params: dict[str, Any]) -> driver.BoundedConnection:
        if monotonic() > driver.request.deadline(self.settings_dict["REQUEST_SECONDS"]):
            # Django connects again as it leaves a transaction whose connection was lost.
            raise psycopg.OperationalError("the server did not answer in time")
        with outage.one_attempt():
            connection: Any = super().get_new_connection(conn_params)
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
