"""A read plane whose connections are on two replicas, of which one is behind the other.

That is what a single address for all replicas comes to. Any answer is one of either replica: whole,
and with the number of its own revision.
"""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from tests.planes.conftest import SERVE, Place
from tests.planes.polling import wait_until
from tests.planes.postgres import Postgres, standby_of
from tests.planes.replicas import ask, has_replayed_all, made, replay_paused
from tests.planes.sharing import shared_address
from tests.processes import Server, running

pytestmark = pytest.mark.database("postgresql")

CLUSTERS = ("demo-cluster-01", "dev-eu-01", "edge-lab-01", "qa-eu-01")
PATHS = [
    f"/api/v2/flux/clusters/{cluster}.k8s.example.com/platform-components" for cluster in CLUSTERS
]
CLIENTS = 4
POLLS = 32

# Revision → path → answer.
Fleets = dict[int, dict[str, bytes]]


def change(crud: Server, number: int, fleets: Fleets) -> None:
    """Of one cluster after the other, so that most of what a read plane may keep stays right."""
    patches = {"patches": {"podinfo": {"ui.message": f"change {number}"}}}
    cluster = CLUSTERS[number % len(CLUSTERS)]
    revision = made(ask(crud, "PATCH", f"/clusters/{cluster}", patches))
    fleets[revision] = {path: crud.get(path).content for path in PATHS}


def poll(read: Server, number: int) -> tuple[int, str, bytes]:
    path = PATHS[number % len(PATHS)]
    answer = read.get(path)
    assert answer.status_code == 200, answer.text
    return int(answer.headers["X-Fleet-Revision"]), path, answer.content


def seen_by_clients(read: Server, fleets: Fleets, pool: ThreadPoolExecutor) -> set[int]:
    """The revisions of many polls at once, each of which was right."""
    answers = list(pool.map(lambda number: poll(read, number), range(POLLS)))
    wrong = [(revision, path) for revision, path, body in answers if body != fleets[revision][path]]
    assert wrong == []
    return {revision for revision, _, _ in answers}


def test_answers_are_those_of_their_revision(
    postgres: Postgres, place: Place, reader_place: Place
) -> None:
    with ExitStack() as stack:
        standbys = [stack.enter_context(standby_of(postgres)) for _ in range(2)]
        port = stack.enter_context(shared_address([standby.port for standby in standbys]))
        address = f"postgres://fleet_reader@127.0.0.1:{port}/fleet"
        pool = stack.enter_context(ThreadPoolExecutor(CLIENTS))
        crud = stack.enter_context(running(place, SERVE))
        read = stack.enter_context(running({**reader_place, "DATABASE_URL": address}))

        fleets: Fleets = {}
        change(crud, 0, fleets)
        for number, standby in enumerate(standbys * 2, start=1):
            wait_until(lambda: all(has_replayed_all(postgres, each) for each in standbys))
            assert seen_by_clients(read, fleets, pool) == {max(fleets)}
            other = standbys[standbys.index(standby) - 1]
            with replay_paused(standby):
                change(crud, number, fleets)
                wait_until(lambda other=other: has_replayed_all(postgres, other))  # type: ignore[misc]
                assert seen_by_clients(read, fleets, pool) <= {max(fleets) - 1, max(fleets)}
