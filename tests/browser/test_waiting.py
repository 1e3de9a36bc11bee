"""Clusters that registered themselves, let in by a person."""

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.looking import Watched

pytestmark = pytest.mark.slow

NAMES = ("wait-01", "wait-02")


@pytest.fixture
def waiting(api: httpx.Client) -> tuple[str, ...]:
    body = {"kind": "enrolment", "environments": ["dev"], "needs_approval": True}
    issued = api.post("/tokens", json={"id": "join-browser", **body}).raise_for_status().json()
    mine = {"Authorization": f"Bearer {issued['token']}"}
    for name in NAMES:
        cluster = {"cluster_name": name, "cluster_dns": f"{name}.example.com"}
        api.post("/enroll", json=cluster, headers=mine).raise_for_status()
    return NAMES


def test_who_waits_is_on_the_home_page_and_one_click_lets_them_in(
    watched: Watched, page: Page, api: httpx.Client, waiting: tuple[str, ...]
) -> None:
    watched.goto("/admin/")
    page.get_by_role("link", name="clusters wait to be approved").click()
    watched.look("clusters-waiting")
    row = page.get_by_role("row").filter(has_text=waiting[0])
    row.get_by_role("button", name="Approve").click()
    expect(page.get_by_text(f"{waiting[0]} is now active.")).to_be_visible()
    assert api.get(f"/clusters/{waiting[0]}").json()["state"] == "active"

    watched.goto(f"/admin/fleet/cluster/{waiting[1]}/flux/")
    watched.look("cluster-waiting")
    page.goto("/admin/fleet/cluster/?state__exact=waiting")
    page.get_by_role("link", name="Refuse").click()
    page.get_by_role("button", name="Yes, I’m sure").click()
    expect(page.get_by_text("was deleted successfully")).to_be_visible()
    assert api.get(f"/clusters/{waiting[1]}").status_code == 404
