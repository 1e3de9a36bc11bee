"""A real browser on a real server: one of either for all tests of this folder in a process."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser import chromium
from tests.browser.looking import Watched
from tests.processes import Server, own_place, running

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PASSWORD = "a long enough phrase"

Open = Callable[..., Page]


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker("browser")


# Of this package, not of the session: while the browser is there, so is its event loop, in which
# Django refuses to use the database. The tests of other folders do.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    path = chromium.installed()
    if path is None:
        assert not chromium.must_be_there(), chromium.MISSING
        pytest.skip(chromium.MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with own_place(tmp_path_factory.mktemp("site")) as place, running(place) as server:
        yield server


@pytest.fixture(scope="package")
def logged_in(browser: Browser, site: Server) -> Any:
    """The cookies of the admin, so that not every test has to log in."""
    context = browser.new_context(base_url=site.base_url)
    page = context.new_page()
    log_in(page, "admin", site.secret("ADMIN_PASSWORD"))
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture(scope="package")
def window(browser: Browser, site: Server, logged_in: Any) -> Iterator[BrowserContext]:
    """The admin's own, for most tests: what pages share is loaded once."""
    context = browser.new_context(base_url=site.base_url, storage_state=logged_in)
    yield context
    context.close()


@pytest.fixture
def open_page(
    browser: Browser, site: Server, window: BrowserContext, logged_in: Any
) -> Iterator[Open]:
    """Another page of it; with options, in a window of its own: `open_page(locale="de")`."""
    with ExitStack() as stack:

        def open_page(**options: Any) -> Page:
            context = window
            if options:
                shared = {"base_url": site.base_url, "storage_state": logged_in}
                context = stack.enter_context(browser.new_context(**shared, **options))
            page = context.new_page()
            stack.callback(page.close)
            return page

        yield open_page


@pytest.fixture
def page(open_page: Open) -> Page:
    return open_page()


@pytest.fixture
def watched(page: Page) -> Watched:
    return Watched(page)


@pytest.fixture
def api(site: Server) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {site.write_token}"}
    with httpx.Client(base_url=site.base_url, headers=headers, timeout=60) as client:
        yield client


def log_in(page: Page, name: str, password: str) -> None:
    page.goto("/admin/login/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/admin/")


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


def add_person(page: Page, name: str, *groups: str) -> None:
    page.goto("/admin/auth/user/add/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password confirmation", exact=True).fill(PASSWORD)
    save(page)
    for group in groups:
        page.get_by_label(group).check()
    save(page)
    page.wait_for_url("**/admin/auth/user/")
