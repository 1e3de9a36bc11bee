"""Light, dark, and the clock: the pages follow the person's own machine."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.looking import IS_DARK

pytestmark = pytest.mark.slow


def test_the_scheme_is_that_of_the_system(open_page: Open) -> None:
    for scheme in ("dark", "light"):
        page = open_page(color_scheme=scheme)
        page.goto("/admin/")
        assert page.evaluate(IS_DARK) == (scheme == "dark")


def test_times_are_those_of_the_viewers_clock(open_page: Open) -> None:
    page = open_page(timezone_id="Asia/Tokyo")
    page.goto("/admin/")  # tells its zone
    page.goto("/admin/fleet/revision/2/change/")
    shown = page.locator("dl time")
    expect(shown).to_have_text(re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d JST$"))
    here = page.evaluate(
        """(iso) => new Date(iso).toLocaleString("sv", { timeZone: "Asia/Tokyo" })""",
        shown.get_attribute("datetime"),
    )
    assert shown.inner_text() == f"{here} JST"


def test_a_day_of_the_filter_is_the_viewers_day(open_page: Open) -> None:
    # No two days of these zones, 25 hours apart, are ever the same one.
    for zone in ("Pacific/Kiritimati", "Pacific/Niue"):
        page = open_page(timezone_id=zone)
        page.goto("/admin/")
        today = page.evaluate("new Date().toLocaleDateString('sv')")
        page.goto(f"/admin/fleet/revision/?since={today}&until={today}")
        expect(page.locator("#result_list tbody tr").first).to_be_visible()
        page.get_by_role("button", name="Filters").click()
        expect(page.get_by_label(f"By day, from ({zone})")).to_be_visible()
