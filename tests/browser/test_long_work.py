"""A form on a large fleet: how far its plan has come, and a way out."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import log_in
from tests.large_fleet import large_fleet
from tests.processes import Server

pytestmark = pytest.mark.slow

NAMESPACE = "/admin/fleet/namespace/podinfo/change/"
FORMS = re.compile(f".*{NAMESPACE}.*")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with large_fleet(tmp_path_factory.mktemp("large")) as server:
        yield server


@pytest.fixture
def page(browser: Browser, large: Server) -> Iterator[Page]:
    context = browser.new_context(base_url=large.base_url)
    page = context.new_page()
    log_in(page, "admin", large.secret("ADMIN_PASSWORD"))
    page.goto(NAMESPACE)
    yield page
    context.close()


def save_with_label(page: Page, value: str) -> None:
    page.get_by_label("Labels").fill(f'{{"wave": "{value}"}}')
    page.get_by_role("button", name="Save", exact=True).click()


def labels(large: Server) -> Any:
    return large.get("/namespaces/podinfo").json()["labels"]


def see_dialog(page: Page, name: str, act: Callable[[], None]) -> None:
    """However quick the server is: it gets the form when the dialog has been seen."""
    held: list[Route] = []
    page.route(FORMS, lambda route: held.append(route), times=1)
    act()
    expect(page.get_by_role("dialog", name=name)).to_be_visible()
    [form] = held
    form.continue_()


def test_a_plan_and_its_application_show_how_far_they_are(page: Page, large: Server) -> None:
    see_dialog(page, "Finding out what it would do", lambda: save_with_label(page, "one"))
    page.get_by_label("Reason").fill("a reason", timeout=60_000)
    assert labels(large).get("wave") != "one"
    see_dialog(page, "Applying it", page.get_by_role("button", name="Apply").click)
    page.wait_for_url("**/admin/fleet/namespace/", timeout=60_000)
    expect(page.get_by_text("Undo it")).to_be_visible()
    assert labels(large)["wave"] == "one"


def test_the_page_can_be_left_while_a_plan_is_made(page: Page, large: Server) -> None:
    page.route(f"**{NAMESPACE}", never_answered)
    save_with_label(page, "two")
    dialog = page.get_by_role("dialog", name="Finding out what it would do")
    dialog.get_by_role("button", name="Stop").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_label("Labels")).to_have_value('{"wave": "two"}')
    assert labels(large).get("wave") != "two"


def never_answered(route: Route) -> None:
    """As if the plan took for ever."""


def test_a_lost_connection_says_so(page: Page) -> None:
    page.route(f"**{NAMESPACE}", lambda route: route.abort())
    save_with_label(page, "three")
    expect(page.get_by_role("dialog")).to_contain_text("Nothing was changed. Try it again.")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_label("Labels")).to_have_value('{"wave": "three"}')


def test_undoing_it_is_looked_at_in_the_same_way(page: Page, large: Server) -> None:
    save_with_label(page, "four")
    page.get_by_role("button", name="Apply").click(timeout=60_000)
    page.get_by_role("link", name="Undo it").click(timeout=60_000)
    page.get_by_role("button", name="Revert").click(timeout=60_000)
    page.wait_for_url("**/admin/fleet/revision/", timeout=60_000)
    assert labels(large).get("wave") != "four"
