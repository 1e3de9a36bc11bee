"""On any doubt an error, and never a shorter list."""

from unittest.mock import patch

import pytest
from django.db import DatabaseError, OperationalError, connection

from tests.flux.broken_database import BreaksAfter

PATHS = [
    "clusters",
    "clusters/c-1.example.com/platform-components",
    "clusters/c-1.example.com/namespaces",
    "clusters/c-1.example.com/rolebindings",
]


def count_statements(poll, path: str) -> int:
    breaker = BreaksAfter(10_000, OperationalError("gone"))
    with connection.execute_wrapper(breaker):
        assert poll(path).status_code == 200
    return 10_000 - breaker.left


@pytest.mark.parametrize("path", PATHS)
def test_a_database_that_breaks_at_any_statement_is_an_error(poll, path):
    statements = count_statements(poll, path)
    assert statements > 1
    for survived in range(statements):
        with connection.execute_wrapper(BreaksAfter(survived, OperationalError("gone"))):
            response = poll(path)
        assert response.status_code == 503, f"after {survived} statements"
        assert response.json()["error"] == "unavailable"
        assert "inputs" not in response.json()


@pytest.mark.parametrize("error", [DatabaseError("bad"), ValueError("a bug"), KeyError("row")])
def test_any_exception_is_a_5xx_with_the_standard_body(poll, error):
    with connection.execute_wrapper(BreaksAfter(2, error)):
        response = poll(PATHS[1])
    assert response.status_code in (500, 503)
    assert set(response.json()) == {"error", "message", "details"}


def test_an_unexpected_error_has_an_id_that_is_in_the_log(poll, caplog):
    with patch("flux_api.views.answers_now", side_effect=RuntimeError("secret detail")):
        response = poll(PATHS[1])
    assert response.status_code == 500
    assert "secret detail" not in response.text
    assert response.json()["details"]["id"] in caplog.text


def test_a_row_that_cannot_be_read_is_an_error_not_a_shorter_list(poll):
    """As only a write past every check could make."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE fleet_clusterpatch SET key = 'a..b'")
    response = poll(PATHS[1])
    assert response.status_code == 500
    assert "inputs" not in response.json()


def test_it_recovers_by_itself(poll):
    with connection.execute_wrapper(BreaksAfter(0, OperationalError("gone"))):
        assert poll(PATHS[1]).status_code == 503
    assert poll(PATHS[1]).status_code == 200
