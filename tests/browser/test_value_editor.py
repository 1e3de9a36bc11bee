"""Patches, edited as people do it: the kind, the value, what is inherited, and what is wrong."""

import re
from itertools import count

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.looking import Watched

numbers = count(1)
# The tab stays in the address.
LIST = re.compile(r"/admin/fleet/cluster/(#.*)?$")
DEMO = "/admin/fleet/cluster/demo-cluster-01"


@pytest.fixture
def cluster(api: httpx.Client) -> str:
    """One of its own for each test."""
    name = f"editor-{next(numbers)}"
    fields = {
        "id": name,
        "cluster_name": name,
        "cluster_dns": f"{name}.example.com",
        "environment": "dev",
        "platform_components": ["podinfo"],
        "patches": {"podinfo": {"replicaCount": "2", "ui.message": "hi"}},
    }
    api.post("/clusters", json=fields).raise_for_status()
    return name


def rows(page: Page) -> Locator:
    return page.locator("#patches-group .form-group:not(.empty-form)")


def add_patch(page: Page, component: str, key: str) -> Locator:
    page.get_by_role("link", name="Add another Patch").click()
    page.locator("#patches-group .form-group:not(.empty-form) .select2-selection").last.click()
    page.get_by_role("option", name=component, exact=True).click()
    row = rows(page).last
    row.get_by_label("Key").fill(key)
    return row


def row_of(page: Page, key: str) -> Locator:
    return rows(page).filter(has=page.locator(f'input[name$="-key"][value="{key}"]'))


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


def test_replicas_of_podinfo_are_changed(watched: Watched, api: httpx.Client) -> None:
    page = watched.page
    before = api.get("/clusters/demo-cluster-01").json()["patches"]
    page.goto(f"{DEMO}/change/#patches", wait_until="networkidle")
    row = row_of(page, "replicaCount")
    expect(row).to_contain_text("inherited: 1 from the catalog")
    value = row.get_by_label("Value", exact=True)
    value.fill("50")
    expect(row).to_contain_text("50 is greater than the maximum of 20")
    expect(value).to_have_attribute("aria-invalid", "true")
    expect(value).to_have_accessible_description(re.compile("greater than the maximum"))
    value.fill("three")
    expect(row).to_contain_text("must be a number, such as 3")
    value.fill("4")
    expect(row).not_to_contain_text("must be a number")
    expect(value).not_to_have_attribute("aria-invalid", "true")
    save(page)
    page.wait_for_url(LIST)
    page.goto(f"{DEMO}/flux/")
    expect(page.locator("body")).to_contain_text('"replicaCount": 4')
    assert watched.complaints == []
    api.patch("/clusters/demo-cluster-01", json={"patches": before}).raise_for_status()


@pytest.mark.slow
def test_a_new_row_is_told_of_as_it_is_typed(watched: Watched, api, cluster) -> None:
    page = watched.page
    page.goto(f"/admin/fleet/cluster/{cluster}/change/#patches", wait_until="networkidle")
    row = add_patch(page, "podinfo", "replicaCount")
    expect(row).to_contain_text("has two patches here")
    row.get_by_label("Key").fill("ui.color")
    expect(row).to_contain_text('inherited: "#34577c" from')
    expect(row.get_by_label("Kind of value")).to_have_value("text")
    key = row.get_by_label("Key")
    listed = page.locator(f"datalist#{key.get_attribute('list')} option")
    assert "ui.message" in listed.evaluate_all("options => options.map((each) => each.value)")
    row.get_by_label("Value", exact=True).fill("#00ff00")
    more = add_patch(page, "podinfo", "extra")
    expect(more).to_contain_text("not set below")
    more.get_by_label("Kind of value").select_option("object")
    more.get_by_label("Value", exact=True).fill('{"deep": {"on": true}, "list": [1, "2"]}')
    off = add_patch(page, "podinfo", "switch")
    off.get_by_label("Kind of value").select_option("boolean")
    off.get_by_label("Yes or no").select_option("false")
    expect(off.get_by_label("Value", exact=True)).to_be_hidden()
    gone = add_patch(page, "podinfo", "ui.logo")
    gone.get_by_label("Kind of value").select_option("unset")
    expect(gone.get_by_label("Value", exact=True)).to_be_hidden()
    save(page)
    page.wait_for_url(LIST)
    saved = api.get(f"/clusters/{cluster}").json()
    assert saved["values"]["podinfo"] == {
        "extra": {"deep": {"on": True}, "list": [1, "2"]},
        "replicaCount": 2,
        "switch": False,
        "ui": {"color": "#00ff00", "message": "hi"},
    }
    assert saved["unset"] == {"podinfo": ["ui.logo"]}
    assert watched.complaints == []


