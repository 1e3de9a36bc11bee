"""Pages that one reaches by doing something: as whole, and as much for everyone, as the others."""

import json
import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import PASSWORD, add_person, log_in, save
from tests.browser.looking import Watched
from tests.processes import Server, own_place, running

pytestmark = pytest.mark.slow

CLUSTER = "/admin/fleet/cluster/demo-cluster-01"


@pytest.fixture
def stranger(browser: Browser, site: Server):
    """A window of its own, where nobody is logged in."""
    context = browser.new_context(base_url=site.base_url)
    yield Watched(context.new_page())
    context.close()


def test_the_preview_of_a_plan(watched: Watched) -> None:
    page = watched.goto("/admin/fleet/component/podinfo/change/")
    page.get_by_label("Component version").fill("6.99.0")
    save(page)
    expect(page.get_by_role("button", name="Apply")).to_be_visible()
    watched.look("preview")


def test_the_guard(watched: Watched) -> None:
    page = watched.goto("/admin/fleet/profile/all-clusters/delete/")
    page.get_by_role("button", name="Yes, I’m sure").click()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("Tick the box and type the number")).to_be_visible()
    watched.look("guard")


def test_somebody_else_was_quicker(watched: Watched, api: httpx.Client) -> None:
    page = watched.goto("/admin/fleet/cluster/qa-us-01/change/")
    page.get_by_label("Node count").fill("8")
    api.patch("/clusters/qa-us-01", json={"node_count": 7}).raise_for_status()
    save(page)
    expect(page.get_by_text("Nothing of yours is lost")).to_be_visible()
    watched.look("edit_conflict")


