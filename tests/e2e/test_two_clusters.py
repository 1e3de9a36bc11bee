"""A second cluster, of another environment, beside the first; and it gets very full at the end."""

import base64
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.e2e.bootstrap import connect
from tests.e2e.cluster import Cluster, running_cluster
from tests.e2e.control_plane import Programs
from tests.e2e.fleet import RESOURCES, Fleet
from tests.e2e.following import follows
from tests.e2e.observed import state_of
from tests.e2e.planes import ReadPlane

# Of more than 100 Flux Operator would drop, and then remove, the rest, were it not told otherwise.
MANY = 150


@pytest.fixture(scope="module")
def second(programs: Programs, etcd_url: str, logs: Path, fleet: Fleet) -> Iterator[Cluster]:
    with running_cluster("lisbon", programs, etcd_url, logs) as cluster:
        connect(cluster, fleet)
        yield cluster


@pytest.fixture
def lisbon(second: Cluster, fleet: Fleet) -> Cluster:
    follows(second, fleet)
    return second


def test_each_gets_its_own_state(berlin: Cluster, lisbon: Cluster) -> None:
    assert set(state_of(lisbon)) == {
        "Namespace/shop",
        "ClusterRoleBinding/flux-fleet:auditors",
        "HelmRepository/ingress",
        "HelmRelease/ingress",
        "OCIRepository/shop",
        "Kustomization/shop",
    }
    replicas = [
        state_of(cluster)["HelmRelease/ingress"][1]["replicas"] for cluster in (berlin, lisbon)
    ]
    paths = [state_of(cluster)["Kustomization/shop"][0] for cluster in (berlin, lisbon)]
    assert (replicas, paths) == ([3, 2], ["./overlays/prod", "./overlays/dev"])


def test_a_change_to_one_leaves_the_other(berlin: Cluster, lisbon: Cluster, fleet: Fleet) -> None:
    before = state_of(lisbon)
    fleet.change("PATCH", "/profiles/production", {"patches": {"ingress": {"replicas": "9"}}})
    fleet.change("DELETE", "/clusters/berlin")
    follows(berlin, fleet)
    follows(lisbon, fleet)
    assert state_of(berlin) == {}
    assert state_of(lisbon) == before


@pytest.mark.parametrize("resource", RESOURCES)
def test_the_token_on_one_reads_nothing_of_the_other(
    berlin: Cluster, lisbon: Cluster, read: ReadPlane, resource: str
) -> None:
    def ask(token: str, about: Cluster) -> int:
        url = f"{read.url}/api/v2/flux/clusters/{about.dns}/{resource}"
        return httpx.get(url, headers={"Authorization": f"Bearer {token}"}).status_code

    tokens = token_on(berlin), token_on(lisbon)
    asked = [ask(token, about) for token in tokens for about in (berlin, lisbon)]
    assert asked == [200, 403, 403, 200]


def token_on(cluster: Cluster) -> str:
    [secret] = cluster.kubectl.items("secrets", "--field-selector=metadata.name=flux-fleet-token")
    return base64.b64decode(secret["data"]["token"]).decode()


def test_150_namespaces_all_arrive(lisbon: Cluster, fleet: Fleet) -> None:
    """The last one, since so many namespaces take a minute to go."""
    names = [f"many-{number:03}" for number in range(MANY)]
    made = [{"method": "POST", "path": "/namespaces", "body": {"id": name}} for name in names]
    assigned = {"namespaces": [{"id": name} for name in names]}
    fleet.change(
        "POST", "/batch", [*made, {"method": "PATCH", "path": "/clusters/lisbon", "body": assigned}]
    )
    follows(lisbon, fleet)
    assert {f"Namespace/{name}" for name in names} <= set(state_of(lisbon))
