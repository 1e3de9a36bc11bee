"""Whatever breaks between a cluster and its fleet: the cluster keeps what it has."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import pytest

from tests.e2e.bootstrap import connect
from tests.e2e.cluster import Cluster
from tests.e2e.fleet import Fleet
from tests.e2e.following import follows
from tests.e2e.observed import identities, state_of
from tests.e2e.planes import ReadPlane
from tests.e2e.waiting import eventually
from tests.planes.postgres import Postgres


@dataclass(frozen=True)
class World:
    cluster: Cluster
    fleet: Fleet
    read: ReadPlane
    postgres: Postgres


@pytest.fixture
def world(berlin: Cluster, fleet: Fleet, read: ReadPlane, postgres: Postgres) -> World:
    return World(berlin, fleet, read, postgres)


@contextmanager
def api_stopped(world: World) -> Iterator[None]:
    world.read.stop()
    try:
        yield
    finally:
        world.read.start()


@contextmanager
def database_stopped(world: World) -> Iterator[None]:
    world.postgres.stop()
    try:
        yield
    finally:
        world.postgres.start()


@contextmanager
def token_revoked(world: World) -> Iterator[None]:
    world.fleet.call("DELETE", "/tokens/berlin")
    try:
        yield
    finally:
        connect(world.cluster, world.fleet)


@contextmanager
def unreadable_row(world: World) -> Iterator[None]:
    """As only a write past every check could make it: our own code fails, with a 500. It is no
    revision, so the read plane would go on with what it has in memory."""
    statement = "UPDATE fleet_clusterpatch SET key = '{}' WHERE key = '{}'"
    world.postgres.sql(statement.format("a..b", "ui.message"), "fleet")
    world.read.stop()
    world.read.start()
    try:
        yield
    finally:
        world.postgres.sql(statement.format("ui.message", "a..b"), "fleet")


def wait_until_all_providers_fail(cluster: Cluster) -> None:
    """Each goes back and forth between False and Unknown, as it tries again."""
    failed: set[str] = set()

    def look() -> set[str]:
        ready = cluster.ready()
        assert "True" not in ready.values()
        failed.update(name for name, status in ready.items() if status == "False")
        return failed

    eventually(look, set(cluster.ready()))


FAULTS = [api_stopped, database_stopped, token_revoked, unreadable_row]
Fault = Callable[[World], AbstractContextManager[None]]


@pytest.mark.parametrize("fault", FAULTS)
def test_nothing_disappears_and_it_goes_on_afterwards(world: World, fault: Fault) -> None:
    before, objects = state_of(world.cluster), identities(world.cluster)
    with fault(world):
        world.cluster.poll()
        wait_until_all_providers_fail(world.cluster)
        assert (state_of(world.cluster), identities(world.cluster)) == (before, objects)
    world.fleet.change("PATCH", "/clusters/berlin", {"patches": {"podinfo": {"replicaCount": "9"}}})
    follows(world.cluster, world.fleet)
    assert set(world.cluster.ready().values()) == {"True"}
    _, values, _ = state_of(world.cluster)["HelmRelease/podinfo"]
    assert values["replicaCount"] == 9