def test_a_cluster_is_connected(watched: Watched) -> None:
    page = watched.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{CLUSTER}/effective/")
    page.get_by_role("link", name="Bootstrap").click()
    page.get_by_role("button", name="Issue a token and show the file").click()
    page.get_by_text("Copy it now").wait_for()
    page.locator("[data-copy=manifest]").click()
    page.get_by_text("Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    [secret] = re.findall('^  token: "(.+)"$', copied, re.MULTILINE)
    polled = page.locator(".addresses code").first.inner_text()
    answer = httpx.get(polled, headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code == 200
    watched.look("bootstrap-secret")


def test_a_form_with_errors(watched: Watched) -> None:
    page = watched.goto("/admin/fleet/cluster/add/")
    page.locator("#id_id").fill("Not A Name")
    page.get_by_label("Node count").fill("-1")
    save(page)
    expect(page.get_by_text("Please correct the errors below")).to_be_visible()
    watched.look("form-errors")


def test_the_form_of_a_bulk_act(watched: Watched) -> None:
    page = watched.goto("/admin/fleet/cluster/?environment__id__exact=qa")
    page.locator("#action-toggle").check()
    watched.look("clusters-ticked")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.locator("select[name=action]").select_option(label="Set a patch")
    page.get_by_role("button", name="Run").click()
    page.get_by_role("button", name="Show what it would do").click()
    expect(page.get_by_text("This field is required").first).to_be_visible()
    watched.look("bulk-errors")


def test_the_search(watched: Watched) -> None:
    page = watched.goto("/admin/")
    page.keyboard.press("Control+k")
    page.keyboard.type("podinfo")
    page.locator("#command-results-list a").first.wait_for()
    watched.look("search")


def test_the_filters(watched: Watched) -> None:
    page = watched.goto("/admin/fleet/revision/")
    page.get_by_role("button", name="Filters").click()
    expect(page.get_by_label("By object that was changed")).to_be_visible()
    watched.look("filters")


def test_the_menu_of_a_person(watched: Watched) -> None:
    page = watched.goto("/admin/")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("button", name="admin").click()
    expect(page.get_by_role("button", name="Log out")).to_be_visible()
    watched.look("person-menu")


def test_the_menu_on_a_phone(watched: Watched) -> None:
    page = watched.goto("/admin/")
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="Menu").click()
    expect(page.get_by_role("link", name="Revisions", exact=True)).to_be_visible()
    watched.look("phone-menu")


def test_the_page_of_a_restore_and_of_a_message(watched: Watched, api: httpx.Client) -> None:
    api.patch("/clusters/edge-lab-01", json={"labels": {"tier": "lab"}}).raise_for_status()
    page = watched.goto("/admin/fleet/cluster/edge-lab-01/history/")
    page.get_by_role("link", name="Restore…").last.click()
    watched.look("cluster-restore")
    page.get_by_label("Reason").fill("As it was")
    page.get_by_role("button", name="Restore").click()
    page.wait_for_url("**/history/")
    watched.look("message")


def test_a_revert_that_later_changes_are_in_the_way_of(watched: Watched, api: httpx.Client) -> None:
    for count in (13, 14):
        api.patch("/clusters/edge-nyc-01", json={"node_count": count}).raise_for_status()
    number = api.get("/revisions?limit=2").json()[1]["number"]
    page = watched.goto(f"/admin/fleet/revision/{number}/revert/")
    expect(page.get_by_role("columnheader", name="Later changes touched")).to_be_visible()
    watched.look("revert-refused")


def test_the_secret_of_a_token_and_its_rotation(watched: Watched) -> None:
    page = watched.goto("/admin/fleet/token/add/")
    page.get_by_label("ID").fill("looked-at")
    page.get_by_label("Kind").select_option("reader")
    save(page)
    page.locator("#secret").wait_for()
    watched.look("token-secret")
    watched.goto("/admin/fleet/token/looked-at/change/")
    watched.look("token")
    watched.goto("/admin/fleet/token/looked-at/rotate/")
    watched.look("token-rotate")


def test_logging_in_and_out(stranger: Watched, site: Server) -> None:
    stranger.goto("/admin/login/")
    stranger.look("login")
    stranger.page.get_by_label("Username").fill("admin")
    stranger.page.get_by_label("Password").fill("not it")
    stranger.page.get_by_role("button", name="Log in").click()
    expect(stranger.page.get_by_text("Please enter the correct")).to_be_visible()
    stranger.look("login-errors")
    log_in(stranger.page, "admin", site.secret("ADMIN_PASSWORD"))
    stranger.page.set_viewport_size({"width": 1440, "height": 900})
    stranger.page.get_by_role("button", name="admin").click()
    stranger.page.get_by_role("button", name="Log out").click()
    expect(stranger.page.get_by_role("link", name="Log in again")).to_be_visible()
    stranger.look("logged-out")


def test_too_many_wrong_passwords(stranger: Watched) -> None:
    page = stranger.goto("/admin/login/")
    for _ in range(5):
        page.get_by_label("Username").fill("nobody")
        page.get_by_label("Password").fill("not it")
        page.get_by_role("button", name="Log in").click()
    expect(page.get_by_text("There were too many wrong passwords")).to_be_visible()
    stranger.complaints.clear()  # the browser notes the status 429
    stranger.look("locked")


@pytest.mark.parametrize(
    ("name", "address", "status"),
    [("404", "/admin/nowhere/", 404), ("403", "/admin/fleet/revision/add/", 403)],
)
def test_where_nothing_can_be_shown(watched: Watched, name, address, status) -> None:
    watched.goto(address, status)
    watched.complaints.clear()  # the browser notes the status
    watched.look(f"error-{name}")


def test_an_empty_fleet_a_person_without_a_role_and_a_database_that_fails(
    browser: Browser, tmp_path: Path
) -> None:
    seed = tmp_path / "empty.json"
    seed.write_text(json.dumps({}))
    with own_place(tmp_path) as place, running({**place, "SEED_FILE": str(seed)}) as server:
        context = browser.new_context(base_url=server.base_url)
        watched = Watched(context.new_page())
        log_in(watched.page, "admin", server.secret("ADMIN_PASSWORD"))
        expect(watched.page.get_by_text("There are no clusters yet")).to_be_visible()
        watched.look("home-empty")
        add_person(watched.page, "newcomer")
        other = browser.new_context(base_url=server.base_url)
        unknown = Watched(other.new_page())
        log_in(unknown.page, "newcomer", PASSWORD)
        expect(unknown.page.get_by_text("Your account has no role")).to_be_visible()
        unknown.look("home-no-role")
        other.close()
        for file in (tmp_path / "home").glob("fleet.sqlite3*"):
            file.write_bytes(b"This is no database any more." * 1000)
        watched.goto("/admin/", status=500)
        watched.complaints.clear()  # the browser notes the status
        watched.look("error-500")
        context.close()
