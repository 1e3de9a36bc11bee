"""A real browser on a real server. `make browser` runs these; `make test` has no browser."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

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
WIDTHS = {"wide": (1440, 900), "narrow": (390, 844)}
# Django's ORM is not used here, but the loop of the browser would make it refuse to work.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with own_place(tmp_path_factory.mktemp("site")) as place, running(place) as server:
        yield server


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium")
    assert path, "There is no chromium; on Debian: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def logged_in(browser: Browser, site: Server) -> Any:
    """The cookies of the admin, so that not every test has to log in."""
    context = browser.new_context(base_url=site.base_url)
    page = context.new_page()
    page.goto("/admin/login/")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill(site.secret("ADMIN_PASSWORD"))
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/admin/")
    state = context.storage_state()
    context.close()
    return state


class Watched:
    """A page, and what its console complained about."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _note(self, message: Any) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)


@pytest.fixture(params=WIDTHS)
def watched(request: Any, browser: Browser, site: Server, logged_in: Any) -> Iterator[Watched]:
    width, height = WIDTHS[request.param]
    context: BrowserContext = browser.new_context(
        base_url=site.base_url,
        storage_state=logged_in,
        viewport={"width": width, "height": height},
    )
    yield Watched(context.new_page())
    context.close()


@pytest.fixture
def picture(request: Any, watched: Watched) -> Any:
    """Keeps a picture of the page, where SCREENSHOTS names a folder."""
    folder = os.environ.get("SCREENSHOTS")
    size = request.node.callspec.params["watched"]

    def keep(name: str) -> None:
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            watched.page.screenshot(path=f"{folder}/{name}-{size}.png", full_page=True)

    return keep
