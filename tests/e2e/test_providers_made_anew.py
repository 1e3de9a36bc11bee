"""Providers without an answer have no inputs, as those with an empty list: no reason to act."""

import yaml

from tests.e2e.cluster import PROVIDERS, SETS, Cluster
from tests.e2e.fleet import Fleet
from tests.e2e.following import follows
from tests.e2e.observed import identities
from tests.e2e.planes import ReadPlane
from tests.e2e.waiting import eventually

NAMES = {"namespaces", "rolebindings", "platform-components"}


def providers(fleet: Fleet) -> str:
    text = fleet.send("GET", "/clusters/berlin/bootstrap.yaml").text
    documents = yaml.safe_load_all(text)
    return yaml.safe_dump_all(
        item for item in documents if item["kind"] == "ResourceSetInputProvider"
    )


def not_ready(cluster: Cluster, kind: str) -> set[str]:
    return {
        item["metadata"]["name"]
        for item in cluster.kubectl.items(kind, "--namespace", "flux-fleet")
        for condition in item.get("status", {}).get("conditions", [])
        if (condition["type"], condition["status"]) == ("Ready", "False")
    }


def test_providers_that_are_made_anew_while_nothing_answers_remove_nothing(
    berlin: Cluster, fleet: Fleet, read: ReadPlane
) -> None:
    before, made = identities(berlin), providers(fleet)
    read.stop()
    try:
        berlin.kubectl.run("delete", PROVIDERS, "--all", "--namespace", "flux-fleet")
        berlin.kubectl.apply(made)
        eventually(lambda: not_ready(berlin, PROVIDERS), NAMES)
        berlin.kubectl.run(
            *("annotate", SETS, "--all", "--namespace", "flux-fleet", "--overwrite"),
            "reconcile.fluxcd.io/requestedAt=now",
        )
        eventually(lambda: not_ready(berlin, SETS), NAMES)
        assert identities(berlin) == before
    finally:
        read.start()
    follows(berlin, fleet)
    assert identities(berlin) == before
