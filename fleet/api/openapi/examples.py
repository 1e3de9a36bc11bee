"""Bodies to start from, on the demo fleet: in the schema and in the forms of the browsable API."""

from typing import Any

NEW: dict[str, dict[str, Any]] = {
    "environments": {"id": "staging", "rank": 35},
    "namespaces": {"id": "web", "labels": {"team": "web"}, "annotations": {}},
    "rolebindings": {
        "id": "web-team",
        "role": "edit",
        "subjects": [{"kind": "Group", "name": "web"}],
    },
    "platform_components": {
        "id": "redis",
        "kind": "helm",
        "component_path": "redis",
        "component_version": "20.1.0",
        "oci_url": "oci://registry-1.docker.io/bitnamicharts",
        "oci_tag": "20.1.0",
        "depends_on": ["cert-manager"],
        "patches": {"replica.replicaCount": "2"},
    },
    "profiles": {
        "id": "web",
        "weight": 200,
        "environments": ["dev"],
        "labels": {"tier": "web"},
        "platform_components": [{"id": "podinfo", "component_version": "6.7.1"}],
        "namespaces": [{"id": "podinfo"}],
        "patches": {"podinfo": {"ui.color": "#2f855a"}},
    },
    "clusters": {
        "id": "berlin",
        "cluster_name": "berlin",
        "cluster_dns": "berlin.k8s.example.com",
        "environment": "dev",
        "labels": {"tier": "gold"},
        "node_count": 3,
        "platform_components": [{"id": "podinfo", "enabled": True}],
        "namespaces": [{"id": "podinfo"}],
        "rolebindings": [{"id": "on-call"}],
        "patches": {"podinfo": {"replicaCount": "3"}},
    },
}
PATCH: dict[str, dict[str, Any]] = {
    "environments": {"rank": 36},
    "namespaces": {"labels": {"team": None, "owner": "platform"}},
    "rolebindings": {"role": "view"},
    "platform_components": {"component_version": "20.2.0", "patches": {"auth.enabled": "true"}},
    "profiles": {"weight": 210, "patches": {"podinfo": {"ui.color": None}}},
    "clusters": {"labels": {"tier": "silver"}, "patches": {"podinfo": {"replicaCount": "5"}}},
}
REPLACEMENT: dict[str, dict[str, Any]] = {
    "environments": {"rank": 37},
    "namespaces": {"labels": {"team": "web"}},
    "rolebindings": {"subjects": [{"kind": "User", "name": "ada@example.com"}]},
    "platform_components": {"oci_tag": "20.3.0"},
    "profiles": {"environments": ["dev", "qa"]},
    "clusters": {"node_count": 5, "namespaces": [{"id": "podinfo"}, {"id": "monitoring"}]},
}
CLUSTERS_PATCH: dict[str, Any] = {"labels": {"checked": "yes"}}
BATCH: list[dict[str, Any]] = [
    {"method": "POST", "path": "/namespaces", "body": {"id": "ledger"}},
    {
        "method": "PATCH",
        "path": "/clusters/demo-cluster-01",
        "body": {"labels": {"ledger": "yes"}},
    },
]
APPLY: dict[str, Any] = {
    "namespaces": [{"id": "ledger", "labels": {"team": "finance"}}],
    "clusters": [
        {
            "id": "oslo",
            "cluster_name": "oslo",
            "cluster_dns": "oslo.k8s.example.com",
            "environment": "dev",
            "namespaces": [{"id": "ledger"}],
        }
    ],
}
TOKEN: dict[str, Any] = {"id": "paris", "kind": "cluster", "cluster": "demo-cluster-01"}
ENROLMENT: dict[str, Any] = {
    "cluster_name": "lisbon",
    "cluster_dns": "lisbon.k8s.example.com",
    "labels": {"region": "eu-west"},
}
ROTATION: dict[str, Any] = {"grace_seconds": 3600}
RESTORE: dict[str, Any] = {"revision": 2}
REVERT: dict[str, Any] = {"skip_conflicts": False}
