"""What takes long in the admin, on a real server with many clusters: it tells how far it is."""

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import httpx
import pytest

from tests.large_fleet import api, large_fleet
from tests.processes import Server

pytestmark = pytest.mark.slow

NAMESPACE = "/admin/fleet/namespace/podinfo/change/"
LINES = {"X-Progress": "lines"}


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with large_fleet(tmp_path_factory.mktemp("large")) as server:
        yield server


@pytest.fixture
def admin(large: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=large.base_url, timeout=60) as client:
        client.get("/admin/login/")
        form = {"username": "admin", "password": large.secret("ADMIN_PASSWORD")}
        answer = client.post("/admin/login/?next=/admin/", data={**form, **csrf(client)})
        assert answer.status_code == 302
        yield client


def csrf(client: httpx.Client) -> dict[str, str]:
    return {"csrfmiddlewaretoken": client.cookies["csrftoken"]}


def hidden_in(page: str) -> dict[str, str]:
    """What a preview carries along."""
    found = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', page)
    return {name: unescape(value) for name, value in found}


def form_with(admin: httpx.Client, wave: str) -> dict[str, str]:
    return {"labels": f'{{"wave": "{wave}"}}', "annotations": "{}", **csrf(admin)}


def wave(server: Server) -> str | None:
    labels: dict[str, str] = server.get("/namespaces/podinfo").json()["labels"]
    return labels.get("wave")


def news_of(answer: httpx.Response) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer.iter_lines()]


def test_a_plan_tells_how_far_it_is_and_leads_to_its_page(large: Server, admin: Any) -> None:
    before = wave(large)
    sent = form_with(admin, "wave-1")
    with admin.stream("POST", NAMESPACE, data=sent, headers=LINES) as answer:
        *counted, last = news_of(answer)
    done = [news["done"] for news in counted if news["of"]]
    assert done == sorted(done)
    assert {news["of"] for news in counted if news["of"]} == {total(large)}
    page = admin.get(last["location"])
    assert "wave-1" in page.text
    assert "Apply" in page.text
    assert page.headers["Content-Security-Policy"]
    assert wave(large) == before


def total(server: Server) -> int:
    return int(server.get("/clusters?limit=1").headers["X-Total-Count"])


def test_what_is_applied_is_told_on_the_page_that_follows(large: Server, admin: Any) -> None:
    with admin.stream("POST", NAMESPACE, data=form_with(admin, "wave-2"), headers=LINES) as answer:
        preview = admin.get(news_of(answer)[-1]["location"])
    sent = {**hidden_in(preview.text), "_reason": "a reason"}
    with admin.stream("POST", str(preview.url), data=sent, headers=LINES) as answer:
        *counted, last = news_of(answer)
    assert "Writing it down" in {news["what"] for news in counted}
    assert last == {"location": "/admin/fleet/namespace/"}
    assert "Undo it" in admin.get(last["location"]).text
    assert wave(large) == "wave-2"


def test_nobody_else_sees_a_kept_page(large: Server, admin: Any) -> None:
    with admin.stream("POST", NAMESPACE, data=form_with(admin, "wave-3"), headers=LINES) as answer:
        location = news_of(answer)[-1]["location"]
    stranger = httpx.get(large.base_url + location)
    assert stranger.status_code == 302
    assert "/admin/login/" in stranger.headers["Location"]
    elsewhere = location.replace("podinfo", "monitoring")
    assert admin.get(elsewhere).headers["Location"] == elsewhere.partition("?")[0]


def test_a_plan_that_nobody_waits_for_is_given_up(large: Server, admin: Any) -> None:
    before = wave(large)
    with admin.stream("POST", NAMESPACE, data=form_with(admin, "wave-4"), headers=LINES) as answer:
        next(answer.iter_lines())
    with api(large) as client:
        answer = client.patch("/clusters/large-0001", json={"node_count": 9})
    assert answer.status_code == 200
    assert wave(large) == before


def test_what_is_applied_goes_on_when_nobody_waits(large: Server, admin: Any) -> None:
    with admin.stream("POST", NAMESPACE, data=form_with(admin, "wave-5"), headers=LINES) as answer:
        preview = admin.get(news_of(answer)[-1]["location"])
    sent = hidden_in(preview.text)
    with admin.stream("POST", str(preview.url), data=sent, headers=LINES) as answer:
        next(answer.iter_lines())
    with api(large) as client:  # a writer waits for its turn
        client.patch("/clusters/large-0002", json={"node_count": 9}).raise_for_status()
    assert wave(large) == "wave-5"


def test_a_revert_is_looked_at_in_the_same_way(large: Server, admin: Any) -> None:
    number = large.get("/revisions?limit=1").json()[0]["number"]
    revert = f"/admin/fleet/revision/{number}/revert/"
    page = admin.get(revert)
    assert "progress.js" in page.text
    assert "_plan" not in page.text
    with admin.stream("GET", revert, headers=LINES) as answer:
        location = news_of(answer)[-1]["location"]
    assert "_plan" in admin.get(location).text
    assert "_plan" in admin.get(f"{revert}?_wait=1").text
