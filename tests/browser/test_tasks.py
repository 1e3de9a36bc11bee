"""What people come to do, done as they do it. `make test` runs these."""

import re

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PASSWORD, Open, add_person, log_in, save
from tests.processes import Server


def newest(api: httpx.Client) -> dict:
    [revision] = api.get("/revisions?limit=1").json()
    return revision


def choose(page: Page, field: str, name: str) -> None:
    """In a list that looks things up while one types."""
    page.locator(f"#id_{field} + .select2 .select2-selection").click()
    page.locator(".select2-search__field").fill(name)
    page.get_by_role("option", name=name, exact=True).click()


def add_row(page: Page, tab: str, what: str) -> None:
    page.locator("#tabs-items").get_by_role("link", name=tab).click()
    page.get_by_role("link", name=f"Add another {what}").click()


@pytest.fixture
def fresh_cluster(request: pytest.FixtureRequest, api: httpx.Client) -> str:
    """A cluster that no other task looks at."""
    name = "own-" + re.sub("[^a-z]+", "-", request.node.name)[-40:].strip("-")
    cluster = {"id": name, "cluster_name": name, "cluster_dns": f"{name}.example.com"}
    api.post("/clusters", json={**cluster, "environment": "dev"}).raise_for_status()
    return name


def test_first_login(browser: Browser, site: Server) -> None:
    context = browser.new_context(base_url=site.base_url)
    page = context.new_page()
    page.goto("/")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill(site.secret("ADMIN_PASSWORD"))
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="The fleet at a glance")).to_be_visible()
    expect(page.get_by_role("navigation", name="The fleet in numbers")).to_contain_text("Clusters")
    context.close()


def test_add_a_cluster_with_components(page: Page, api: httpx.Client) -> None:
    page.goto("/admin/fleet/cluster/")
    page.get_by_role("link", name="Add Cluster").click()
    page.locator("#id_id").fill("new-01")
    page.locator("#id_name").fill("new-01")
    page.get_by_label("DNS name").fill("new-01.example.com")
    choose(page, "environment", "qa")
    add_row(page, "Components", "Component")
    choose(page, "components-0-component", "podinfo")
    save(page)
    expect(page.get_by_text("“new-01” was added")).to_be_visible()
    added = api.get("/clusters/new-01").json()
    assert added["environment"] == "qa"
    assert [each["id"] for each in added["platform_components"]] == ["podinfo"]


def test_roll_a_version_to_all_of_prod_with_a_preview_and_revert_it(
    page: Page, api: httpx.Client
) -> None:
    def versions() -> set[str]:
        prod = [item["id"] for item in api.get("/clusters?environment=prod").json()]
        found = [api.get(f"/clusters/{name}/effective").json() for name in prod]
        rows = [row for each in found for row in each["platform_components"]]
        return {
            row["fields"]["component_version"]["value"] for row in rows if row["id"] == "traefik"
        }

    before = versions()
    page.goto("/admin/fleet/cluster/?environment__id__exact=prod")
    page.locator("#action-toggle").check()
    page.locator("select[name=action]").select_option(label="Pin the version of a component")
    page.get_by_role("button", name="Run").click()
    choose(page, "component", "traefik")
    page.get_by_label("Version").fill("99.9.9")
    page.get_by_role("button", name="Show what it would do").click()
    expect(page.get_by_text("99.9.9").first).to_be_visible()
    assert versions() == before
    page.get_by_label("Reason").fill("the new release")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url("**/admin/fleet/cluster/**")
    assert "99.9.9" in versions()
    assert newest(api)["reason"] == "the new release"

    page.goto("/admin/fleet/revision/")
    page.locator("#result_list a[href*='/change/']").first.click()
    page.get_by_role("link", name="Revert…").click()
    page.get_by_label("Reason").fill("It broke")
    page.get_by_role("button", name="Revert").click()
    page.wait_for_url("**/admin/fleet/revision/")
    assert versions() == before


def test_restore_a_cluster(page: Page, api: httpx.Client, fresh_cluster: str) -> None:
    api.patch(f"/clusters/{fresh_cluster}", json={"namespaces": ["podinfo"]}).raise_for_status()
    api.patch(f"/clusters/{fresh_cluster}", json={"namespaces": []}).raise_for_status()
    page.goto(f"/admin/fleet/cluster/{fresh_cluster}/history/")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", name="namespaces podinfo")).to_be_visible()
    page.get_by_role("link", name="Restore…").nth(1).click()
    page.get_by_label("Reason").fill("It was needed after all")
    page.get_by_role("button", name="Restore").click()
    page.wait_for_url("**/history/")
    expect(page.get_by_text("It was needed after all")).to_be_visible()
    assert api.get(f"/clusters/{fresh_cluster}").json()["namespaces"] == [{"id": "podinfo"}]


