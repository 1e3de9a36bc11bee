"""That a run would notice what goes wrong; `make bench ARGS=--quick` is the rest of its test."""

import os
import shutil
from pathlib import Path

import pytest

from tests.bench import wrk
from tests.bench.fleets import OF_A_CLUSTER, cluster, fleet
from tests.bench.pages import PAGE, marks, replaced
from tests.bench.report import Report
from tests.bench.vegeta import load_of


@pytest.fixture
def load_generator() -> None:
    if os.environ.get("CI") == "true":
        wrk.obtain()
    elif not shutil.which("wrk"):
        pytest.skip(wrk.MISSING)


@pytest.mark.usefixtures("load_generator")
def test_refused_polls_are_errors(live_server, tmp_path: Path) -> None:
    polls = tmp_path / "polls"
    polls.write_text("/api/v2/flux/clusters no-token\n")
    load = wrk.drive(live_server.url, polls, 1)
    assert load.refused == load.polls > 0


def test_vegeta_tells_what_was_refused_and_what_had_no_answer() -> None:
    latencies = {"50th": 1_000_000, "99th": 2_500_000, "max": 9_000_000}
    statuses = {"200": 90, "503": 7, "0": 3}
    result = {"requests": 100, "rate": 10.0, "latencies": latencies, "status_codes": statuses}
    load = load_of({**result, "errors": ["503 Service Unavailable"]})
    assert (load.rate, load.p99, load.refused, load.broken) == (10, 2.5, 7, 3)


def test_rounds_add_up() -> None:
    first = wrk.Load(polls=100, seconds=1, p50=1, p99=4, longest=9, refused=1)
    second = wrk.Load(polls=300, seconds=1, p50=3, p99=6, longest=8, broken=2)
    both = wrk.together([first, second])
    assert (both.rate, both.p50, both.p99, both.longest, both.errors) == (200, 2, 5, 9, 3)


def test_a_cluster_has_what_the_page_says() -> None:
    whole = cluster(4711)
    assert len(set(whole["platform_components"])) == OF_A_CLUSTER["components"] == 10
    assert len(set(whole["namespaces"])) == 5
    assert len(set(whole["rolebindings"])) == 3
    assert sum(map(len, whole["patches"].values())) == 6
    assert len(fleet(1)["profiles"]) == 2


@pytest.mark.parametrize("part", ["results", "large", "steady"])
def test_results_replace_those_before(part: str) -> None:
    once = replaced(PAGE.read_text(), part, "| first |")
    again = replaced(once, part, "| second |")
    assert "| second |" in again
    assert "| first |" not in again
    assert all(again.count(mark) == 1 for mark in marks(part))


def test_a_table_in_markdown() -> None:
    report = Report()
    report.add("Polls", {"database": "SQLite", "polls/s": "1,000"})
    report.add("Polls", {"database": "PostgreSQL", "polls/s": "900"})
    assert report.markdown() == (
        "### Polls\n\n| database | polls/s |\n| --- | ---: |\n| SQLite | 1,000 |\n"
        "| PostgreSQL | 900 |"
    )
