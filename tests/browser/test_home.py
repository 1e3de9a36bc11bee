"""What the home page and the search do in a real browser, under our own policy."""

from tests.browser.conftest import Watched


def test_what_takes_a_merge_arrives_by_itself(watched: Watched):
    watched.page.goto("/admin/")
    watched.page.get_by_text("as in the catalog").wait_for()
    assert watched.page.get_by_text("Being counted").count() == 0
    assert watched.complaints == []


def test_search_by_keyboard(watched: Watched):
    watched.page.goto("/admin/", wait_until="networkidle")
    watched.page.keyboard.press("Control+k")
    watched.page.keyboard.type("podinfo")
    watched.page.locator("#command-results-list a").first.wait_for()
    watched.page.keyboard.press("ArrowDown")
    watched.page.keyboard.press("Enter")
    watched.page.wait_for_url("**/admin/fleet/component/podinfo/change/")
    assert watched.complaints == []
