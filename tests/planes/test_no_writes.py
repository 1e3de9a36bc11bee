"""Polls leave no trace in the database; on PostgreSQL, with a role that could leave none."""

import hashlib
import sys
from pathlib import Path

import psycopg
import pytest

from tests.planes.conftest import Place, Planes
from tests.planes.polling import answers_of
from tests.planes.postgres import Postgres
from tests.processes import Server, run

ROUNDS = 5
ROWS_WRITTEN = """
    SELECT sum(n_tup_ins), sum(n_tup_upd), sum(n_tup_del) FROM pg_stat_user_tables
"""
# What a backend has counted is certain when it has ended.
END_READERS = """
    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'fleet_reader'
"""
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"


@pytest.mark.database("postgresql")
def test_a_role_that_may_only_read_is_enough(postgres: Postgres, reader: Server) -> None:
    before = postgres.sql(ROWS_WRITTEN, "fleet")
    for _ in range(ROUNDS):
        assert answers_of(reader)
        assert reader.get("/ready").status_code == 200
    postgres.sql(END_READERS)
    assert postgres.sql(ROWS_WRITTEN, "fleet") == before
    assert answers_of(reader)


@pytest.mark.database("postgresql")
def test_that_role_cannot_write(postgres: Postgres, place: Place) -> None:
    with psycopg.connect(postgres.url("fleet", "fleet_reader"), autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = off")
        for [table] in postgres.sql(TABLES, "fleet"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"DELETE FROM {table}")  # noqa: S608
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("CREATE TABLE mine (id int)")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT password FROM auth_user")


@pytest.mark.database("postgresql")
def test_that_role_may_read_what_later_releases_add(postgres: Postgres, place: Place) -> None:
    with psycopg.connect(postgres.url("fleet", "fleet"), autocommit=True) as owner:
        owner.execute("CREATE TABLE fleet_later (id int)")
    with psycopg.connect(postgres.url("fleet", "fleet_reader"), autocommit=True) as connection:
        assert connection.execute("SELECT * FROM fleet_later").fetchall() == []


@pytest.mark.database("postgresql")
def test_even_its_owner_cannot_write_in_the_read_plane(postgres: Postgres, place: Place) -> None:
    create = ("createsuperuser", "--noinput", "--username", "eve", "--email", "eve@example.com")
    given = {**place, "API_MODE": "read-only", "DJANGO_SUPERUSER_PASSWORD": "a long one"}
    done = run((sys.executable, "manage.py", *create), **given)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "error: With API_MODE=read-only the database refuses this command: "
        "cannot execute INSERT in a read-only transaction.\n"
    )
    assert postgres.sql("SELECT username FROM auth_user", "fleet") == [("admin",)]


@pytest.mark.database("sqlite")
def test_the_file_stays_as_it_is(planes: Planes) -> None:
    file = Path(planes.place["DATABASE_URL"].removeprefix("sqlite://"))
    before = hashlib.sha256(file.read_bytes()).digest()
    for _ in range(ROUNDS):
        assert answers_of(planes.read)
        assert planes.read.get("/ready").status_code == 200
    assert hashlib.sha256(file.read_bytes()).digest() == before
    log = file.with_name(file.name + "-wal")
    assert not log.exists() or log.stat().st_size == 0
