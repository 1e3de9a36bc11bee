"""Every page loads with its scripts and styles, and nothing of it is stopped by our own policy."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Watched

PAGES = {
    "home": "/admin/",
    "clusters": "/admin/fleet/cluster/",
    "cluster": "/admin/fleet/cluster/demo-cluster-01/change/",
    "cluster-effective": "/admin/fleet/cluster/demo-cluster-01/effective/",
    "cluster-flux": "/admin/fleet/cluster/demo-cluster-01/flux/",
    "cluster-bootstrap": "/admin/fleet/cluster/demo-cluster-01/bootstrap/",
    "cluster-history": "/admin/fleet/cluster/demo-cluster-01/history/",
    "cluster-clone": "/admin/fleet/cluster/demo-cluster-01/clone/",
    "cluster-add": "/admin/fleet/cluster/add/",
    "components": "/admin/fleet/component/",
    "component": "/admin/fleet/component/podinfo/change/",
    "component-usage": "/admin/fleet/component/podinfo/usage/",
    "profiles": "/admin/fleet/profile/",
    "profile": "/admin/fleet/profile/core/change/",
    "revisions": "/admin/fleet/revision/",
    "revision": "/admin/fleet/revision/2/change/",
    "revision-revert": "/admin/fleet/revision/2/revert/",
    "tokens": "/admin/fleet/token/",
    "token-add": "/admin/fleet/token/add/",
    "users": "/admin/auth/user/",
    "user": "/admin/auth/user/1/change/",
    "user-add": "/admin/auth/user/add/",
    "api": "/api",
    "api-clusters": "/clusters",
    "api-cluster": "/clusters/demo-cluster-01",
    "api-tokens": "/tokens",
    "docs": "/docs",
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_whole(watched: Watched, picture, name):
    answer = watched.page.goto(PAGES[name], wait_until="networkidle")
    picture(name)
    assert answer is not None
    assert answer.status == 200
    assert watched.complaints == []


@pytest.mark.parametrize("name", [name for name in PAGES if not name.startswith(("api", "docs"))])
def test_a_page_of_the_admin_does_not_scroll_sideways(watched: Watched, name):
    watched.page.goto(PAGES[name], wait_until="networkidle")
    width = watched.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert width <= 0


def test_a_token_is_issued_rotated_and_revoked(watched: Watched, picture):
    page = watched.page
    name = f"ci-{page.evaluate('window.innerWidth')}"
    page.goto("/admin/fleet/token/add/")
    page.get_by_label("ID").fill(name)
    page.get_by_label("Kind").select_option("operator")
    page.get_by_label("dev", exact=True).check()
    page.get_by_role("button", name="Save", exact=True).click()
    first = page.locator("#secret").inner_text()
    assert re.fullmatch(r"\w{8}\.\w{32}", first)
    picture("token-secret")
    page.get_by_role("link", name="I have copied it").click()
    assert first not in page.content()
    picture("token")
    page.goto(f"/admin/fleet/token/{name}/rotate/")
    picture("token-rotate")
    page.get_by_role("button", name="Rotate").click()
    second = page.locator("#secret").inner_text()
    assert second != first
    page.goto(f"/admin/fleet/token/{name}/delete/")
    page.get_by_role("button", name="Yes, I’m sure").click()
    page.wait_for_url("**/admin/fleet/token/")
    assert watched.complaints == []


def test_a_revision_is_read_and_reverted(watched: Watched, picture, site):
    page = watched.page
    answer = page.request.patch(
        "/platform_components/podinfo",
        data={"component_version": f"7.{page.evaluate('window.innerWidth')}"},
        headers={"Authorization": f"Bearer {site.secret('CRUD_AUTH_TOKEN')}"},
    )
    assert answer.ok, answer.text()
    page.goto("/admin/fleet/revision/?object=platform_components/podinfo")
    assert "changed component_version of component podinfo" in page.content()
    picture("revisions-filtered")
    page.locator("#changelist a", has_text="Filters").first.click()
    expect(page.get_by_label("By object that was changed")).to_be_visible()
    picture("revisions-filters")
    page.get_by_label("By person or token").fill("CRUD_AUTH_TOKEN")
    page.get_by_role("button", name="Apply Filters").click()
    page.wait_for_url("**actor=CRUD_AUTH_TOKEN**")
    page.locator("#result_list a[href*='/change/']").first.click()
    picture("revision-small")
    page.get_by_role("link", name="Revert…").click()
    page.get_by_label("Reason").fill("It broke.")
    picture("revision-plan")
    page.emulate_media(color_scheme="dark")
    page.get_by_role("button", name="Revert").click()
    page.wait_for_url("**/admin/fleet/revision/")
    assert "was reverted." in page.content()
    picture("revision-dark")
    assert watched.complaints == []


def test_a_profile_tells_what_it_selects_while_it_is_edited(watched: Watched, picture):
    page = watched.page
    page.goto("/admin/fleet/profile/core/change/")
    panel = page.get_by_role("region", name="Selected clusters")
    expect(panel).to_contain_text(re.compile(r"Selects \d+ clusters"))
    page.get_by_label("Label selector").fill('{"no": "such"}')
    expect(panel).to_contain_text("Selects 0 clusters")
    page.get_by_label("Label selector").fill('{"no"')
    expect(panel).to_contain_text("Enter a valid JSON")
    picture("profile-selection")
    page.get_by_label("Label selector").fill("")
    page.get_by_role("link", name="Environments").last.click()
    page.get_by_role("link", name="Add another Environment").click()
    page.locator("#environments-group .select2-selection").last.click()
    page.get_by_role("option", name="uat").click()
    expect(panel).to_contain_text("uat-eu-01")
    expect(panel).not_to_contain_text("prod-eu-01")
    assert watched.complaints == []


def test_a_script_in_a_name_does_not_run(watched: Watched):
    page = watched.page
    page.goto("/admin/fleet/namespace/podinfo/change/")
    page.get_by_label("Labels").fill('{"a": "<script>document.title=1</script>"}')
    page.get_by_role("button", name="Save", exact=True).click()
    assert "podinfo" in page.content()
    assert page.title() != "1"


def test_logging_out_of_the_browsable_api(watched: Watched, site, browser):
    context = browser.new_context(base_url=site.base_url)
    page = context.new_page()
    page.goto("/clusters")
    page.get_by_role("link", name="Log in").click()
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill(site.secret("ADMIN_PASSWORD"))
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/clusters")
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/admin/login/**")
    assert page.get_by_role("button", name="Log in").is_visible()
    context.close()
