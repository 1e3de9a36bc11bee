"""The browsable API and the page with the docs, as a person sees them who is logged in."""

import html
import json
import re

import pytest

from fleet.api.openapi.examples import NEW
from fleet.history.change import head_number
from fleet.models.sections import SECTIONS
from fleet.services.tokens import token_issue

pytestmark = pytest.mark.slow

HTML = {"Accept": "text/html"}
PLACES = {
    "/clusters/{id}": "demo-cluster-01",
    "/environments/{id}": "dev",
    "/namespaces/{id}": "podinfo",
    "/platform_components/{id}": "podinfo",
    "/profiles/{id}": "core",
    "/rolebindings/{id}": "on-call",
    "/tokens/{id}": "ci",
}


def address(path: str) -> str:
    """One that is there in the demo fleet."""
    for place, found in PLACES.items():
        if path.startswith(place):
            path = path.replace("{id}", found)
    path = path.replace("{number}", str(head_number())).replace(
        "{dns}", "demo-cluster-01.k8s.example.com"
    )
    return f"{path}?from=1" if path.endswith("/diff") else path


def links(page: str) -> set[str]:
    return {html.unescape(found) for found in re.findall(r'href="([^"]+)"', page)}


def forms(page: str) -> list[str]:
    """What stands in the forms."""
    found = re.findall(r"<textarea[^>]*>(.*?)</textarea>", page, re.DOTALL)
    return [html.unescape(text).strip() for text in found]


@pytest.fixture
def browse(admin_client, demo_fleet):
    def browse(path: str, status: int = 200) -> str:
        response = admin_client.get(path, headers=HTML)
        assert response.status_code == status, path
        return response.content.decode()

    return browse


def test_every_page_can_be_looked_at(admin_client, demo_fleet, schema):
    token_issue(id="ci", kind="reader")
    pages = 0
    for path, methods in schema["paths"].items():
        if "get" not in methods:
            continue
        response = admin_client.get(address(path), headers=HTML)
        assert response.status_code == 200, (path, response.content)
        assert "Traceback (most" not in response.content.decode()
        pages += 1
    assert pages > 25


def test_the_root_leads_everywhere(browse):
    found = links(browse("/api"))
    for place in (*SECTIONS, "revisions", "batch", "docs", "openapi.yaml", "api/v2/flux/clusters"):
        assert f"http://testserver/{place}" in found


@pytest.mark.parametrize("section", SECTIONS)
def test_a_list_leads_to_its_objects(browse, client, section):
    found = links(browse(f"/{section}"))
    headers = {"Authorization": "Bearer test-read-token"}
    for item in client.get(f"/{section}", headers=headers).json():
        assert f"/{section}/{item['id']}" in found


def test_a_list_leads_to_its_next_page(browse):
    assert "http://testserver/clusters?limit=5&offset=5" in links(browse("/clusters?limit=5"))


def test_an_object_leads_to_what_it_refers_to(browse):
    found = links(browse("/clusters/demo-cluster-01"))
    for place in ("/environments/dev", "/platform_components/podinfo", "/namespaces/podinfo"):
        assert place in found
    assert {f"/clusters/demo-cluster-01/{act}" for act in ("effective", "freeze")} <= found


def test_a_revision_leads_to_its_clusters_and_to_its_revert(browse):
    number = head_number()
    found = links(browse(f"/revisions/{number}"))
    assert {f"/revisions/{number}/revert", "/clusters/demo-cluster-01"} <= found


@pytest.mark.parametrize("section", SECTIONS)
def test_a_new_object_starts_from_the_example(browse, section):
    assert NEW[section] in [json.loads(text) for text in forms(browse(f"/{section}"))]


def test_a_change_starts_from_the_object(browse, client):
    headers = {"Authorization": "Bearer test-read-token"}
    document = client.get("/clusters/demo-cluster-01", headers=headers).json()
    [form] = forms(browse("/clusters/demo-cluster-01"))
    assert json.loads(form) == document


def test_an_act_has_a_page_with_a_form(browse):
    assert forms(browse("/clusters/demo-cluster-01/freeze", status=405)) == [""]
    [form] = forms(browse("/clusters/demo-cluster-01/restore", status=405))
    assert json.loads(form) == {"revision": 2}


def test_what_was_refused_is_shown_again(admin_client, demo_fleet):
    response = admin_client.post(
        "/environments", {"id": "No", "rank": 1}, "application/json", headers=HTML
    )
    page = response.content.decode()
    assert response.status_code == 400
    assert "validation_error" in page
    assert {"id": "No", "rank": 1} in [json.loads(text) for text in forms(page)]


def test_a_person_can_write(admin_client, demo_fleet):
    body = {"id": "staging", "rank": 35}
    response = admin_client.post("/environments", body, "application/json", headers=HTML)
    assert response.status_code == 201
    assert "staging" in response.content.decode()


def test_lists_have_a_form_of_filters_whose_empty_fields_mean_nothing(browse):
    assert 'name="environment"' in browse("/clusters")
    page = browse("/clusters?environment=prod&id=&state=&node_count=&label=&search=&ordering=")
    found = links(page)
    assert "/clusters/prod-eu-01" in found
    assert "/clusters/dev-eu-01" not in found


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/clusters/nope", 404, "not_found"),
        ("/nope", 404, "not_found"),
        ("/clusters?nope=1", 400, "validation_error"),
        ("/batch", 405, "method_not_allowed"),
    ],
)
def test_errors_are_pages_too(browse, path, status, code):
    page = browse(path, status)
    assert code in page
    assert '<html lang="en">' in page


def test_a_person_who_is_not_logged_in_can_log_in_from_the_page(client, db):
    response = client.get("/clusters", headers=HTML)
    assert response.status_code == 401
    assert "/api/auth/login?next=/clusters" in response.content.decode()


def test_the_docs_need_nothing_from_elsewhere(client):
    response = client.get("/docs")
    page = response.content.decode()
    assert response.status_code == 200
    sources = re.findall(r'<(?:script|link)[^>]*(?:src|href)="([^"]+)"', page)
    assert len(sources) >= 4
    for source in sources:
        assert source.startswith("/"), source
        assert not source.startswith("//"), source
        found = client.get(html.unescape(source))
        assert found.status_code == 200, source
        assert b"".join(found) if found.streaming else found.content


def test_the_docs_have_no_script_in_the_page(client):
    page = client.get("/docs").content.decode()
    assert all('src="' in tag for tag in re.findall(r"<script[^>]*>", page))
    assert not re.findall(r"<style|style=|onload=", page)


def test_the_script_of_the_docs_asks_nobody_else(client):
    script = client.get("/docs?script=").content.decode()
    assert 'url: "/openapi.yaml"' in script.replace("\\u002D", "-")
    assert '"validatorUrl": null' in script
    assert "http" not in script.replace('"http"', "")


def test_errors_of_the_docs_have_the_one_shape(client):
    assert client.post("/docs").json()["error"] == "method_not_allowed"