def test_freeze_and_unfreeze(page: Page, api: httpx.Client, fresh_cluster: str) -> None:
    for act, state in (("Freeze", "frozen"), ("Unfreeze", "active")):
        page.goto(f"/admin/fleet/cluster/{fresh_cluster}/change/")
        page.get_by_role("link", name=act, exact=True).click()
        expect(page.get_by_text(f"{act} cluster {fresh_cluster}?")).to_be_visible()
        page.get_by_role("button", name=act, exact=True).click()
        page.wait_for_url("**/change/")
        assert api.get(f"/clusters/{fresh_cluster}").json()["state"] == state


def test_a_mass_removal_needs_a_tick_and_the_number(page: Page, api: httpx.Client) -> None:
    profile = {"id": "guarded", "namespaces": ["web-guard"], "labels": {}}
    api.post("/namespaces", json={"id": "web-guard"}).raise_for_status()
    api.post("/profiles", json=profile).raise_for_status()
    page.goto("/admin/fleet/profile/guarded/delete/")
    page.get_by_role("button", name="Yes, I’m sure").click()
    expect(page.get_by_text("Something is taken away from")).to_be_visible()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("Tick the box and type the number")).to_be_visible()
    assert api.get("/profiles/guarded").status_code == 200
    question = page.get_by_text("Yes, take this away from")
    count = "".join(filter(str.isdigit, question.inner_text()))
    page.get_by_role("checkbox").check()
    page.get_by_label("Type the number of clusters").fill(count)
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url("**/admin/fleet/profile/")
    assert api.get("/profiles/guarded").status_code == 404


def test_two_people_edit_one_cluster(
    open_page: Open, api: httpx.Client, fresh_cluster: str
) -> None:
    first, second = open_page(), open_page()
    for page in (first, second):
        page.goto(f"/admin/fleet/cluster/{fresh_cluster}/change/")
    first.get_by_label("Node count").fill("11")
    save(first)
    first.wait_for_url("**/admin/fleet/cluster/")
    second.get_by_label("Node count").fill("12")
    save(second)
    expect(second.get_by_text("Nothing of yours is lost")).to_be_visible()
    assert api.get(f"/clusters/{fresh_cluster}").json()["node_count"] == 11
    second.get_by_role("button", name="Save mine all the same").click()
    second.wait_for_url("**/admin/fleet/cluster/")
    assert api.get(f"/clusters/{fresh_cluster}").json()["node_count"] == 12


def test_a_viewer_can_look_and_not_touch(page: Page, browser: Browser, site: Server) -> None:
    add_person(page, "vera", "viewers")
    context = browser.new_context(base_url=site.base_url)
    hers = context.new_page()
    log_in(hers, "vera", PASSWORD)
    hers.goto("/admin/fleet/cluster/demo-cluster-01/change/")
    expect(hers.get_by_text("demo-cluster-01").first).to_be_visible()
    assert not hers.get_by_role("button", name="Save", exact=True).count()
    assert not hers.get_by_role("link", name="Freeze").count()
    context.close()


def test_bulk_edit_over_a_filter(page: Page, api: httpx.Client) -> None:
    page.goto("/admin/fleet/cluster/?environment__id__exact=uat")
    page.locator("#action-toggle").check()
    page.locator("select[name=action]").select_option(label="Set or remove a label")
    page.get_by_role("button", name="Run").click()
    page.get_by_label("Key").fill("wave")
    page.get_by_label("Value").fill("two")
    page.get_by_role("button", name="Show what it would do").click()
    page.wait_for_load_state()
    if page.get_by_role("button", name="Apply").count():
        page.get_by_role("button", name="Apply").click()
    page.wait_for_url("**/admin/fleet/cluster/**")
    labelled = {item["id"] for item in api.get("/clusters?label=wave:two").json()}
    assert labelled == {item["id"] for item in api.get("/clusters?environment=uat").json()}
    assert labelled


def test_search(page: Page) -> None:
    page.goto("/admin/")
    page.get_by_role("button", name="Search the fleet").click()
    page.get_by_placeholder("Type to search").fill("demo-cluster")
    page.keyboard.press("End")
    # Tokens and revisions of that name are found too, as other tests have made them.
    page.get_by_role("link", name=re.compile("^demo-cluster-01.*Cluster ·")).click()
    page.wait_for_url("**/admin/fleet/cluster/demo-cluster-01/change/")
