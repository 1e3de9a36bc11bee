"""Frozen, decommissioned and back."""

from tests.e2e.cluster import OWNED, Cluster
from tests.e2e.fleet import Fleet
from tests.e2e.following import follows
from tests.e2e.observed import KINDS, identities, state_of

# Beside ours, in the same places and of the same kinds.
THEIRS = """
apiVersion: v1
kind: Namespace
metadata: {name: theirs}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: theirs}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: theirs, namespace: flux-fleet}
spec: {interval: 10m, url: "https://charts.example.com/theirs"}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: theirs, namespace: flux-fleet}
spec:
  interval: 10m
  chart:
    spec:
      chart: theirs
      sourceRef: {kind: HelmRepository, name: theirs}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: theirs, namespace: default}
"""


def test_a_frozen_cluster_does_not_follow_until_it_is_unfrozen(
    berlin: Cluster, fleet: Fleet
) -> None:
    before, objects = state_of(berlin), identities(berlin)
    fleet.change("POST", "/clusters/berlin/freeze")
    fleet.change("PATCH", "/platform_components/podinfo", {"component_version": "6.9.1"})
    fleet.change("PATCH", "/profiles/everywhere", {"namespaces": [], "rolebindings": []})
    berlin.poll()
    assert (state_of(berlin), identities(berlin)) == (before, objects)

    fleet.change("POST", "/clusters/berlin/unfreeze")
    follows(berlin, fleet)
    after = state_of(berlin)
    assert after["OCIRepository/podinfo"][1] == {"tag": "6.9.1"}
    assert set(before) - set(after) == {"Namespace/shop", "ClusterRoleBinding/flux-fleet:auditors"}


def test_decommissioning_removes_all_that_is_ours_and_recommissioning_brings_it_back(
    berlin: Cluster, fleet: Fleet
) -> None:
    berlin.kubectl.apply(THEIRS)
    before = state_of(berlin)
    others = everything_else(berlin)

    fleet.change("DELETE", "/clusters/berlin")
    follows(berlin, fleet)
    assert state_of(berlin) == {}
    assert everything_else(berlin) == others

    fleet.change("POST", "/clusters/berlin/recommission")
    follows(berlin, fleet)
    assert state_of(berlin) == before
    berlin.kubectl.run("delete", "--filename", "-", given=THEIRS)


def everything_else(cluster: Cluster) -> dict[str, str]:
    """What is on the cluster and was not made by a ResourceSet, with its identity."""
    kinds = f"{KINDS},configmaps,secrets,serviceaccounts"
    return {
        f"{item['kind']}/{item['metadata'].get('namespace')}/{item['metadata']['name']}": item[
            "metadata"
        ]["uid"]
        for item in cluster.kubectl.items(kinds, "--selector", f"!{OWNED}")
    }
