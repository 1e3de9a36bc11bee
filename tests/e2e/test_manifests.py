"""Every manifest that we ship or render is one that Kubernetes takes: a dry run of each."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from django.test import Client

from config.environment import BASE_DIR
from fleet.services.seeds import seed_import
from tests.e2e.cluster import install_flux
from tests.e2e.control_plane import Programs, api_server
from tests.e2e.kubectl import Kubectl
from tests.e2e.test_golden import CLUSTER, GOLDEN, SEED

DEPLOY = BASE_DIR / "deploy"
FOLDERS = ("flux", "kubernetes", "management")
FILES = (
    "flux/token.yaml",
    "flux-instance.yaml",
    "kubernetes/secrets.example.yaml",
    "management/cluster-api.yaml",
)
# Of kinds that this server does not know.
NOT_HERE = {"management/cluster-api.yaml"}
RENDERED = sorted(str(file.relative_to(GOLDEN)) for file in GOLDEN.glob("*/*.yaml"))


@pytest.fixture(scope="module")
def kubectl(programs: Programs, etcd_url: str, logs: Path) -> Iterator[Kubectl]:
    """Of a cluster without Flux Operator: nobody acts on what is there."""
    folder = logs / "manifests"
    folder.mkdir(exist_ok=True)
    with api_server(programs, etcd_url, "manifests", folder) as config:
        kubectl = Kubectl(programs["kubectl"], config)
        install_flux(kubectl)
        # Others are within these, and a dry run of them makes none.
        for name in FOLDERS:
            kubectl.apply((DEPLOY / name / "namespace.yaml").read_text())
        yield kubectl


def taken(kubectl: Kubectl, manifests: str) -> int:
    """How many objects the server would take. A field that it does not know is refused, and so is
    what it warns of, such as a pod that its namespace would not permit."""
    done = kubectl.run(
        *("apply", "--dry-run=server", "--server-side", "--validate=strict", "--force-conflicts"),
        *("--warnings-as-errors", "--filename", "-", "--output=name"),
        given=manifests,
    )
    return len(done.splitlines())


def count(manifests: str) -> int:
    return sum(item is not None for item in yaml.safe_load_all(manifests))


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder(kubectl: Kubectl, folder: str) -> None:
    manifests = kubectl.run("kustomize", DEPLOY / folder)
    for name, value in (("INTERNAL_API_URL", "https://fleet.example.com"), ("CLUSTER_DNS", "c.x")):
        manifests = manifests.replace(f"${{{name}}}", value)
    assert taken(kubectl, manifests) == count(manifests) > 3


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_in_no_kustomization(kubectl: Kubectl, name: str) -> None:
    manifests = (DEPLOY / name).read_text()
    assert taken(kubectl, manifests) == count(manifests) > 0


def test_no_file_is_left_out() -> None:
    listed = {
        f"{folder}/{name}"
        for folder in FOLDERS
        for name in yaml.safe_load((DEPLOY / folder / "kustomization.yaml").read_text())[
            "resources"
        ]
    }
    others = {f"{folder}/kustomization.yaml" for folder in FOLDERS} | {"compose/compose.yaml"}
    assert {str(file.relative_to(DEPLOY)) for file in DEPLOY.rglob("*.yaml")} == {
        *listed,
        *others,
        *FILES,
    }


@pytest.mark.parametrize("name", sorted({*RENDERED} - NOT_HERE))
def test_what_is_rendered(kubectl: Kubectl, name: str) -> None:
    """However nasty an item is, it does not keep the others from being applied."""
    manifests = (GOLDEN / name).read_text()
    if manifests:
        assert taken(kubectl, manifests) == count(manifests)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_file_that_connects_a_cluster(
    kubectl: Kubectl, client: Client, db: None, scheme: str
) -> None:
    seed_import(documents=SEED)
    made = client.generic(
        "POST",
        f"/clusters/{CLUSTER['id']}/bootstrap",
        secure=scheme == "https",
        headers={"Authorization": "Bearer test-write-token"},
    )
    assert made.status_code == 201
    assert taken(kubectl, made.text) == 11
