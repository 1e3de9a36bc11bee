"""Two read planes on one streaming replica: what they promise, and what they never do."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import psycopg
import pytest

from tests.planes.conftest import SERVE, Place
from tests.planes.polling import DEMO, Polls, answers_of, polling, wait_until
from tests.planes.postgres import Postgres, standby_of
from tests.planes.replicas import (
    CLUSTER,
    COMPONENTS,
    ScaledOut,
    ask,
    configured,
    has_replayed_all,
    made,
    replay_paused,
    revision_of,
    try_to_write,
    write,
)
from tests.processes import Server, running

pytestmark = pytest.mark.database("postgresql")

INPUTS = COMPONENTS.removeprefix("/api/v2/flux/")
CLUSTERS = "SELECT count(*) FROM fleet_cluster"
REMOTE_APPLY = {"synchronous_standby_names": "*", "synchronous_commit": "remote_apply"}
STANDBY_IS_SYNCHRONOUS = "SELECT sync_state = 'sync' FROM pg_stat_replication"
A_COMMIT_WAITS = "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
YES = [(True,)]
STANDBY_GIVES_FEEDBACK = "SELECT backend_xmin IS NOT NULL FROM pg_stat_replication"


@pytest.fixture(scope="module")
def started(postgres: Postgres, place: Place, reader_place: Place) -> Iterator[ScaledOut]:
    with standby_of(postgres) as standby, ExitStack() as stack:
        on_standby = {**reader_place, "DATABASE_URL": standby.url("fleet", "fleet_reader")}
        crud = stack.enter_context(running(place, SERVE))
        # As an operator starts them.
        first, second = (stack.enter_context(running(on_standby)) for _ in range(2))
        yield ScaledOut(postgres, standby, crud, (first, second))


@pytest.fixture
def fleet(started: ScaledOut) -> Iterator[ScaledOut]:
    """Both databases are there again afterwards, and all planes are on the same revision."""
    yield started
    for postgres in (started.primary, started.standby):
        if not postgres.process:
            postgres.start()
    wait_until(lambda: started.crud.get("/ready").status_code == 200)
    for read in started.reads:
        wait_until(lambda read=read: read.get("/ready").status_code == 200)  # type: ignore[misc]
    started.wait_for(revision_of(started.crud))


@pytest.fixture
def polled(fleet: ScaledOut) -> Iterator[list[Polls]]:
    """Clusters that poll both read planes, and expect what these answer now."""
    with ExitStack() as stack:
        yield [stack.enter_context(polling(read, clients=1)) for read in fleet.reads]


@pytest.fixture
def token(fleet: ScaledOut) -> Iterator[str]:
    given = {"id": "scaled-out", "kind": "cluster", "cluster": CLUSTER}
    issued = ask(fleet.crud, "POST", "/tokens", given)
    fleet.wait_for(made(issued))
    yield issued.json()["token"]
    if fleet.crud.get("/tokens/scaled-out").status_code == 200:
        ask(fleet.crud, "DELETE", "/tokens/scaled-out")


def statuses(servers: tuple[Server, ...], path: str, token: str | None = None) -> list[int]:
    return [server.get(path, token).status_code for server in servers]


def check_all_were_whole(polled: list[Polls]) -> None:
    for polls in polled:
        polls.check()
        assert polls.statuses() == {200}


def test_both_answer_a_cluster_by_its_token(fleet: ScaledOut, token: str) -> None:
    assert fleet.standby.sql("SELECT pg_is_in_recovery()") == YES
    for resource in ("platform-components", "namespaces", "rolebindings"):
        expected = fleet.crud.get(f"{DEMO}/{resource}", token)
        for read in fleet.reads:
            answer = read.get(f"{DEMO}/{resource}", token)
            assert (answer.status_code, answer.content) == (200, expected.content)
    other = "/api/v2/flux/clusters/dev-eu-01.k8s.example.com/namespaces"
    assert statuses(fleet.reads, other, token) == [403, 403]


def test_both_are_ready_and_say_their_revision(fleet: ScaledOut) -> None:
    expected = fleet.crud.get("/ready").json()
    for read in fleet.reads:
        assert read.get("/ready").json() == expected
        assert f"flux_fleet_revision {expected['revision']}.0" in read.get("/metrics").text


def test_a_change_reaches_both(fleet: ScaledOut) -> None:
    for message in ("one", "two", "three"):
        fleet.wait_for(write(fleet.crud, message))
        for read in fleet.reads:
            assert answers_of(read) == answers_of(fleet.crud)
            [podinfo] = [item for item in read.inputs(INPUTS) if item["id"] == "podinfo"]
            assert podinfo["patches"]["ui.message"] == message


def test_a_revoked_token_stops_on_both(fleet: ScaledOut, token: str) -> None:
    assert statuses(fleet.reads, COMPONENTS, token) == [200, 200]
    revoked = ask(fleet.crud, "DELETE", "/tokens/scaled-out")
    fleet.wait_for(made(revoked))
    assert statuses(fleet.reads, COMPONENTS, token) == [401, 401]


def test_while_replay_is_paused_the_last_state_is_answered(
    fleet: ScaledOut, polled: list[Polls]
) -> None:
    before = revision_of(fleet.crud)
    with replay_paused(fleet.standby):
        written = write(fleet.crud, "while paused")
        for polls in polled:
            polls.wait_for(200, count=20)
        assert [revision_of(read) for read in fleet.reads] == [before, before]
        assert statuses(fleet.reads, "/ready") == [200, 200]
        # What is polled from here on may be new.
        for polls in polled:
            polls.stop()
    check_all_were_whole(polled)
    fleet.wait_for(written)
    assert answers_of(fleet.reads[0]) == answers_of(fleet.reads[1]) == answers_of(fleet.crud)


def test_a_token_is_valid_until_its_end_is_replayed(fleet: ScaledOut, token: str) -> None:
    """As all else that a replica answers; `AUTH_TOKEN` is of the environment, and is not."""
    with replay_paused(fleet.standby):
        revoked = ask(fleet.crud, "DELETE", "/tokens/scaled-out")
        assert statuses(fleet.reads, COMPONENTS, token) == [200, 200]
    fleet.wait_for(made(revoked))
    assert statuses(fleet.reads, COMPONENTS, token) == [401, 401]


def test_both_outlive_the_primary_and_follow_it_again(
    fleet: ScaledOut, polled: list[Polls]
) -> None:
    fleet.primary.stop()
    for polls in polled:
        polls.wait_for(200, count=20)
        polls.stop()
    check_all_were_whole(polled)
    assert statuses(fleet.reads, "/ready") == [200, 200]
    assert fleet.crud.get(COMPONENTS).status_code == 503
    fleet.primary.start()
    wait_until(lambda: fleet.crud.get("/ready").status_code == 200)
    fleet.wait_for(write(fleet.crud, "again"))


def test_without_the_replica_polls_are_errors(fleet: ScaledOut, polled: list[Polls]) -> None:
    fleet.standby.stop()
    for polls in polled:
        polls.wait_for(503)
    assert statuses(fleet.reads, "/ready") == [503, 503]
    assert statuses(fleet.reads, "/health") == [200, 200]
    assert fleet.crud.get(COMPONENTS).status_code == 200
    fleet.standby.start()
    for polls in polled:
        polls.wait_for(200)
        polls.check()
        assert polls.statuses() == {200, 503}


def test_with_remote_apply_no_poll_is_older_than_a_finished_write(fleet: ScaledOut) -> None:
    with configured(fleet.primary, **REMOTE_APPLY):
        wait_until(lambda: fleet.primary.sql(STANDBY_IS_SYNCHRONOUS) == YES)
        for number in range(10):
            written = write(fleet.crud, f"applied {number}")
            assert [revision_of(read) for read in fleet.reads] == [written, written]


def test_with_remote_apply_a_write_waits_for_the_replica(fleet: ScaledOut) -> None:
    """The price: where the replica does not follow, nobody can change the fleet."""
    with configured(fleet.primary, **REMOTE_APPLY), ThreadPoolExecutor() as pool:
        wait_until(lambda: fleet.primary.sql(STANDBY_IS_SYNCHRONOUS) == YES)
        with replay_paused(fleet.standby):
            writing = pool.submit(write, fleet.crud, "waits")
            wait_until(lambda: fleet.primary.sql(A_COMMIT_WAITS) == YES)
            assert not writing.done()
        written = writing.result(60)
        assert [revision_of(read) for read in fleet.reads] == [written, written]


def test_with_remote_apply_a_write_that_gave_up_is_done_nevertheless(
    fleet: ScaledOut, place: Place
) -> None:
    """It is committed here and only waits to be seen; whoever wrote it cannot know."""
    impatient = {**place, "STATEMENT_TIMEOUT": "1"}
    with running(impatient, SERVE) as crud, configured(fleet.primary, **REMOTE_APPLY):
        wait_until(lambda: fleet.primary.sql(STANDBY_IS_SYNCHRONOUS) == YES)
        before = revision_of(crud)
        with replay_paused(fleet.standby):
            assert try_to_write(crud, "gave up").status_code == 503
            assert [revision_of(server) for server in (crud, *fleet.reads)] == [before] * 3
        fleet.wait_for(before + 1)
        assert "gave up" in crud.get(COMPONENTS).text


def long_read(fleet: ScaledOut) -> psycopg.Connection:
    """A read that has begun, as one of a report does, in a transaction as a poll has it."""
    connection = psycopg.connect(fleet.standby.url("fleet", "fleet_reader"))
    connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    connection.execute(CLUSTERS)
    return connection


def disturb(fleet: ScaledOut) -> None:
    """Dead rows that a reader may still see are removed; then, the log says so to the replica."""
    fleet.primary.sql("UPDATE fleet_cluster SET name = name", "fleet")
    fleet.primary.sql("VACUUM fleet_cluster", "fleet")


def test_a_read_that_recovery_cancels_is_an_error_never_a_shorter_list(
    fleet: ScaledOut, polled: list[Polls]
) -> None:
    with configured(fleet.standby, max_standby_streaming_delay="0"), long_read(fleet) as reading:
        disturb(fleet)
        wait_until(lambda: has_replayed_all(fleet.primary, fleet.standby))
        with pytest.raises(psycopg.OperationalError, match="conflict with recovery"):
            reading.execute(CLUSTERS)
        for _ in range(20):
            disturb(fleet)
        for polls in polled:
            polls.wait_for(200)
    for polls in polled:
        polls.check()
        assert polls.statuses() <= {200, 503}


def test_with_feedback_a_long_read_is_not_cancelled(fleet: ScaledOut, polled: list[Polls]) -> None:
    settings = {"hot_standby_feedback": "on", "max_standby_streaming_delay": "0"}
    with configured(fleet.standby, **settings), long_read(fleet) as reading:
        wait_until(lambda: fleet.primary.sql(STANDBY_GIVES_FEEDBACK) == YES)
        expected = reading.execute(CLUSTERS).fetchone()
        for _ in range(5):
            disturb(fleet)
        wait_until(lambda: has_replayed_all(fleet.primary, fleet.standby))
        assert reading.execute(CLUSTERS).fetchone() == expected
    check_all_were_whole(polled)
