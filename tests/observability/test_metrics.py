"""What /metrics says, and to whom. In this process: it counts for itself."""

import pytest
from django.db import OperationalError, connection

from fleet.history.change import head_number
from tests.flux.broken_database import BreaksAfter
from tests.flux.conftest import READ, fleet, poll
from tests.observability.samples import Samples, samples_in, total

__all__ = ["fleet", "poll"]

PATH = "clusters/c-1.example.com/namespaces"
POLLS = "flux_fleet_polls_total"


@pytest.fixture
def scrape(client, db):
    def get() -> Samples:
        response = client.get("/metrics", headers=READ)
        assert response.status_code == 200
        return samples_in(response.content.decode())

    return get


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        (READ, 200),
        ({**READ, "Host": "10.1.2.3:8080"}, 200),
        ({**READ, "Accept": "application/openmetrics-text"}, 200),
    ],
)
def test_it_needs_a_token(client, db, headers, status):
    assert client.get("/metrics", headers=headers).status_code == status


def test_a_person_who_is_logged_in_can_look_at_it(admin_client):
    response = admin_client.get("/metrics", headers={"Accept": "text/html"})
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("text/plain")


def test_a_person_who_is_not_staff_cannot(client, django_user_model):
    client.force_login(django_user_model.objects.create_user("someone"))
    assert client.get("/metrics").status_code == 403


def test_nobody_can_write_to_it(client, db):
    response = client.post("/metrics", headers=READ)
    assert (response.status_code, response.json()["error"]) == (405, "method_not_allowed")


def test_it_tells_the_revision_and_the_build(scrape, fleet):
    samples = scrape()
    assert total(samples, "flux_fleet_revision") == head_number() > 0
    assert total(samples, "flux_fleet_build_info", mode="crud") == 1
    assert total(samples, "flux_fleet_database_up") == 1


def test_without_a_database_it_still_answers(scrape):
    with connection.execute_wrapper(BreaksAfter(0, OperationalError("gone"))):
        samples = scrape()
    assert total(samples, "flux_fleet_database_up") == 0
    assert not [name for name, _ in samples if name == "flux_fleet_revision"]
    assert [name for name, _ in samples if name == "flux_fleet_request_seconds_count"]


@pytest.mark.parametrize(
    ("path", "headers", "labels"),
    [
        (PATH, {}, {"resource": "namespaces", "state": "active", "result": "ok"}),
        ("clusters", {}, {"resource": "clusters", "state": "all", "result": "ok"}),
        (
            "clusters/no.example.com/namespaces",
            {},
            {"resource": "namespaces", "state": "unknown", "result": "not_found"},
        ),
        (
            PATH,
            {"Authorization": "Bearer wrong"},
            {"resource": "namespaces", "state": "unknown", "result": "refused"},
        ),
    ],
)
def test_polls_are_counted_by_what_came_of_them(scrape, poll, path, headers, labels):
    before = total(scrape(), POLLS, **labels)
    poll(path, **headers)
    assert total(scrape(), POLLS, **labels) == before + 1


def test_an_answer_that_was_known_is_counted_as_such(scrape, poll):
    etag = poll(PATH).headers["ETag"]
    labels = {"resource": "namespaces", "state": "active", "result": "not_modified"}
    before = total(scrape(), POLLS, **labels)
    poll(PATH, **{"If-None-Match": etag})
    assert total(scrape(), POLLS, **labels) == before + 1


def test_a_poll_that_failed_is_counted_as_an_error(scrape, poll):
    before = total(scrape(), POLLS, result="error")
    with connection.execute_wrapper(BreaksAfter(1, OperationalError("gone"))):
        assert poll(PATH).status_code == 503
    assert total(scrape(), POLLS, result="error") == before + 1


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        (
            "flux_fleet_request_seconds_count",
            {"method": "GET", "route": "/api/v2/flux/clusters/{dns}/{resource}", "status": "200"},
        ),
        ("flux_fleet_database_seconds_count", {"route": "/api/v2/flux/clusters/{dns}/{resource}"}),
    ],
)
def test_requests_are_counted_by_route(scrape, poll, name, labels):
    before = total(scrape(), name, **labels)
    poll(PATH)
    assert total(scrape(), name, **labels) == before + 1