@pytest.mark.slow
def test_what_the_server_refuses_is_next_to_the_field(watched: Watched, cluster) -> None:
    page = watched.page
    page.goto(f"/admin/fleet/cluster/{cluster}/change/#patches", wait_until="networkidle")
    value = row_of(page, "replicaCount").get_by_label("Value", exact=True)
    value.fill("999")
    save(page)
    row = row_of(page, "replicaCount")
    expect(row).to_contain_text("999 is greater than the maximum of 20")
    expect(row.get_by_label("Value", exact=True)).to_have_value("999")
    row.get_by_label("Value", exact=True).fill("9")
    expect(row).not_to_contain_text("greater than")


@pytest.mark.slow
def test_a_row_that_was_removed_leaves_the_others_as_they_are(watched: Watched, cluster) -> None:
    page = watched.page
    page.goto(f"/admin/fleet/cluster/{cluster}/change/#patches", wait_until="networkidle")
    add_patch(page, "podinfo", "first")
    add_patch(page, "podinfo", "second").get_by_label("Value", exact=True).fill("typed")
    rows(page).nth(2).locator(".delete-template").click()
    expect(rows(page)).to_have_count(3)
    row = rows(page).last
    expect(row.get_by_label("Key")).to_have_value("second")
    expect(row.get_by_label("Value", exact=True)).to_have_value("typed")
    row.get_by_label("Kind of value").select_option("number")
    expect(row.get_by_label("Value", exact=True)).to_have_accessible_description(
        re.compile("must be a number")
    )
    row.locator(".select2-selection").click()
    page.get_by_role("option", name="traefik", exact=True).click()
    expect(row.locator("select").first).to_have_value("traefik")


@pytest.mark.slow
def test_a_new_assignment_tells_what_it_inherits(watched: Watched, cluster) -> None:
    page = watched.page
    page.goto(f"/admin/fleet/cluster/{cluster}/change/#components", wait_until="networkidle")
    page.get_by_role("link", name="Add another Component").click()
    page.locator("#components-group .form-group:not(.empty-form) .select2-selection").last.click()
    page.get_by_role("option", name="kyverno", exact=True).click()
    row = page.locator("#components-group .form-group:not(.empty-form)").last
    version = row.locator('[name$="-component_version"]')
    expect(version).to_have_attribute("placeholder", re.compile(r"\d.* from the catalog"))


@pytest.mark.slow
def test_without_its_script_a_value_is_saved_all_the_same(
    watched: Watched, api: httpx.Client, cluster: str
) -> None:
    page = watched.page
    page.route(re.compile(r"/values\..*js"), lambda route: route.abort())
    page.goto(f"/admin/fleet/cluster/{cluster}/change/#patches", wait_until="networkidle")
    row_of(page, "ui.message").get_by_label("Value", exact=True).fill("true\nlove")
    row_of(page, "replicaCount").get_by_label("Value", exact=True).fill("7")
    save(page)
    page.wait_for_url(LIST)
    values = api.get(f"/clusters/{cluster}").json()["values"]["podinfo"]
    assert values == {"replicaCount": 7, "ui": {"message": "true\nlove"}}
