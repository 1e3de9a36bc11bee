"""What a cluster gets and why, how that changed, and by which revisions."""

from typing import Any

import pytest

from fleet.history.change import head_number
from tests.api.conftest import Api

CATALOG = {"layer": "catalog", "id": "podinfo"}
CLUSTER = {"layer": "cluster", "id": "c-1"}


def fields(document: dict[str, Any], resource: str, item_id: str) -> dict[str, Any]:
    return next(item["fields"] for item in document[resource] if item["id"] == item_id)


@pytest.fixture
def changed(api: Api) -> Api:
    """After a change to c-1, one to a profile over it, and one that does not concern it."""
    api.patch("/clusters/c-1", {"patches": {"podinfo": {"replicaCount": "4"}}})
    api.patch("/profiles/everywhere", {"patches": {"traefik": {"debug": "true"}}})
    api.patch("/clusters/c-2", {"namespaces": ["apps"]})
    return api


def test_effective_has_every_resource(api: Api) -> None:
    document = api.get("/clusters/c-1/effective").json()
    assert {key: value for key, value in document.items() if isinstance(value, str | int)} == {
        "id": "c-1",
        "cluster_name": "one",
        "cluster_dns": "c-1.example.com",
        "environment": "dev",
        "state": "active",
        "revision": head_number(),
    }
    assert [item["id"] for item in document["platform_components"]] == ["podinfo", "traefik"]
    assert [item["id"] for item in document["namespaces"]] == ["apps", "logs"]
    assert [item["id"] for item in document["rolebindings"]] == ["admins", "readers"]


def test_effective_says_which_layer_gave_each_value(api: Api) -> None:
    document = api.get("/clusters/c-1/effective").json()
    assert fields(document, "platform_components", "podinfo") == {
        "id": {"value": "podinfo", "origin": CLUSTER},
        "kind": {"value": "helm", "origin": CATALOG},
        "component_path": {"value": "podinfo", "origin": CATALOG},
        "component_version": {"value": "6.6.0", "origin": CLUSTER},
        "cluster_env_enabled": {"value": False, "origin": CATALOG},
        "resolved_path": {"value": "podinfo", "origin": CATALOG},
        "depends_on": {"value": ["traefik"], "origin": CATALOG},
        "enabled": {"value": True, "origin": CLUSTER},
        "source.oci_url": {"value": "https://podinfo.example", "origin": CATALOG},
        "source.oci_tag": {"value": "v1.0.0", "origin": CATALOG},
        "values.hosts": {"value": ["a", "b"], "origin": CLUSTER},
        "values.port": {"value": "9898", "origin": CLUSTER},
        "values.replicaCount": {"value": 3, "origin": CLUSTER},
        "values.ui.color": {"value": "#2f855a", "origin": CLUSTER},
    }
    assert fields(document, "namespaces", "logs")["id"]["origin"] == {
        "layer": "profile",
        "id": "everywhere",
    }


def test_effective_by_a_profile(api: Api) -> None:
    document = api.get("/clusters/c-2/effective").json()
    version = fields(document, "platform_components", "agent")["component_version"]
    assert version == {"value": "2.1.0", "origin": {"layer": "profile", "id": "gold"}}


def test_effective_of_the_past(changed: Api) -> None:
    number = head_number() - 3
    document = changed.get(f"/clusters/c-1/effective?revision={number}").json()
    assert document["revision"] == number
    podinfo = fields(document, "platform_components", "podinfo")
    assert podinfo["values.replicaCount"] == {"value": 3, "origin": CLUSTER}


def test_effective_has_an_etag(api: Api) -> None:
    etag = api.get("/clusters/c-1/effective").headers["ETag"]
    assert api.get("/clusters/c-1/effective", If_None_Match=etag).status_code == 304


def test_effective_of_a_purged_cluster_is_in_the_past(api: Api) -> None:
    number = head_number()
    api.delete("/clusters/c-1")
    api.delete("/clusters/c-1")
    assert api.get("/clusters/c-1/effective").status_code == 404
    assert api.get(f"/clusters/c-1/effective?revision={number}").status_code == 200


def test_diff(changed: Api) -> None:
    head = head_number()
    response = changed.get(f"/clusters/c-1/diff?from={head - 3}&to={head}")
    assert response.status_code == 200
    assert response.json() == {
        "from": head - 3,
        "to": head,
        "changes": [
            {
                "resource": "platform-components",
                "id": "podinfo",
                "field": "values.replicaCount",
                "old": {"value": 3, "origin": CLUSTER},
                "new": {"value": 4, "origin": CLUSTER},
            },
            {
                "resource": "platform-components",
                "id": "traefik",
                "field": "values.debug",
                "new": {"value": True, "origin": {"layer": "profile", "id": "everywhere"}},
            },
        ],
    }


def test_diff_is_up_to_now_unless_told(changed: Api) -> None:
    head = head_number()
    short = changed.get(f"/clusters/c-1/diff?from={head - 3}").json()
    assert short == changed.get(f"/clusters/c-1/diff?from={head - 3}&to={head}").json()


def test_diff_backwards(changed: Api) -> None:
    head = head_number()
    response = changed.get(f"/clusters/c-1/diff?from={head}&to={head - 3}").json()
    assert [change.get("new", {}).get("value") for change in response["changes"]] == [3, None]


def test_diff_of_nothing(changed: Api) -> None:
    head = head_number()
    assert changed.get(f"/clusters/c-1/diff?from={head - 1}").json()["changes"] == []


def test_revisions_of_a_cluster(changed: Api) -> None:
    head = head_number()
    response = changed.get("/clusters/c-1/revisions")
    assert [item["number"] for item in response.json()] == [head - 1, head - 2, head - 3]
    assert response.headers["X-Total-Count"] == "3"
    page = changed.get("/clusters/c-1/revisions?limit=1&offset=1")
    assert [item["number"] for item in page.json()] == [head - 2]


def test_revisions_of_a_purged_cluster_stay(api: Api) -> None:
    api.delete("/clusters/c-1")
    api.delete("/clusters/c-1")
    assert len(api.get("/clusters/c-1/revisions").json()) == 3


@pytest.mark.parametrize(
    ("address", "status", "details"),
    [
        ("/clusters/nowhere/effective", 404, {}),
        ("/clusters/nowhere/diff?from=1", 404, {}),
        ("/clusters/nowhere/revisions", 404, {}),
        ("/clusters/c-1/effective?revision=1", 404, {}),
        ("/clusters/c-1/effective?revision=1000", 404, {}),
        ("/clusters/c-1/diff?from=1000", 404, {}),
        ("/clusters/c-1/diff", 400, {"from": ["must be the number of a revision"]}),
        ("/clusters/c-1/diff?from=x", 400, {"from": ["must be the number of a revision"]}),
        ("/clusters/c-1/diff?from=1&to=-1", 400, {"to": ["must be the number of a revision"]}),
        (
            "/clusters/c-1/effective?revision=" + "9" * 5_000,
            400,
            {"revision": ["must be the number of a revision"]},
        ),
    ],
    ids=lambda it: str(it)[:60],
)
def test_refusals(api: Api, address: str, status: int, details: dict[str, list[str]]) -> None:
    response = api.get(address)
    assert response.status_code == status
    assert response.json()["details"] == details
