"""A CRUD plane on a PostgreSQL primary, and two read planes on its streaming replica."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx

from tests.planes.polling import DEMO, wait_until
from tests.planes.postgres import Postgres
from tests.processes import Server

CLUSTER = "demo-cluster-01"
COMPONENTS = f"{DEMO}/platform-components"
PAUSED = [("paused",)]


@dataclass(frozen=True)
class ScaledOut:
    primary: Postgres
    standby: Postgres
    crud: Server
    reads: tuple[Server, Server]

    def wait_for(self, revision: int) -> None:
        for read in self.reads:
            wait_until(has_come_to(read, revision))


@contextmanager
def replay_paused(standby: Postgres) -> Iterator[None]:
    """The standby goes on receiving, and shows nothing of it."""
    standby.sql("SELECT pg_wal_replay_pause()")
    wait_until(lambda: standby.sql("SELECT pg_get_wal_replay_pause_state()") == PAUSED)
    try:
        yield
    finally:
        standby.sql("SELECT pg_wal_replay_resume()")


def has_replayed_all(primary: Postgres, standby: Postgres) -> bool:
    [(written,)] = primary.sql("SELECT pg_current_wal_insert_lsn()")
    [(replayed,)] = standby.sql(f"SELECT pg_last_wal_replay_lsn() >= '{written}'")
    return replayed


def ask(server: Server, method: str, path: str, body: object = None) -> httpx.Response:
    headers = {"Authorization": f"Bearer {server.write_token}"}
    return httpx.request(method, server.base_url + path, json=body, headers=headers, timeout=90)


def try_to_write(server: Server, message: str) -> httpx.Response:
    """A change of what the demo cluster gets."""
    patches = {"patches": {"podinfo": {"ui.message": message}}}
    return ask(server, "PATCH", f"/clusters/{CLUSTER}", patches)


def made(response: httpx.Response) -> int:
    """The revision that a write made."""
    assert response.is_success, response.text
    return int(response.headers["X-Fleet-Revision"])


def write(server: Server, message: str) -> int:
    return made(try_to_write(server, message))


def revision_of(server: Server) -> int:
    """The revision that a poll is answered from."""
    response = server.get(COMPONENTS)
    assert response.status_code == 200, response.text
    return int(response.headers["X-Fleet-Revision"])


def has_come_to(server: Server, revision: int) -> Callable[[], bool]:
    return lambda: revision_of(server) == revision


@contextmanager
def configured(postgres: Postgres, **settings: str) -> Iterator[None]:
    """Settings that a reload is enough for, until the end of the block."""
    try:
        change_settings(postgres, [f"SET {name} = '{value}'" for name, value in settings.items()])
        yield
    finally:
        change_settings(postgres, [f"RESET {name}" for name in settings])


def change_settings(postgres: Postgres, clauses: list[str]) -> None:
    for clause in clauses:
        postgres.sql(f"ALTER SYSTEM {clause}")
    postgres.sql("SELECT pg_reload_conf()")
