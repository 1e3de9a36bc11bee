"""What people come to do, done as they do it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.processes import Server

Open = Callable[[], Page]


@pytest.fixture
def open_page(browser: Browser, site: Server, logged_in: Any) -> Iterator[Open]:
    """A window of its own, where the admin is logged in."""
    with ExitStack() as stack:

        def open_page() -> Page:
            context = browser.new_context(base_url=site.base_url, storage_state=logged_in)
            stack.callback(context.close)
            return context.new_page()

        yield open_page


@pytest.fixture
def api(site: Server) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {site.write_token}"}
    with httpx.Client(base_url=site.base_url, headers=headers, timeout=60) as client:
        yield client


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


def test_roll_a_version_to_all_with_a_preview(open_page: Open, api: httpx.Client) -> None:
    page = open_page()
    page.goto("/admin/fleet/component/kyverno/change/")
    page.get_by_label("Component version").fill("3.9.9")
    save(page)
    expect(page.get_by_role("heading", name="Change component kyverno")).to_be_visible()
    expect(page.get_by_text("3.9.9").first).to_be_visible()
    assert api.get("/platform_components/kyverno").json()["component_version"] != "3.9.9"
    page.get_by_label("Reason").fill("the new release")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url("**/admin/fleet/component/")
    assert api.get("/platform_components/kyverno").json()["component_version"] == "3.9.9"
    [newest] = api.get("/revisions?limit=1").json()
    assert newest["reason"] == "the new release"


def test_a_mass_removal_needs_a_tick_and_the_number(open_page: Open, api: httpx.Client) -> None:
    for number in range(8):
        name = f"guard-{number}"
        cluster = {"id": name, "cluster_name": name, "cluster_dns": f"{name}.example.com"}
        api.post("/clusters", json={**cluster, "environment": "dev"}).raise_for_status()
    profile = {"id": "guarded", "namespaces": ["web-guard"], "labels": {}, "environments": ["dev"]}
    api.post("/namespaces", json={"id": "web-guard"}).raise_for_status()
    api.post("/profiles", json=profile).raise_for_status()
    page = open_page()
    page.goto("/admin/fleet/profile/guarded/delete/")
    page.get_by_role("button", name="Yes, I’m sure").click()
    expect(page.get_by_text("Something is taken away from")).to_be_visible()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("Tick the box and type the number")).to_be_visible()
    assert api.get("/profiles/guarded").status_code == 200
    question = page.get_by_text("Yes, take this away from")
    count = "".join(filter(str.isdigit, question.inner_text()))
    page.get_by_role("checkbox").check()
    page.get_by_label("Type the number of clusters").fill(count)
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url("**/admin/fleet/profile/")
    assert api.get("/profiles/guarded").status_code == 404


def test_two_people_edit_one_cluster(open_page: Open, api: httpx.Client) -> None:
    first, second = open_page(), open_page()
    for page in (first, second):
        page.goto("/admin/fleet/cluster/demo-cluster-01/change/")
    first.get_by_label("Node count").fill("11")
    save(first)
    first.wait_for_url("**/admin/fleet/cluster/")
    second.get_by_label("Node count").fill("12")
    save(second)
    expect(second.get_by_text("Nothing of yours is lost")).to_be_visible()
    assert api.get("/clusters/demo-cluster-01").json()["node_count"] == 11
    second.get_by_role("button", name="Save mine all the same").click()
    second.wait_for_url("**/admin/fleet/cluster/")
    assert api.get("/clusters/demo-cluster-01").json()["node_count"] == 12


def test_freeze_and_unfreeze(open_page: Open, api: httpx.Client) -> None:
    page = open_page()
    for act, state in (("Freeze", "frozen"), ("Unfreeze", "active")):
        page.goto("/admin/fleet/cluster/dev-eu-01/change/")
        page.get_by_role("link", name=act).click()
        expect(page.get_by_text(f"{act} cluster dev-eu-01?")).to_be_visible()
        page.get_by_role("button", name=act, exact=True).click()
        page.wait_for_url("**/dev-eu-01/change/")
        assert api.get("/clusters/dev-eu-01").json()["state"] == state


def test_bulk_edit_over_a_filter(open_page: Open, api: httpx.Client) -> None:
    page = open_page()
    page.goto("/admin/fleet/cluster/?environment__id__exact=qa")
    page.locator("#action-toggle").check()
    page.locator("select[name=action]").select_option(label="Set or remove a label")
    page.get_by_role("button", name="Run").click()
    page.get_by_label("Key").fill("wave")
    page.get_by_label("Value").fill("two")
    page.get_by_role("button", name="Show what it would do").click()
    if page.get_by_role("button", name="Apply").count():
        page.get_by_role("button", name="Apply").click()
    page.wait_for_url("**/admin/fleet/cluster/**")
    labelled = {item["id"] for item in api.get("/clusters?label=wave:two").json()}
    assert labelled == {item["id"] for item in api.get("/clusters?environment=qa").json()}
    assert labelled


def test_a_viewer_can_look_and_not_touch(
    browser: Browser, site: Server, open_page: Open, api: httpx.Client
) -> None:
    admin = open_page()
    admin.goto("/admin/auth/user/add/")
    admin.get_by_label("Username").fill("vera")
    for label in ("Password:", "Password confirmation"):
        admin.get_by_label(label.rstrip(":"), exact=True).fill("a long enough phrase")
    save(admin)
    admin.get_by_label("viewers").check()
    save(admin)
    context = browser.new_context(base_url=site.base_url)
    page = context.new_page()
    page.goto("/admin/")
    page.get_by_label("Username").fill("vera")
    page.get_by_label("Password").fill("a long enough phrase")
    page.get_by_role("button", name="Log in").click()
    page.goto("/admin/fleet/cluster/demo-cluster-01/change/")
    expect(page.get_by_text("demo-cluster-01").first).to_be_visible()
    assert not page.get_by_role("button", name="Save", exact=True).count()
    assert not page.get_by_role("link", name="Freeze").count()
    context.close()
