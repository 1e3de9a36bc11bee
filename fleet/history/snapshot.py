"""Reads of several tables as of one moment."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from psycopg import IsolationLevel


@contextmanager
def snapshot() -> Iterator[None]:
    """Reads of several tables as of one moment, without blocking or being blocked by a writer."""
    connection = connections[DEFAULT_DB_ALIAS]
    if connection.in_atomic_block:
        yield
        return
    if connection.vendor == "sqlite":
        with _deferred(connection), transaction.atomic():
            yield
        return
    with _repeatable(connection), transaction.atomic():
        yield


@contextmanager
def _repeatable(connection: Any) -> Iterator[None]:
    """For the next transaction; psycopg adds it to BEGIN, so that it costs no round trip."""
    # Now, and not as the transaction begins: it would be another connection then, without this.
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    raw = connection.connection
    raw.isolation_level, raw.read_only = IsolationLevel.REPEATABLE_READ, True
    try:
        yield
    finally:
        if not raw.closed:
            raw.isolation_level = raw.read_only = None


@contextmanager
def _deferred(connection: Any) -> Iterator[None]:
    """Transactions begin IMMEDIATE by our settings; one that only reads must not take the lock."""
    connection.ensure_connection()
    configured = connection.transaction_mode
    connection.transaction_mode = "DEFERRED"
    try:
        yield
    finally:
        connection.transaction_mode = configured
