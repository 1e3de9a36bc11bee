"""Objects of each kind in the fleet of these tests, exactly as the API represents them."""

from typing import Any

SHAPES: dict[str, dict[str, Any]] = {
    "/environments/lab": {"id": "lab", "description": "", "rank": 90},
    "/namespaces/apps": {
        "id": "apps",
        "description": "",
        "labels": {"team": "web"},
        "annotations": {"note": "é"},
    },
    "/rolebindings/admins": {
        "id": "admins",
        "description": "",
        "role": "cluster-admin",
        "subjects": [
            {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "ops"},
            {"apiGroup": "", "kind": "ServiceAccount", "name": "ci", "namespace": "apps"},
        ],
    },
    "/platform_components/podinfo": {
        "id": "podinfo",
        "description": "",
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
        "description": "",
        "weight": 50,
        "environments": ["prod"],
        "labels": {"tier": "gold"},
        "clusters": None,
        "platform_components": [
            {
                "id": "agent",
                "enabled": True,
                "enabled_inherited": True,
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
        "description": "",
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
