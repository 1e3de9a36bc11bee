"""An operator who is limited to dev: decided by what a change does, whatever door it came by."""

from typing import Any

import pytest
from django.urls import reverse

from fleet.history.change import head_number
from fleet.models import Cluster, Component, OperatorLimit
from fleet.services.clusters import cluster_freeze
from tests.admin.forms import open_form
from tests.api.conftest import Api
from tests.services.fleets import nothing_changes

# c-1 is in dev; c-2 and c-3 are in prod. podinfo is on c-1 and c-3, traefik is everywhere.
ACTS: list[tuple[str, str, Any, int]] = [
    ("PATCH", "/clusters/c-1", {"node_count": 7}, 200),
    ("PATCH", "/clusters/c-3", {"node_count": 7}, 403),
    ("PATCH", "/clusters/c-3", {"labels": {"a": "b"}}, 403),
    ("PATCH", "/clusters/c-3", {"patches": {"podinfo": {"a": "b"}}}, 403),
    ("PATCH", "/clusters/c-1", {"environment": "prod"}, 403),
    ("PATCH", "/clusters/c-3", {"environment": "dev"}, 403),
    ("PATCH", "/clusters?environment=dev", {"labels": {"a": "b"}}, 200),
    ("PATCH", "/clusters?all=true", {"labels": {"a": "b"}}, 403),
    ("POST", "/clusters/c-1/freeze", None, 200),
    ("POST", "/clusters/c-3/freeze", None, 403),
    ("DELETE", "/clusters/c-1", None, 200),
    ("DELETE", "/clusters/c-3", None, 403),
    ("PATCH", "/platform_components/podinfo", {"component_version": "9.9.9"}, 403),
    ("PATCH", "/platform_components/spare", {"component_version": "9.9.9"}, 200),
    ("PATCH", "/platform_components/traefik", {"patches": {"a": "b"}}, 403),
    ("PATCH", "/namespaces/apps", {"labels": {"a": "b"}}, 200),
    ("PATCH", "/namespaces/logs", {"labels": {"a": "b"}}, 403),
    ("PATCH", "/rolebindings/admins", {"role": "edit"}, 200),
    ("PATCH", "/rolebindings/readers", {"role": "edit"}, 403),
    ("PATCH", "/profiles/gold", {"patches": {"podinfo": {"a": "b"}}}, 200),
    ("PATCH", "/profiles/gold", {"namespaces": [{"id": "apps"}]}, 403),
    ("PATCH", "/profiles/picked", {"namespaces": [{"id": "apps"}]}, 403),
    ("PATCH", "/profiles/picked", {"clusters": ["c-1", "c-3"]}, 200),
    ("PATCH", "/profiles/picked", {"clusters": []}, 403),
    ("DELETE", "/profiles/everywhere", None, 403),
    (
        "POST",
        "/profiles",
        {"id": "new", "environments": ["dev"], "namespaces": ["apps"], "weight": 1},
        201,
    ),
    ("POST", "/profiles", {"id": "new", "namespaces": ["apps"]}, 403),
    ("POST", "/namespaces", {"id": "new"}, 201),
    ("PATCH", "/environments/prod", {"rank": 1}, 403),
    ("PATCH", "/environments/dev", {"rank": 1}, 200),
    ("POST", "/environments", {"id": "new"}, 403),
    ("PATCH", "/clusters/c-3?dry_run=true", {"node_count": 7}, 403),
]


@pytest.fixture(params=["token", "person"])
def limited(request: Any, api: Api, issue: Any, person: Any) -> Api:
    if request.param == "token":
        api.credential = f"Bearer {issue('operator', environments=['dev'])}"
    else:
        api.credential = ""
        api.client.force_login(person("operators", only=["dev"]))
    return api


@pytest.mark.parametrize(("method", "path", "body", "status"), ACTS)
def test_by_the_api(limited, method, path, body, status):
    before = head_number()
    answer = limited(method, path, body)
    assert answer.status_code == status, answer.content
    assert (head_number() == before) == (status == 403)
    if status == 403:
        assert answer.json()["error"] == "forbidden"
        assert answer.json()["details"]["allowed"] == ["dev"]


def test_a_refusal_tells_what_is_permitted(limited):
    answer = limited.patch("/platform_components/podinfo", {"component_version": "9.9.9"})
    assert answer.json() == {
        "error": "forbidden",
        "message": "This would change prod, and you may change these environments only: dev.",
        "details": {"environments": ["prod"], "allowed": ["dev"]},
    }


def test_a_batch_is_refused_as_a_whole(limited):
    operations = [
        {"method": "PATCH", "path": "/clusters/c-1", "body": {"node_count": 7}},
        {"method": "PATCH", "path": "/clusters/c-3", "body": {"node_count": 7}},
    ]
    with nothing_changes():
        assert limited.post("/batch", operations).status_code == 403


def test_what_cancels_out_is_no_change(limited):
    operations = [
        {"method": "PATCH", "path": "/clusters/c-3", "body": {"node_count": 7}},
        {"method": "PATCH", "path": "/clusters/c-3", "body": {"node_count": None}},
        {"method": "PATCH", "path": "/clusters/c-1", "body": {"node_count": 7}},
    ]
    assert limited.post("/batch", operations).status_code == 200


def test_nor_can_it_be_undone(limited):
    Cluster.objects.filter(pk="c-3").update(node_count=7)
    number = head_number()
    with nothing_changes():
        assert limited.post(f"/revisions/{number}/revert").status_code == 403
        restore = limited.post("/clusters/c-3/restore", {"revision": number - 1})
    assert restore.status_code == 403


def test_a_frozen_cluster_is_not_free_to_be_prepared(limited):
    cluster_freeze(cluster="c-3")
    cluster_freeze(cluster="c-2")
    with nothing_changes():
        answer = limited.patch("/platform_components/podinfo", {"component_version": "9.9.9"})
    assert answer.status_code == 403


def test_an_emptied_limit_permits_nothing(api, person):
    api.credential = ""
    api.client.force_login(person("operators", only=[]))
    with nothing_changes():
        assert api.patch("/clusters/c-1", {"node_count": 7}).status_code == 403


def test_without_a_limit_everything_is_permitted(api, person):
    api.credential = ""
    api.client.force_login(person("operators"))
    assert api.patch("/clusters/c-3", {"node_count": 7}).status_code == 200
    assert not OperatorLimit.objects.exists()


@pytest.mark.parametrize(("cluster", "saved"), [("c-1", True), ("c-3", False)])
def test_by_the_admin(client, person, cluster, saved):
    client.force_login(person("operators", only=["dev"]))
    before = head_number()
    form = {**open_form(Cluster, cluster), "node_count": "7"}
    answer = client.post(reverse("admin:fleet_cluster_change", args=[cluster]), form)
    assert answer.status_code == (302 if saved else 200)
    assert (head_number() > before) is saved
    if not saved:
        assert "you may change these environments only: dev" in answer.text


def test_the_catalog_by_the_admin(client, person):
    client.force_login(person("operators", only=["dev"]))
    form = {**open_form(Component, "podinfo"), "component_version": "9.9.9"}
    with nothing_changes():
        answer = client.post(reverse("admin:fleet_component_change", args=["podinfo"]), form)
    assert "you may change these environments only: dev" in answer.text
