"""What our ResourceSets make of the answers, rendered by Flux Operator itself.

Each item of golden/fleet.json has a file of what becomes of it; UPDATE_GOLDEN=1 writes them anew.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.environment import BASE_DIR
from fleet.desired_state.answers import cluster_entries
from fleet.desired_state.inputs import RESOURCES
from fleet.services.seeds import seed_import
from tests.answers import answers_for_dns
from tests.e2e.programs.build import build
from tests.e2e.programs.recipes import FLUX_CLI

GOLDEN = Path(__file__).parent / "golden"
SEED = json.loads((GOLDEN / "fleet.json").read_text())
[CLUSTER] = [cluster for cluster in SEED["clusters"] if cluster["id"] == "golden"]
EXAMPLES = ("clusters", "cluster-api")
UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"
NOTHING = "no objects were generated"

Input = dict[str, Any]


def ids(resource: str) -> list[str]:
    assigned = CLUSTER[resource.replace("-", "_")]
    return [item if isinstance(item, str) else item["id"] for item in assigned]


ITEMS = [(resource, item) for resource in RESOURCES for item in ids(resource)]


@pytest.fixture(scope="session")
def flux_cli() -> Path:
    return build(FLUX_CLI)["flux-operator-cli"]


@pytest.fixture
def inputs(db: None) -> dict[tuple[str, str], Input]:
    """What the cluster is told."""
    seed_import(documents=SEED)
    answers = answers_for_dns(CLUSTER["cluster_dns"])
    return {
        (resource, item["id"]): item
        for resource in RESOURCES
        for item in json.loads(answers.body(resource))["inputs"]
    }


def render(flux_cli: Path, manifest: str, given: list[Input], folder: Path) -> str:
    """As YAML, document by document; empty where nothing is to be there."""
    documents = yaml.safe_load_all((BASE_DIR / "deploy" / manifest).read_text())
    [resource_set] = [item for item in documents if item["kind"] == "ResourceSet"]
    files = {"set": folder / "set.yaml", "inputs": folder / "inputs.yaml"}
    files["set"].write_text(json.dumps(resource_set))
    # The program reads it as YAML, where this one would be the end of a line.
    text = json.dumps(given, ensure_ascii=False).replace("\u2028", "\\u2028")
    files["inputs"].write_text(text)
    done = subprocess.run(
        [flux_cli, "build", "resourceset", "-f", files["set"], "--inputs-from", files["inputs"]],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode and NOTHING in done.stderr:
        return ""
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("resource", "item"), ITEMS)
def test_each_item_becomes_what_its_file_says(
    resource: str, item: str, inputs: Any, flux_cli: Path, tmp_path: Path
) -> None:
    rendered = render(flux_cli, f"flux/{resource}.yaml", [inputs[resource, item]], tmp_path)
    assert rendered == golden(resource, item, rendered)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_management_plane_makes_an_object_of_every_cluster(
    name: str, inputs: Any, flux_cli: Path, tmp_path: Path
) -> None:
    rendered = render(flux_cli, f"management/{name}.yaml", cluster_entries(), tmp_path)
    assert rendered == golden("management", name, rendered)


def golden(folder: str, name: str, rendered: str) -> str:
    file = GOLDEN / folder / f"{name}.yaml"
    if UPDATE:
        file.parent.mkdir(exist_ok=True)
        file.write_text(rendered)
    return file.read_text()


def test_there_is_no_file_without_an_item() -> None:
    files = {(file.parent.name, file.stem) for file in GOLDEN.glob("*/*.yaml")}
    assert files == {*ITEMS, *(("management", name) for name in EXAMPLES)}


@pytest.mark.parametrize("resource", RESOURCES)
def test_items_do_not_get_in_each_others_way(
    resource: str, inputs: Any, flux_cli: Path, tmp_path: Path
) -> None:
    given = [item for (kind, _), item in sorted(inputs.items()) if kind == resource]
    alone = "".join(render(flux_cli, f"flux/{resource}.yaml", [item], tmp_path) for item in given)
    assert render(flux_cli, f"flux/{resource}.yaml", given, tmp_path) == alone


def test_values_arrive_as_they_were_written(inputs: Any) -> None:
    documents = yaml.safe_load_all((GOLDEN / "platform-components" / "nasty.yaml").read_text())
    [release] = [item for item in documents if item["kind"] == "HelmRelease"]
    wanted = inputs["platform-components", "nasty"]["values"]
    assert json.dumps(release["spec"]["values"], sort_keys=True) == json.dumps(
        wanted, sort_keys=True
    )
