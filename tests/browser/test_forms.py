"""What the scripts of our pages do, under our own policy for browsers."""

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import save
from tests.browser.looking import Watched
from tests.processes import Server

pytestmark = pytest.mark.slow

CLUSTERS = "/admin/fleet/cluster"


@pytest.fixture
def watched(page: Page) -> Iterator[Watched]:
    """A page whose console has nothing to complain about."""
    watched = Watched(page)
    yield watched
    assert watched.complaints == []


def test_what_takes_a_merge_arrives_by_itself(watched: Watched) -> None:
    page = watched.goto("/admin/")
    page.get_by_text("as in the catalog").wait_for()
    assert page.get_by_text("Being counted").count() == 0


def test_the_exact_answer_is_copied(watched: Watched) -> None:
    page = watched.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{CLUSTERS}/demo-cluster-01/flux/")
    page.locator("[data-copy=body-namespaces]").click()
    page.get_by_text("Copied").wait_for()
    dns = "demo-cluster-01.k8s.example.com"
    served = page.request.get(f"/api/v2/flux/clusters/{dns}/namespaces")
    assert page.evaluate("navigator.clipboard.readText()") == served.text()


def test_where_copying_is_not_allowed_the_text_is_selected(watched: Watched) -> None:
    page = watched.goto(f"{CLUSTERS}/demo-cluster-01/flux/")
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(); }")
    page.locator("[data-copy=curl-namespaces]").click()
    page.get_by_text("press Ctrl+C").wait_for()
    assert page.evaluate("getSelection().toString()").startswith("curl -H")


def test_a_clone_that_is_refused_is_corrected(watched: Watched) -> None:
    page = watched.goto(f"{CLUSTERS}/demo-cluster-01/clone/")
    page.locator("[name=id]").fill("copy")
    page.locator("[name=name]").fill("copy")
    page.locator("[name=dns]").fill("demo-cluster-01.k8s.example.com")
    page.get_by_role("button", name="Clone").click()
    assert page.get_by_text("of cluster demo-cluster-01 already").is_visible()
    page.locator("[name=dns]").fill("copy.example.com")
    page.get_by_role("button", name="Clone").click()
    page.wait_for_url("**/copy/effective/")


def test_a_token_is_issued_rotated_and_revoked(watched: Watched) -> None:
    page = watched.goto("/admin/fleet/token/add/")
    page.get_by_label("ID").fill("ci")
    page.get_by_label("Kind").select_option("operator")
    page.get_by_label("dev", exact=True).check()
    save(page)
    first = page.locator("#secret").inner_text()
    assert re.fullmatch(r"\w{8}\.\w{32}", first)
    page.get_by_role("link", name="I have copied it").click()
    assert first not in page.content()
    page.goto("/admin/fleet/token/ci/rotate/")
    page.get_by_role("button", name="Rotate").click()
    assert page.locator("#secret").inner_text() != first
    page.goto("/admin/fleet/token/ci/delete/")
    page.get_by_role("button", name="Yes, I’m sure").click()
    page.wait_for_url("**/admin/fleet/token/")


def test_the_log_is_narrowed_by_what_is_typed(watched: Watched, api: httpx.Client) -> None:
    changed = {"component_version": "7.1440"}
    api.patch("/platform_components/podinfo", json=changed).raise_for_status()
    page = watched.goto("/admin/fleet/revision/?object=platform_components/podinfo")
    assert "changed component_version of component podinfo" in page.content()
    page.get_by_role("button", name="Filters").click()
    page.get_by_label("By person or token").fill("CRUD_AUTH_TOKEN")
    page.get_by_role("button", name="Apply Filters").click()
    page.wait_for_url("**actor=CRUD_AUTH_TOKEN**")
    assert page.locator("#result_list a[href*='/change/']").count()


def test_a_profile_tells_what_it_selects_while_it_is_edited(watched: Watched) -> None:
    page = watched.goto("/admin/fleet/profile/core/change/")
    panel = page.get_by_role("region", name="Selected clusters")
    expect(panel).to_contain_text(re.compile(r"Selects \d+ clusters"))
    page.get_by_label("Label selector").fill('{"no": "such"}')
    expect(panel).to_contain_text("Selects 0 clusters")
    page.get_by_label("Label selector").fill('{"no"')
    expect(panel).to_contain_text("Enter a valid JSON")
    page.get_by_label("Label selector").fill("")
    page.get_by_role("link", name="Environments").last.click()
    page.get_by_role("link", name="Add another Environment").click()
    page.locator("#environments-group .select2-selection").last.click()
    page.get_by_role("option", name="uat").click()
    expect(panel).to_contain_text("uat-eu-01")
    expect(panel).not_to_contain_text("prod-eu-01")


def test_a_script_in_a_name_does_not_run(watched: Watched) -> None:
    page = watched.goto("/admin/fleet/namespace/podinfo/change/")
    page.get_by_label("Labels").fill('{"a": "<script>document.title=1</script>"}')
    save(page)
    assert "podinfo" in page.content()
    assert page.title() != "1"


def test_logging_out_of_the_browsable_api(site: Server, browser: Browser) -> None:
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
