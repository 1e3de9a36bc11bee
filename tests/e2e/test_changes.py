"""What is changed in the fleet changes on the cluster: that, and nothing else."""

import pytest

from tests.e2e.cluster import Cluster
from tests.e2e.fleet import Fleet
from tests.e2e.following import follows
from tests.e2e.observed import identities, state_of

PODINFO = {"OCIRepository/podinfo", "HelmRelease/podinfo"}
OTHER_COMPONENTS = [{"id": "shop"}, {"id": "odd"}]


def test_a_value_of_the_cluster_arrives(berlin: Cluster, fleet: Fleet) -> None:
    before = identities(berlin)
    fleet.change(
        "PATCH", "/clusters/berlin", {"patches": {"podinfo": {"replicaCount": "7", "a.b": "x#"}}}
    )
    follows(berlin, fleet)
    _, values, _ = state_of(berlin)["HelmRelease/podinfo"]
    assert values["replicaCount"] == 7
    assert values["a"] == {"b": "x#"}
    assert identities(berlin) == before


def test_a_version_of_the_catalog_arrives(berlin: Cluster, fleet: Fleet) -> None:
    fleet.change("PATCH", "/platform_components/podinfo", {"component_version": "6.9.1"})
    follows(berlin, fleet)
    _, reference = state_of(berlin)["OCIRepository/podinfo"]
    assert reference == {"tag": "6.9.1"}


def test_a_value_of_a_profile_arrives(berlin: Cluster, fleet: Fleet) -> None:
    fleet.change("PATCH", "/profiles/production", {"patches": {"ingress": {"replicas": "5"}}})
    follows(berlin, fleet)
    _, values, _ = state_of(berlin)["HelmRelease/ingress"]
    assert values == {"replicas": 5}


def test_a_component_of_a_profile_arrives(berlin: Cluster, fleet: Fleet) -> None:
    fleet.change(
        "POST",
        "/platform_components",
        {
            "id": "dns",
            "component_path": "dns",
            "component_version": "1.16.1",
            "oci_url": "https://charts.example.com/stable",
        },
    )
    fleet.change(
        "PATCH", "/profiles/production", {"platform_components": [{"id": "podinfo"}, {"id": "dns"}]}
    )
    before = set(identities(berlin))
    follows(berlin, fleet)
    assert set(identities(berlin)) - before == {"HelmRepository/dns", "HelmRelease/dns"}


def test_a_binding_to_another_role_is_made_anew(berlin: Cluster, fleet: Fleet) -> None:
    """Kubernetes does not let the role of a binding change."""
    fleet.change("PATCH", "/rolebindings/on-call", {"role": "view"})
    follows(berlin, fleet)
    role, _ = state_of(berlin)["ClusterRoleBinding/flux-fleet:on-call"]
    assert role == "view"


@pytest.mark.parametrize(
    ("method", "path", "body", "gone"),
    [
        (
            "PATCH",
            "/clusters/berlin",
            {"platform_components": [*OTHER_COMPONENTS, {"id": "podinfo", "enabled": False}]},
            PODINFO,
        ),
        ("PATCH", "/profiles/production", {"platform_components": []}, PODINFO),
        (
            "PATCH",
            "/clusters/berlin",
            {"platform_components": [{"id": "odd"}]},
            {"OCIRepository/shop", "Kustomization/shop"},
        ),
        (
            "PATCH",
            "/clusters/berlin",
            {"namespaces": [{"id": "odd"}]},
            {"Namespace/team-space"},
        ),
        (
            "PATCH",
            "/profiles/everywhere",
            {"rolebindings": []},
            {"ClusterRoleBinding/flux-fleet:auditors"},
        ),
    ],
    ids=["disabled", "profile", "unassigned", "namespace", "rolebinding"],
)
def test_what_is_taken_away_goes_alone_and_a_revert_brings_it_back(
    berlin: Cluster, fleet: Fleet, method: str, path: str, body: object, gone: set[str]
) -> None:
    state, before = state_of(berlin), identities(berlin)
    number = fleet.change(method, path, body)
    follows(berlin, fleet)
    after = identities(berlin)
    assert set(before) - set(after) == gone
    assert after.items() <= before.items()

    fleet.change("POST", f"/revisions/{number}/revert")
    follows(berlin, fleet)
    assert state_of(berlin) == state
