"""The fleet that most tests of the API look at and change."""

from typing import Any

SEED: dict[str, Any] = {
    "environments": [{"id": "lab", "rank": 90}],
    "namespaces": [
        {"id": "apps", "labels": {"team": "web"}, "annotations": {"note": "é"}},
        {"id": "logs"},
        {"id": "spare"},
    ],
    "rolebindings": [
        {
            "id": "admins",
            "role": "cluster-admin",
            "subjects": [
                {"kind": "Group", "name": "ops"},
                {"kind": "ServiceAccount", "name": "ci", "namespace": "apps"},
            ],
        },
        {"id": "readers", "role": "view"},
        {"id": "spare", "role": "edit"},
    ],
    "platform_components": [
        {"id": "traefik", "component_path": "traefik", "oci_url": "https://traefik.example"},
        {
            "id": "podinfo",
            "component_path": "podinfo",
            "component_version": "6.5.0",
            "oci_url": "https://podinfo.example",
            "oci_tag": "v1.0.0",
            "depends_on": ["traefik"],
            "patches": {"replicaCount": "1"},
        },
        {
            "id": "agent",
            "kind": "kustomize",
            "component_path": "deploy",
            "component_version": "2.0.0",
            "cluster_env_enabled": True,
            "oci_url": "oci://registry.example/agent",
            "oci_tag": "v2",
        },
        {"id": "spare", "component_path": "spare", "oci_url": "https://spare.example"},
    ],
    "profiles": [
        {
            "id": "everywhere",
            "weight": 10,
            "platform_components": ["traefik"],
            "namespaces": ["logs"],
            "rolebindings": ["readers"],
        },
        {
            "id": "gold",
            "weight": 50,
            "environments": ["prod"],
            "labels": {"tier": "gold"},
            "platform_components": [{"id": "agent", "component_version": "2.1.0"}],
            "patches": {"podinfo": {"replicaCount": "5"}},
        },
        {"id": "picked", "clusters": ["c-3"], "platform_components": ["agent"]},
    ],
    "clusters": [
        {
            "id": "c-1",
            "cluster_name": "one",
            "cluster_dns": "c-1.example.com",
            "environment": "dev",
            "labels": {"tier": "gold", "region": "eu"},
            "node_count": 3,
            "vm_image": "ubuntu-24.04",
            "k0s_version": "v1.33.2",
            "platform_components": [
                {"id": "podinfo", "enabled": True, "component_version": "6.6.0"}
            ],
            "namespaces": ["apps"],
            "rolebindings": ["admins"],
            "patches": {"podinfo": {"replicaCount": "3", "ui.color": "#2f855a"}},
            "values": {"podinfo": {"port": "9898", "hosts": ["a", "b"]}},
            "unset": {"podinfo": ["ui.message"]},
        },
        {
            "id": "c-2",
            "cluster_name": "two",
            "cluster_dns": "c-2.example.com",
            "environment": "prod",
            "labels": {"tier": "gold"},
        },
        {
            "id": "c-3",
            "cluster_name": "three",
            "cluster_dns": "c-3.example.com",
            "environment": "prod",
            "platform_components": ["podinfo"],
        },
    ],
}

# Of each section: the least that makes an object, and the object that comes of it.
LEAST: dict[str, dict[str, Any]] = {
    "environments": {"id": "new"},
    "namespaces": {"id": "new"},
    "rolebindings": {"id": "new", "role": "view"},
    "platform_components": {
        "id": "new",
        "component_path": "charts/new",
        "oci_url": "oci://registry.example/charts",
    },
    "profiles": {"id": "new"},
    "clusters": {
        "id": "new",
        "cluster_name": "new",
        "cluster_dns": "new.example.com",
        "environment": "dev",
    },
}
NO_ASSIGNMENTS: dict[str, Any] = {
    "platform_components": [],
    "namespaces": [],
    "rolebindings": [],
    "patches": {},
    "values": {},
    "unset": {},
}
CREATED: dict[str, dict[str, Any]] = {
    "environments": {"id": "new", "description": "", "rank": 0},
    "namespaces": {"id": "new", "description": "", "labels": {}, "annotations": {}},
    "rolebindings": {"id": "new", "description": "", "role": "view", "subjects": []},
    "platform_components": {
        "id": "new",
        "description": "",
        "kind": "helm",
        "component_path": "charts/new",
        "component_version": "latest",
        "cluster_env_enabled": False,
        "oci_url": "oci://registry.example/charts",
        "oci_tag": "latest",
        "depends_on": [],
        "values_schema": None,
        "patches": {},
        "values": {},
    },
    "profiles": {
        "id": "new",
        "description": "",
        "weight": 100,
        "environments": [],
        "labels": {},
        "clusters": None,
        **NO_ASSIGNMENTS,
    },
    "clusters": {
        "id": "new",
        "description": "",
        "cluster_name": "new",
        "cluster_dns": "new.example.com",
        "environment": "dev",
        "state": "active",
        "labels": {},
        "node_count": None,
        "vm_image": "",
        "k0s_version": "",
        **NO_ASSIGNMENTS,
    },
}
SECTIONS = tuple(LEAST)
