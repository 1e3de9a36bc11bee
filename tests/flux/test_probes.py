import pytest
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor

from fleet.history.change import head_number
from flux_api import health
from tests.flux.broken_database import BreaksAfter


@pytest.fixture(autouse=True)
def _forget_what_was_applied():
    health._applied.cache_clear()


def test_health_needs_no_database(client):
    response = client.get("/health")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_ready_tells_the_revision(client, db):
    assert client.get("/ready").json() == {"status": "ready", "revision": head_number()}


def test_not_ready_without_a_database(client, db):
    with connection.execute_wrapper(BreaksAfter(0, OperationalError("gone"))):
        response = client.get("/ready")
    assert response.status_code == 503
    assert response.json()["error"] == "unavailable"


def test_not_ready_while_migrations_are_missing(client, db, monkeypatch):
    leaf = MigrationExecutor(connection).loader.graph.leaf_nodes("fleet")[0]
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'fleet' AND name = %s", [leaf[1]])
    response = client.get("/ready")
    assert response.status_code == 503
    assert response.json()["details"] == {"migrations": [f"fleet.{leaf[1]}"]}


def test_not_ready_when_a_newer_release_has_migrated(client, db):
    client.get("/ready")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) "
            "VALUES ('fleet', '9999_later', CURRENT_TIMESTAMP)"
        )
    response = client.get("/ready")
    assert response.status_code == 503
    assert response.json()["details"] == {"migrations": ["fleet.9999_later"]}


def test_ready_stays_ready_without_looking_at_migrations_again(
    client, db, django_assert_num_queries
):
    """But for those of a newer release, which may come at any time: one query."""
    client.get("/ready")
    with django_assert_num_queries(2):
        assert client.get("/ready").status_code == 200


@pytest.mark.parametrize("path", ["/nope", "/api/v2/flux/nope", "/api/v2/flux/clusters/a/b/c"])
def test_an_unknown_address_has_the_standard_error(client, db, path):
    response = client.get(path)
    assert response.status_code == 404
    assert response.json()["error"] == "not_found"


def test_home_leads_to_the_admin(client, db):
    assert client.get("/").headers["Location"] == "/admin/"


@pytest.mark.parametrize("path", ["/health", "/ready"])
def test_probes_come_by_address(client, db, path):
    assert client.get(path, headers={"Host": "10.1.2.3:8080"}).status_code == 200


def test_anything_else_asked_by_another_host_is_refused(client, db):
    response = client.get("/api/v2/flux/clusters", headers={"Host": "evil.example"})
    assert response.status_code == 400
    assert response.json()["error"] == "validation_error"
