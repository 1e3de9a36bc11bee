"""No wait for PostgreSQL is endless, whether or not the server keeps its own time-outs."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.db import OperationalError, connection

pytestmark = [pytest.mark.django_db, pytest.mark.database("postgresql")]


@pytest.fixture
def other() -> Iterator[Any]:
    """A connection of its own, whose statements the server itself would never end."""
    other = connection.copy()
    other.settings_dict = {**connection.settings_dict, "ANSWER_SECONDS": 1, "REQUEST_SECONDS": 1}
    with other.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
    yield other
    other.close()


@pytest.fixture
def _request() -> Iterator[None]:
    request_started.send(sender=None)
    yield
    request_finished.send(sender=None)


def sleep(connection: Any, seconds: float) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(%s)", [seconds])


def test_a_statement_ends(other: Any) -> None:
    began = time.monotonic()
    with pytest.raises(OperationalError, match="did not answer in time"):
        sleep(other, 3)
    assert time.monotonic() - began < 5


def test_outside_a_request_only_each_statement_is_limited(other: Any) -> None:
    for _ in range(4):
        sleep(other, 0.3)


@pytest.mark.usefixtures("_request")
def test_many_slow_statements_are_one_slow_request(other: Any) -> None:
    for _ in range(2):
        sleep(other, 0.3)
    with pytest.raises(OperationalError, match="did not answer in time"):
        sleep(other, 0.9)


@pytest.mark.usefixtures("_request")
def test_a_request_that_is_over_time_does_not_connect_again(other: Any) -> None:
    with pytest.raises(OperationalError):
        sleep(other, 3)
    other.close()
    with pytest.raises(OperationalError, match="did not answer in time"):
        other.ensure_connection()


def test_the_next_statement_after_a_time_out_gets_its_own_answer(other: Any) -> None:
    with pytest.raises(OperationalError):
        sleep(other, 2)
    other.close_if_unusable_or_obsolete()
    with other.cursor() as cursor:
        cursor.execute("SELECT 42")
        assert cursor.fetchone() == (42,)
