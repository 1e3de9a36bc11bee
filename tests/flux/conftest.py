from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from fleet.services.seeds import seed_import

READ = {"Authorization": "Bearer test-read-token"}

SEED: dict[str, Any] = {
    "platform_components": [
        {"id": "traefik", "component_path": "traefik", "oci_url": "https://traefik.example"},
        {
            "id": "podinfo",
            "component_path": "podinfo",
            "component_version": "6.5.0",
            "oci_url": "https://podinfo.example",
            "oci_tag": "v1.0.0",
            "depends_on": ["traefik"],
            "patches": {"ui.color": "#2f855a"},
        },
    ],
    "namespaces": [{"id": "apps", "labels": {"team": "web"}, "annotations": {"note": "é"}}],
    "rolebindings": [
        {
            "id": "admins",
            "role": "cluster-admin",
            "subjects": [
                {"kind": "Group", "name": "ops"},
                {"kind": "ServiceAccount", "name": "ci", "namespace": "apps"},
            ],
        }
    ],
    "clusters": [
        {
            "id": f"c-{index}",
            "cluster_name": f"c-{index}",
            "cluster_dns": f"c-{index}.example.com",
            "environment": "dev",
            "platform_components": ["traefik", {"id": "podinfo", "enabled": True}],
            "namespaces": ["apps"],
            "rolebindings": ["admins"],
            "patches": {"podinfo": {"replicaCount": "3"}},
        }
        for index in (2, 1)
    ],
}


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker("both_databases")


@pytest.fixture
def fleet(db: None) -> None:
    seed_import(documents=SEED)


@pytest.fixture
def poll(client: Client, fleet: None) -> Callable[..., Any]:
    """Polls a path under /api/v2/flux/ as a cluster does."""

    def get(path: str, **headers: str) -> Any:
        return client.get(f"/api/v2/flux/{path}", headers={**READ, **headers})

    return get
