"""A seed of the reference service, and clusters from a table."""

import json
from pathlib import Path

import httpx
import pytest

from fleet_cli.errors import Refused
from fleet_cli.seeds import body_of
from tests.cli.conftest import Cli

SEED = {
    "platform_components": [
        {"_id": "cli-seeded", "component_path": "x", "oci_url": "oci://registry.example.com/x"}
    ],
    "clusters": [
        {
            "_id": "cli-seed",
            "cluster_name": "cli-seed",
            "cluster_dns": "cli-seed.example.com",
            "environment": "dev",
            "platform_components": [{"id": "cli-seeded", "enabled": True, "oci_tag": None}],
            "namespaces": [{"id": "cli-embedded", "labels": {"team": "a"}, "annotations": None}],
            "rolebindings": [{"id": "cli-bound", "role": "view", "subjects": []}],
            "patches": {"cli-seeded": {"replicaCount": "3"}},
        }
    ],
}


def test_a_seed_of_the_reference_service(cli: Cli, api: httpx.Client, tmp_path: Path, newest):
    file = tmp_path / "seed.json"
    file.write_text(json.dumps(SEED))
    before = newest()["number"]
    planned = cli("import", str(file), "--dry-run", "-o", "name").ok()
    assert newest()["number"] == before
    assert planned.lines == [
        "namespace/cli-embedded",
        "rolebinding/cli-bound",
        "component/cli-seeded",
        "cluster/cli-seed",
    ]
    assert cli("import", str(file)).ok().out.startswith("4 created, ")
    found = api.get("/clusters/cli-seed").json()
    assert found["values"] == {"cli-seeded": {"replicaCount": 3}}
    assert api.get("/namespaces/cli-embedded").json()["labels"] == {"team": "a"}
    assert cli("import", str(file)).ok().out.endswith("nothing to change.\n")
    cli("revision", "revert", str(before + 1), "--yes").ok()


def test_what_differs_between_clusters_is_refused() -> None:
    clusters = [
        {"id": name, "namespaces": [{"id": "n", "labels": {"team": name}}]} for name in ("a", "b")
    ]
    with pytest.raises(Refused, match="namespaces 'n' is not the same on all clusters"):
        body_of({"clusters": clusters})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "A seed is an object with"),
        ('{"cluster": []}', "'cluster' is not a section of a seed"),
        ('{"clusters": {}}', "clusters must be a list"),
        (
            '{"clusters": [{"id": "x", "environment": "qq"}]}',
            "clusters[0].environment: there is no",
        ),
    ],
)
def test_a_bad_seed_changes_nothing(
    cli: Cli, tmp_path: Path, text: str, message: str, unchanged: None
) -> None:
    file = tmp_path / "seed.json"
    file.write_text(text)
    done = cli("import", str(file))
    assert done.code == 1
    assert message in done.err


def table(tmp_path: Path, *rows: str) -> str:
    file = tmp_path / "clusters.csv"
    file.write_text("\n".join(rows) + "\n", encoding="utf-8-sig")
    return str(file)


def test_clusters_from_a_table(cli: Cli, api: httpx.Client, tmp_path: Path, cluster: str, newest):
    """New ones are made; of those that exist, only what the table says is changed."""
    before = newest()["number"]
    file = table(
        tmp_path,
        "id,cluster_dns,environment,node_count,labels.region",
        "cli-csv,cli-csv.example.com,dev,3,eu",
        f"{cluster},,,7,us",
    )
    assert cli("cluster", "import", file, "--dry-run").ok().lines[:2] == [
        "+ cluster cli-csv created",
        f"~ cluster {cluster} updated",
    ]
    assert newest()["number"] == before
    assert cli("cluster", "import", file).ok().out.startswith("1 created, 1 updated, 0 deleted")
    found = api.get(f"/clusters/{cluster}").json()
    assert (found["node_count"], found["environment"]) == (7, "qa")
    assert found["labels"] == {"region": "us", "test": cluster}
    assert [item["id"] for item in found["platform_components"]] == ["podinfo"]
    assert api.get("/clusters/cli-csv").json()["cluster_name"] == "cli-csv"
    for _ in range(2):
        api.delete("/clusters/cli-csv")


def test_errors_are_told_by_row_all_at_once(cli: Cli, tmp_path: Path, unchanged: None) -> None:
    file = table(
        tmp_path,
        "id,cluster_dns,environment,node_count",
        "a,a.example.com,qq,3",
        "b,a.example.com,dev,3",
        "C!,c.example.com,dev,",
    )
    done = cli("cluster", "import", file)
    assert done.code == 1
    rows = [line.split(": ", 1)[1] for line in done.err.splitlines()[1:]]
    assert {row.split(":")[0] for row in rows} == {"row 2", "row 3", "row 4"}
    assert any(row.startswith("row 2: environment: there is no environment 'qq'") for row in rows)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["id,enviroment", "a,dev"], "row 1: enviroment: is not a column (allowed: id, "),
        (["cluster_dns", "a"], "row 1: id: is missing"),
        (["id,id", "a,b"], "one is there twice"),
        (["id,node_count", "a,three"], "row 2: node_count: must be a whole number, not 'three'"),
        (["id,node_count", ",3"], "row 2: id: is empty"),
        (["id", "a", "a"], "row 3: id: 'a' is in row 2 already"),
        (["id,node_count", "a"], "row 2: the row: has not as many cells as the first"),
        (["id"], "has no rows"),
        (["id", '"a'], "cannot be read"),
    ],
)
def test_a_bad_table_changes_nothing(
    cli: Cli, tmp_path: Path, rows: list[str], message: str, unchanged: None
) -> None:
    done = cli("cluster", "import", table(tmp_path, *rows))
    assert done.code == 1
    assert message in done.err
