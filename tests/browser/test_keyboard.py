"""The admin without a mouse."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, save
from tests.browser.looking import IS_DARK

pytestmark = pytest.mark.slow

FOCUSED = "document.activeElement"


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_the_first_key_leads_past_the_menu_to_the_content(page: Page) -> None:
    page.goto("/admin/fleet/component/")
    press(page, "Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    expect(page.get_by_role("link", name="Skip to the content")).to_be_in_viewport()
    press(page, "Enter", "Tab")
    assert page.evaluate(f"document.querySelector('main').contains({FOCUSED})")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_where_the_keyboard_is_can_be_seen(open_page: Open, scheme: str) -> None:
    page = open_page(color_scheme=scheme)
    page.goto("/admin/fleet/cluster/demo-cluster-01/change/")
    assert page.evaluate(IS_DARK) == (scheme == "dark")
    unseen = []
    for _ in range(45):
        press(page, "Tab")
        outline, element = page.evaluate(
            f"[getComputedStyle({FOCUSED}).outlineWidth, {FOCUSED}.outerHTML.slice(0, 200)]"
        )
        if element.startswith(("<body", "<html")):
            break
        if outline == "0px":
            unseen.append(element)
    assert unseen == []


def test_the_search_opens_finds_and_leads_there(page: Page) -> None:
    page.goto("/admin/")
    press(page, "Control+k")
    expect(page.get_by_role("dialog", name="Search the fleet")).to_be_visible()
    expect(page.get_by_placeholder("Type to search")).to_be_focused()
    page.keyboard.type("podinfo")
    page.locator("#command-results-list a").first.wait_for()
    press(page, "ArrowDown", "Enter")
    page.wait_for_url("**/admin/fleet/component/podinfo/change/")


def test_escape_leaves_the_search_for_where_one_was(page: Page) -> None:
    page.goto("/admin/")
    before = page.get_by_role("link", name="Profiles", exact=True)
    before.focus()
    press(page, "Control+k")
    expect(page.get_by_placeholder("Type to search")).to_be_focused()
    page.keyboard.type("pod")
    press(page, "Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(before).to_be_focused()


def test_what_covers_the_page_keeps_the_keyboard(page: Page) -> None:
    page.goto("/admin/fleet/revision/")
    opener = page.get_by_role("button", name="Filters")
    opener.focus()
    press(page, "Enter")
    first = page.get_by_label("By person or token")
    expect(first).to_be_focused()
    press(page, "Shift+Tab")
    assert page.evaluate(f"document.querySelector('#changelist-filter').contains({FOCUSED})")
    press(page, "Escape")
    expect(first).to_be_hidden()
    expect(opener).to_be_focused()


def test_the_menu_of_a_person_and_its_theme_switch(page: Page) -> None:
    page.goto("/admin/")
    page.get_by_role("button", name="admin").focus()
    press(page, "Enter")
    expect(page.get_by_role("button", name="Light")).to_be_focused()
    press(page, "Tab", "Enter")
    expect(page.locator("html")).to_have_class("dark")
    press(page, "Escape")
    expect(page.get_by_role("button", name="Light")).to_be_hidden()


def test_the_tabs_of_a_form(page: Page) -> None:
    page.goto("/admin/fleet/cluster/demo-cluster-01/change/")
    page.get_by_role("link", name="Patches").focus()
    press(page, "Enter")
    expect(page.locator("#id_patches-0-key")).to_be_visible()


def test_after_a_refusal_one_is_where_it_is_told(page: Page) -> None:
    page.goto("/admin/fleet/cluster/add/")
    page.locator("#id_id").fill("Not A Name")
    save(page)
    told = page.get_by_text("Please correct the errors below")
    expect(told).to_be_focused()
    expect(told).to_have_role("alert")


def test_a_form_without_a_summary_leads_to_its_first_wrong_field(page: Page) -> None:
    page.goto("/admin/fleet/cluster/demo-cluster-01/clone/")
    page.locator("[name=id]").fill("copied")
    page.locator("[name=name]").fill("copied")
    page.locator("[name=dns]").fill("demo-cluster-01.k8s.example.com")
    page.get_by_role("button", name="Clone").click()
    expect(page.locator("[name=dns]")).to_be_focused()


def test_an_icon_is_not_read_aloud(page: Page) -> None:
    page.goto("/admin/fleet/cluster/demo-cluster-01/change/")
    expect(page.get_by_role("link", name="Freeze", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Menu", exact=True)).to_be_visible()


def test_fields_have_the_names_of_their_labels_and_columns(page: Page) -> None:
    page.goto("/admin/fleet/cluster/demo-cluster-01/change/#components")
    chosen = page.locator("#id_components-0-component + .select2 [role=combobox]")
    expect(chosen).to_have_accessible_name("Component podinfo")
    expect(page.locator("#id_components-0-oci_tag")).to_have_accessible_name("OCI tag")
    page.get_by_role("link", name="Add another Component").click()
    added = page.locator("#id_components-1-component + .select2 [role=combobox]")
    expect(added).to_have_accessible_name("Component")
