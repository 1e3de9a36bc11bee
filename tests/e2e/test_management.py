"""The management plane: an object for every cluster of an environment."""

from collections.abc import Iterator

import pytest

from config.environment import BASE_DIR
from tests.e2e.cluster import Cluster
from tests.e2e.fleet import Fleet
from tests.e2e.planes import ReadPlane
from tests.e2e.waiting import eventually
from tests.planes.conftest import SECRETS

MANIFESTS = (BASE_DIR / "deploy" / "management" / "clusters.yaml").read_text()
OURS = "--selector=resourceset.fluxcd.controlplane.io/name=clusters"
SECRET = """
apiVersion: v1
kind: Secret
metadata: {name: flux-fleet-reader, namespace: flux-fleet}
stringData: {token: %s}
"""


@pytest.fixture
def plane(berlin: Cluster, read: ReadPlane) -> Iterator[Cluster]:
    manifests = MANIFESTS.replace("https://flux-fleet.example.com", read.url)
    manifests = manifests.replace("  secretRef:", "  insecure: true\n  secretRef:")
    berlin.kubectl.apply(SECRET % SECRETS["AUTH_TOKEN"])
    berlin.kubectl.apply(manifests)
    yield berlin
    # First: without its account, Flux Operator would leave the objects behind.
    berlin.kubectl.run("delete", "resourceset", "clusters", "--namespace=flux-fleet")
    eventually(lambda: described(berlin), {})
    berlin.kubectl.run("delete", "--ignore-not-found", "--filename", "-", given=manifests)


def described(cluster: Cluster) -> dict[str, str]:
    """The number of nodes, by name."""
    found = cluster.kubectl.items("configmaps", OURS)
    return {item["metadata"]["name"]: item["data"]["NODE_COUNT"] for item in found}


def test_each_cluster_of_the_environment_is_an_object(plane: Cluster, fleet: Fleet) -> None:
    eventually(lambda: described(plane), {"cluster-berlin": "0"})
    fleet.change("PATCH", "/clusters/berlin", {"node_count": 5})
    fleet.change("PATCH", "/clusters/lisbon", {"environment": "prod", "node_count": 3})
    plane.poll()
    eventually(lambda: described(plane), {"cluster-berlin": "5", "cluster-lisbon": "3"})


def test_an_environment_that_is_gone_takes_no_object_away(plane: Cluster, fleet: Fleet) -> None:
    eventually(lambda: described(plane), {"cluster-berlin": "0"})
    url = plane.kubectl.items("resourcesetinputproviders")
    [spec] = [item["spec"] for item in url if item["metadata"]["name"] == "clusters"]
    wrong = spec["url"].replace("environment=prod", "environment=prd")
    plane.kubectl.run(
        *("patch", "resourcesetinputprovider", "clusters", "--namespace=flux-fleet"),
        *("--type=merge", f'--patch={{"spec": {{"url": "{wrong}"}}}}'),
    )
    eventually(lambda: plane.ready()["clusters"], "False")
    assert described(plane) == {"cluster-berlin": "0"}
