"""The exact wire shape of every kind of object: clients of the reference service rely on it."""

import json
from typing import Any

import pytest

from tests.api.conftest import Api

SHAPES: dict[str, dict[str, Any]] = {
    "/environments/lab": {"id": "lab", "rank": 90},
    "/namespaces/apps": {"id": "apps", "labels": {"team": "web"}, "annotations": {"note": "é"}},
    "/rolebindings/admins": {
        "id": "admins",
        "role": "cluster-admin",
        "subjects": [
            {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "ops"},
            {"apiGroup": "", "kind": "ServiceAccount", "name": "ci", "namespace": "apps"},
        ],
    },
    "/platform_components/podinfo": {
        "id": "podinfo",
        "kind": "helm",
        "component_path": "podinfo",
        "component_version": "6.5.0",
        "cluster_env_enabled": False,
        "oci_url": "https://podinfo.example",
        "oci_tag": "v1.0.0",
        "depends_on": ["traefik"],
        "values_schema": None,
        "patches": {"replicaCount": "1"},
        "values": {"replicaCount": 1},
    },
    "/profiles/gold": {
        "id": "gold",
        "weight": 50,
        "environments": ["prod"],
        "labels": {"tier": "gold"},
        "clusters": None,
        "platform_components": [
            {
                "id": "agent",
                "enabled": None,
                "oci_tag": None,
                "component_path": None,
                "component_version": "2.1.0",
            }
        ],
        "namespaces": [],
        "rolebindings": [],
        "patches": {"podinfo": {"replicaCount": "5"}},
        "values": {"podinfo": {"replicaCount": 5}},
        "unset": {},
    },
    "/clusters/c-1": {
        "id": "c-1",
        "cluster_name": "one",
        "cluster_dns": "c-1.example.com",
        "environment": "dev",
        "state": "active",
        "labels": {"region": "eu", "tier": "gold"},
        "node_count": 3,
        "vm_image": "ubuntu-24.04",
        "k0s_version": "v1.33.2",
        "platform_components": [
            {
                "id": "podinfo",
                "enabled": True,
                "oci_tag": None,
                "component_path": None,
                "component_version": "6.6.0",
            }
        ],
        "namespaces": [{"id": "apps"}],
        "rolebindings": [{"id": "admins"}],
        "patches": {
            "podinfo": {
                "hosts": '["a","b"]',
                "port": "9898",
                "replicaCount": "3",
                "ui.color": "#2f855a",
            }
        },
        "values": {
            "podinfo": {
                "hosts": ["a", "b"],
                "port": "9898",
                "replicaCount": 3,
                "ui": {"color": "#2f855a"},
            }
        },
        "unset": {"podinfo": ["ui.message"]},
    },
}


@pytest.mark.parametrize("path", SHAPES)
def test_object(api: Api, path: str) -> None:
    response = api.get(path)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json"
    # As text: 1 is not true, and the order of fields is part of what people read.
    assert json.dumps(response.json()) == json.dumps(SHAPES[path])


@pytest.mark.parametrize("path", SHAPES)
def test_a_list_has_the_same_objects(api: Api, path: str) -> None:
    section = path.rpartition("/")[0]
    assert SHAPES[path] in api.get(section).json()


def test_an_explicit_list_of_clusters(api: Api) -> None:
    assert api.get("/profiles/picked").json()["clusters"] == ["c-3"]


def test_what_a_frozen_cluster_was_frozen_with_is_not_shown(api: Api) -> None:
    api.post("/clusters/c-1/freeze")
    assert api.get("/clusters/c-1").json() == {**SHAPES["/clusters/c-1"], "state": "frozen"}
