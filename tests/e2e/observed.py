"""What is on a cluster against what it was told, told in the same words."""

from typing import Any

from tests.e2e.cluster import OWNED, Cluster

KINDS = ",".join(
    (
        "namespaces",
        "clusterrolebindings.rbac.authorization.k8s.io",
        "helmreleases.helm.toolkit.fluxcd.io",
        "kustomizations.kustomize.toolkit.fluxcd.io",
        "helmrepositories.source.toolkit.fluxcd.io",
        "ocirepositories.source.toolkit.fluxcd.io",
    )
)
NOT_OURS = ("resourceset.fluxcd.controlplane.io/", "kubernetes.io/metadata.name")

Objects = dict[str, Any]


def made_by_us(cluster: Cluster) -> Objects:
    """Every object that a ResourceSet has made, by kind and name."""
    return {
        f"{item['kind']}/{item['metadata']['name']}": item
        for item in cluster.kubectl.items(KINDS, "--selector", OWNED)
    }


def identities(cluster: Cluster) -> dict[str, str]:
    """An object that was deleted and made again is another one."""
    return {name: item["metadata"]["uid"] for name, item in made_by_us(cluster).items()}


def state_of(cluster: Cluster) -> Objects:
    """What each object says, as far as the fleet decides it."""
    return {name: said(item) for name, item in made_by_us(cluster).items()}


def said(item: dict[str, Any]) -> Any:
    spec = item.get("spec", {})
    match item["kind"]:
        case "Namespace":
            found = item["metadata"]
            return (ours(found["labels"]), ours(found.get("annotations", {})))
        case "ClusterRoleBinding":
            return (item["roleRef"]["name"], item["subjects"])
        case "HelmRelease":
            version = spec.get("chart", {}).get("spec", {}).get("version", "")
            return (version, spec["values"], spec.get("dependsOn", []))
        case "Kustomization":
            return (spec["path"], spec.get("dependsOn", []))
        case _:
            return (spec["url"], spec.get("ref", {}))


def ours(texts: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in texts.items() if not key.startswith(NOT_OURS)}
