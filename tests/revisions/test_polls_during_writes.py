"""What a cluster is told while others write: always one revision's answer, and at once."""

import json
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import httpx
import pytest
from django.test import Client

from fleet import progress
from fleet.desired_state.inputs import COMPONENTS
from fleet.history.change import change, head_number
from fleet.history.snapshot import snapshot
from fleet.models import Cluster, ClusterPatch, Component
from tests.answers import answers_for_dns
from tests.factories import assign, make_cluster, make_component, patch
from tests.revisions.threads import running

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

WRITERS, ROUNDS = 8, 6
HOLD_SECONDS = 30
TOKEN = "test-read-token"
# What only looks, by either door.
READS = (
    "/clusters?limit=100",
    "/clusters?component=left",
    "/clusters/polled/effective",
    "/platform_components/left/usage",
    "/revisions",
)
PAGES = (
    "/admin/",
    "/admin/fleet/cluster/",
    "/admin/fleet/cluster/polled/change/",
    "/admin/fleet/cluster/polled/effective/",
    "/admin/fleet/component/left/usage/",
    "/admin/fleet/revision/",
)


class Poll(NamedTuple):
    revision: int
    # By the id of the component; None for one that has none.
    numbers: dict[str, int | None]


def numbers_in(body: bytes) -> dict[str, int | None]:
    return {item["id"]: item["values"].get("n") for item in json.loads(body)["inputs"]}


def poll_in_process(dns: str) -> Poll:
    with snapshot():
        body = answers_for_dns(dns).body(COMPONENTS)
        return Poll(head_number(), numbers_in(body))


@pytest.fixture(params=["in_process", "over_http"])
def poll(request: pytest.FixtureRequest) -> Callable[[str], Poll]:
    if request.param == "in_process":
        return poll_in_process
    server = request.getfixturevalue("live_server")

    def poll_over_http(dns: str) -> Poll:
        response = httpx.get(
            f"{server.url}/api/v2/flux/clusters/{dns}/{COMPONENTS}",
            headers={"Authorization": f"Bearer {TOKEN}"},
            timeout=HOLD_SECONDS,
        )
        assert response.status_code == 200, response.text
        return Poll(int(response.headers["X-Fleet-Revision"]), numbers_in(response.content))

    return poll_over_http


@pytest.fixture
def cluster() -> Cluster:
    """Two components have the value `n`, which every writer sets to one number in both."""
    with change():
        cluster = make_cluster(id="polled")
        for name in ("left", "middle", "right"):
            component = make_component(id=name)
            assign(cluster, component)
            if name != "middle":
                patch(cluster, component, "n", 0)
    return cluster


def write(number: int) -> None:
    for component in ("left", "right"):
        row = ClusterPatch.objects.get(component=component)
        row.value = str(number)
        row.save()


def test_every_poll_is_the_answer_of_one_revision(
    cluster: Cluster, poll: Callable[[str], Poll]
) -> None:
    written = {head_number(): 0}

    def count_up(writer: int) -> None:
        for _ in range(ROUNDS):
            with change() as opened:
                number = int(ClusterPatch.objects.get(component="left").value) + 1
                write(number)
            assert opened.revision is not None
            written[opened.revision.number] = number

    polls = []
    with running(count_up, WRITERS) as writers:
        while not all(writer.done() for writer in writers):
            polls.append(poll(cluster.dns))

    assert len(written) == WRITERS * ROUNDS + 1
    expected = {
        revision: {"left": number, "middle": None, "right": number}
        for revision, number in written.items()
    }
    assert [answer for answer in polls if answer.numbers != expected[answer.revision]] == []
    seen = [answer.revision for answer in polls]
    assert seen == sorted(seen)
    assert len(set(seen)) > ROUNDS / 2


def test_a_poll_does_not_wait_for_an_open_change(
    cluster: Cluster, poll: Callable[[str], Poll]
) -> None:
    wrote, polled = threading.Event(), threading.Event()
    before = poll(cluster.dns)

    def hold(_: int) -> bool:
        with change():
            write(1)
            wrote.set()
            return polled.wait(HOLD_SECONDS)

    with running(hold, 1) as [holder]:
        assert wrote.wait(HOLD_SECONDS)
        during = poll(cluster.dns)
        still_open = not holder.done()
        polled.set()

    assert still_open
    assert during == before
    assert poll(cluster.dns) == Poll(before.revision + 1, {"left": 1, "middle": None, "right": 1})


def test_who_reads_does_not_wait_for_a_plan(
    cluster: Cluster, poll: Callable[[str], Poll], client: Client, admin_client: Client
) -> None:
    """Neither a cluster nor a person: a plan for a large fleet takes seconds."""
    planning, read = threading.Event(), threading.Event()
    before = poll(cluster.dns)

    def wait_at_a_cluster(what: str, done: int, of: int) -> None:
        planning.set()
        read.wait(HOLD_SECONDS)

    def plan(_: int) -> None:
        with progress.told_to(wait_at_a_cluster), change(dry_run=True):
            Component.objects.filter(pk="left").update(component_version="9.9.9")

    with running(plan, 1) as [planner]:
        assert planning.wait(HOLD_SECONDS)
        during = poll(cluster.dns)
        headers = {"Authorization": f"Bearer {TOKEN}"}
        answers = {path: client.get(path, headers=headers).status_code for path in READS}
        answers |= {path: admin_client.get(path).status_code for path in PAGES}
        still_planning = not planner.done()
        read.set()

    assert still_planning
    assert during == before
    assert answers == dict.fromkeys((*READS, *PAGES), 200)


def test_a_poll_that_is_being_made_does_not_keep_writers_waiting(cluster: Cluster) -> None:
    answers: list[Any] = []
    with snapshot():
        answers.append(numbers_in(answers_for_dns(cluster.dns).body(COMPONENTS)))
        with running(lambda _: write(1), 1):
            pass
        answers.append(numbers_in(answers_for_dns(cluster.dns).body(COMPONENTS)))
    assert answers == [{"left": 0, "middle": None, "right": 0}] * 2
    assert poll_in_process(cluster.dns).numbers == {"left": 1, "middle": None, "right": 1}
