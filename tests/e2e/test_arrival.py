"""The first contact: all that the fleet has for a cluster is there, exactly as it was written."""

import json
from pathlib import Path

from tests.e2e.cluster import PROVIDERS, SETS, Cluster
from tests.e2e.conftest import SEED
from tests.e2e.observed import state_of

EVERYTHING = {
    "Namespace/odd",
    "Namespace/shop",
    "Namespace/team-space",
    "ClusterRoleBinding/flux-fleet:auditors",
    "ClusterRoleBinding/flux-fleet:on-call",
    "HelmRepository/ingress",
    "HelmRelease/ingress",
    "OCIRepository/podinfo",
    "HelmRelease/podinfo",
    "HelmRepository/odd",
    "HelmRelease/odd",
    "OCIRepository/shop",
    "Kustomization/shop",
}


def seed(kind: str, item_id: str) -> dict:
    items = json.loads(Path(SEED).read_text())[kind]
    return next(item for item in items if item["id"] == item_id)


def test_everything_arrives_and_nothing_else(berlin: Cluster) -> None:
    assert set(state_of(berlin)) == EVERYTHING
    assert set(berlin.ready(PROVIDERS).values()) == {"True"}
    assert set(berlin.ready(SETS).values()) == {"True"}


def test_values_are_exactly_those_that_were_written(berlin: Cluster) -> None:
    """Quotes, `#`, `---`, `<<`, `{{`, numbers, text that looks like something else, and so on."""
    _, values, _ = state_of(berlin)["HelmRelease/odd"]
    assert json.dumps(values, sort_keys=True) == json.dumps(
        seed("platform_components", "odd")["values"], sort_keys=True
    )


def test_labels_and_annotations_are_exactly_those_that_were_written(berlin: Cluster) -> None:
    written = seed("namespaces", "odd")
    assert state_of(berlin)["Namespace/odd"] == (written["labels"], written["annotations"])


def test_subjects_are_exactly_those_that_were_written(berlin: Cluster) -> None:
    _, subjects = state_of(berlin)["ClusterRoleBinding/flux-fleet:auditors"]
    assert [(each["kind"], each["name"], each.get("namespace")) for each in subjects] == [
        (each["kind"], each["name"], each.get("namespace"))
        for each in seed("rolebindings", "auditors")["subjects"]
    ]


def test_layers_are_merged(berlin: Cluster) -> None:
    _, values, waits = state_of(berlin)["HelmRelease/podinfo"]
    assert values == {
        "replicaCount": 3,
        "ui": {"color": "#34577c", "message": "Hello from Berlin"},
    }
    assert waits == [{"name": "ingress"}]
