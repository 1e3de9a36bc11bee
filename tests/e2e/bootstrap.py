"""Connects a cluster, as a person does: one call, and kubectl."""

from tests.e2e.cluster import Cluster
from tests.e2e.fleet import Fleet


def connect(cluster: Cluster, fleet: Fleet) -> None:
    """With a new token; one that the cluster had is not touched."""
    cluster.kubectl.apply(fleet.send("POST", f"/clusters/{cluster.id}/bootstrap").text)
