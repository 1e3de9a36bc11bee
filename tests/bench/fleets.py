"""Fleets of any size, as seed documents: every cluster with settings of its own."""

from typing import Any

ENVIRONMENTS = ("dev", "qa", "uat", "prod")
TIERS = ("core", "edge", "sandbox")
# More of each than a cluster has, so that clusters differ; but all have the first.
COMPONENTS = [f"component-{number:02}" for number in range(20)]
NAMESPACES = [f"namespace-{number:02}" for number in range(12)]
ROLEBINDINGS = [f"rolebinding-{number:02}" for number in range(8)]
EVERYWHERE = COMPONENTS[0]
OF_A_CLUSTER = {"components": 10, "namespaces": 5, "rolebindings": 3}


def fleet(clusters: int) -> dict[str, Any]:
    return {
        "namespaces": [namespace(name) for name in NAMESPACES],
        "rolebindings": [rolebinding(name) for name in ROLEBINDINGS],
        "platform_components": [component(name) for name in COMPONENTS],
        "profiles": profiles(),
        "clusters": [cluster(number) for number in range(clusters)],
    }


def cluster_id(number: int) -> str:
    return f"bench-{number:05}"


def cluster_dns(number: int) -> str:
    return f"{cluster_id(number)}.k8s.example.com"


def cluster(number: int) -> dict[str, Any]:
    components = some(COMPONENTS, OF_A_CLUSTER["components"], number)
    return {
        "id": cluster_id(number),
        "cluster_name": cluster_id(number),
        "cluster_dns": cluster_dns(number),
        "environment": ENVIRONMENTS[number % len(ENVIRONMENTS)],
        "labels": {"region": f"region-{number % 7}", "tier": TIERS[number % len(TIERS)]},
        "node_count": 3 + number % 5,
        "platform_components": components,
        "namespaces": some(NAMESPACES, OF_A_CLUSTER["namespaces"], number),
        "rolebindings": some(ROLEBINDINGS, OF_A_CLUSTER["rolebindings"], number),
        "patches": {
            components[0]: {
                "replicaCount": str(2 + number % 3),
                "ingress.host": cluster_dns(number),
            },
            components[1]: {"resources.limits.memory": "512Mi", "ui.color": "#2f855a"},
            components[2]: {"cluster.name": cluster_id(number), "metrics.enabled": "true"},
        },
    }


def some(names: list[str], count: int, number: int) -> list[str]:
    """The first, and others by the number of the cluster."""
    others = names[1:]
    return [names[0], *(others[(number + step) % len(others)] for step in range(count - 1))]


def component(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "component_path": name,
        "component_version": "1.0.0",
        "oci_url": "oci://registry.example.com/charts",
        "depends_on": [] if name == EVERYWHERE else [EVERYWHERE],
        "patches": {"image.tag": "v1.0.0", "service.type": "ClusterIP"},
    }


def namespace(name: str) -> dict[str, Any]:
    labels = {"team": "platform", "pod-security.kubernetes.io/enforce": "restricted"}
    return {"id": name, "labels": labels, "annotations": {"owner": "platform"}}


def rolebinding(name: str) -> dict[str, Any]:
    subjects = [{"kind": "Group", "name": f"{name}-team"}, {"kind": "Group", "name": "on-call"}]
    return {"id": name, "role": "edit", "subjects": subjects}


def profiles() -> list[dict[str, Any]]:
    return [
        {
            "id": "production",
            "weight": 10,
            "environments": ["prod"],
            "patches": {EVERYWHERE: {"autoscaling.enabled": "true"}},
        },
        {
            "id": "edge",
            "weight": 20,
            "labels": {"tier": "edge"},
            "platform_components": [{"id": EVERYWHERE, "component_version": "1.1.0"}],
            "patches": {EVERYWHERE: {"service.type": "NodePort"}},
        },
    ]
