"""A cluster's page, tab by tab."""

import re

import httpx

from tests.browser.conftest import Watched
from tests.processes import Server

CLUSTERS = "/admin/fleet/cluster"


def test_the_exact_answer_is_copied(watched: Watched):
    page = watched.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{CLUSTERS}/demo-cluster-01/flux/")
    page.locator("[data-copy=body-namespaces]").click()
    page.get_by_text("Copied").wait_for()
    dns = "demo-cluster-01.k8s.example.com"
    served = page.request.get(f"/api/v2/flux/clusters/{dns}/namespaces")
    assert page.evaluate("navigator.clipboard.readText()") == served.text()
    assert watched.complaints == []


def test_where_copying_is_not_allowed_the_text_is_selected(watched: Watched):
    page = watched.page
    page.goto(f"{CLUSTERS}/demo-cluster-01/flux/")
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(); }")
    page.locator("[data-copy=curl-namespaces]").click()
    page.get_by_text("press Ctrl+C").wait_for()
    assert page.evaluate("getSelection().toString()").startswith("curl -H")


def test_a_cluster_is_cloned_compared_and_restored(watched: Watched, picture, site: Server):
    page = watched.page
    name = f"copy-{page.evaluate('window.innerWidth')}"
    page.goto(f"{CLUSTERS}/demo-cluster-01/clone/")
    page.locator("[name=id]").fill(name)
    page.locator("[name=name]").fill(name)
    page.locator("[name=dns]").fill("demo-cluster-01.k8s.example.com")
    page.get_by_role("button", name="Clone").click()
    assert page.get_by_text("of cluster demo-cluster-01 already").is_visible()
    picture("cluster-clone-error")
    page.locator("[name=dns]").fill(f"{name}.example.com")
    page.get_by_role("button", name="Clone").click()
    page.wait_for_url(f"**/{name}/effective/")

    url, headers = (
        f"{site.base_url}/clusters/{name}",
        {"Authorization": f"Bearer {site.write_token}"},
    )
    fields = {"platform_components": [], "labels": {"tier": "core"}}
    assert httpx.patch(url, json=fields, headers=headers).status_code == 200
    page.goto(f"{CLUSTERS}/{name}/history/")
    page.get_by_role("button", name="Compare").click()
    assert page.get_by_role("heading", name="podinfo").is_visible()
    picture("cluster-compare")

    page.get_by_role("link", name="Restore…").last.click()
    picture("cluster-restore")
    page.get_by_label("Reason").fill("It was needed after all")
    page.get_by_role("button", name="Restore").click()
    page.wait_for_url("**/history/")
    assert page.get_by_text("It was needed after all").is_visible()
    page.goto(f"{CLUSTERS}/{name}/effective/")
    assert page.locator("#component-podinfo").is_visible()
    assert watched.complaints == []


def test_a_cluster_is_connected(watched: Watched, picture, site: Server):
    page = watched.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{CLUSTERS}/demo-cluster-01/effective/")
    page.get_by_role("link", name="Bootstrap").click()
    picture("cluster-bootstrap")
    page.get_by_role("button", name="Issue a token and show the file").click()
    page.get_by_text("Copy it now").wait_for()
    picture("cluster-bootstrap-secret")
    page.locator("[data-copy=manifest]").click()
    page.get_by_text("Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    [secret] = re.findall('^  token: "(.+)"$', copied, re.MULTILINE)
    polled = page.locator(".addresses code").first.inner_text()
    answer = httpx.get(polled, headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code == 200
    assert watched.complaints == []
