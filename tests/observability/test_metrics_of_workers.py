"""/metrics of a running server: whichever worker answers speaks for all of them."""

import os
from pathlib import Path

import httpx
import pytest

from tests.observability.samples import Samples, samples_in, total
from tests.processes import Server
from tests.workers import replace_workers, workers

pytestmark = [pytest.mark.slow, pytest.mark.server, pytest.mark.database("sqlite")]

POLL = "/api/v2/flux/clusters/demo-cluster-01.k8s.example.com/rolebindings"
POLLS = "flux_fleet_polls_total"


def scrape(server: Server) -> Samples:
    response = server.get("/metrics")
    assert response.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    return samples_in(response.text)


def polls(samples: Samples) -> float:
    return total(samples, POLLS, resource="rolebindings", state="active", result="ok")


def files(server: Server) -> list[Path]:
    """The master keeps one file open in the folder where all of them are."""
    opened = [os.readlink(link) for link in Path(f"/proc/{server.process.pid}/fd").iterdir()]
    [alive] = [Path(name) for name in opened if name.endswith("/alive")]
    return list(alive.parent.glob("*.db"))


def counting_workers(server: Server) -> set[int]:
    names = (file.stem.partition("_")[2] for file in files(server))
    return {int(name) for name in names if name.isdigit()}


def poll_until_both_have_answered(server: Server) -> int:
    asked = 0
    while not workers(server) <= counting_workers(server) or asked < 10:
        assert server.get(POLL).status_code == 200
        asked += 1
        assert asked < 500
    return asked


def test_polls_of_all_workers_are_added_up(busy: Server) -> None:
    before = polls(scrape(busy))
    asked = poll_until_both_have_answered(busy)
    assert polls(scrape(busy)) == before + asked


def test_nothing_is_lost_with_the_workers_that_counted_it(busy: Server) -> None:
    poll_until_both_have_answered(busy)
    before = scrape(busy)
    replace_workers(busy)
    after = scrape(busy)
    assert polls(after) == polls(before)
    assert {key: value for key, value in before.items() if after[key] < value} == {}


def test_unknown_addresses_and_methods_make_one_series(busy: Server) -> None:
    for path, method in (("/a", "GET"), ("/b?c", "GET"), ("/x", "MAKE"), ("/y", "BREW")):
        httpx.request(method, busy.base_url + path)
    samples = scrape(busy)
    name = "flux_fleet_request_seconds_count"
    routes = {dict(labels)["route"] for found, labels in samples if found == name}
    assert not routes & {"/a", "/b", "/x", "/y"}
    assert total(samples, name, route="unmatched", method="GET") >= 2
    assert total(samples, name, route="unmatched", method="other") >= 2


def test_unknown_resources_make_one_series(busy: Server) -> None:
    for resource in ("one", "two"):
        busy.get(f"/api/v2/flux/clusters/a/{resource}")
    assert total(scrape(busy), POLLS, resource="unknown", result="not_found") >= 2
    assert total(scrape(busy), POLLS, resource="one") == 0
