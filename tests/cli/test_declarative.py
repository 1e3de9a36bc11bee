"""The fleet as files: out, compared, and in again."""

from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from fleet_cli.exporting import tidy
from tests.cli.conftest import Cli

KINDS = ["clusters", "components", "environments", "namespaces", "profiles", "rolebindings"]


@pytest.fixture
def fleet(cli: Cli, tmp_path: Path) -> Path:
    folder = tmp_path / "fleet"
    cli("export", str(folder)).ok()
    return folder


def edit(file: Path, **fields: Any) -> None:
    document = yaml.safe_load(file.read_text()) | fields
    file.write_text(yaml.safe_dump(document, sort_keys=False))


def test_export_writes_one_object_a_file(fleet: Path, api: httpx.Client) -> None:
    assert sorted(item.name for item in fleet.iterdir()) == KINDS
    ids = {item["id"] for item in api.get("/clusters").json()}
    assert {file.stem for file in (fleet / "clusters").iterdir()} == ids
    assert (fleet / "profiles" / "canary.yaml").read_text() == (
        "id: canary\n"
        "weight: 90\n"
        "clusters:\n"
        "  - dev-eu-01\n"
        "  - edge-lab-01\n"
        "  - qa-eu-01\n"
        "platform_components:\n"
        "  - id: cert-manager\n"
        "    component_version: v1.18.2\n"
        "  - podinfo\n"
        "namespaces:\n"
        "  - podinfo\n"
        "values:\n"
        "  podinfo:\n"
        "    ui:\n"
        "      message: 'Canary: cert-manager v1.18.2'\n"
    )


def test_an_empty_list_of_clusters_is_not_the_same_as_none() -> None:
    assert tidy("profiles", {"id": "p", "clusters": None}) == {"id": "p"}
    assert tidy("profiles", {"id": "p", "clusters": []}) == {"id": "p", "clusters": []}


def test_empty_values_inside_stay() -> None:
    document = {"id": "c", "values": {"podinfo": {"nodeSelector": {}, "x": None}}, "unset": {}}
    assert tidy("clusters", document) == {
        "id": "c",
        "values": {"podinfo": {"nodeSelector": {}, "x": None}},
    }


def test_what_was_exported_differs_in_nothing(cli: Cli, fleet: Path, unchanged: None) -> None:
    done = cli("diff", str(fleet), "--prune")
    assert (done.code, done.out) == (0, "Nothing differs.\n")
    assert cli("apply", str(fleet), "--prune").ok().out.endswith("nothing to change.\n")


def test_a_second_export_touches_no_file_and_keeps_comments(cli: Cli, fleet: Path) -> None:
    file = fleet / "environments" / "dev.yaml"
    file.write_text("# For us.\n" + file.read_text())
    assert cli("export", str(fleet)).ok().out.endswith(" 0 files changed.\n")
    assert file.read_text().startswith("# For us.\n")


def test_a_file_may_be_in_a_folder_of_its_own(cli: Cli, fleet: Path) -> None:
    (fleet / "clusters" / "edge").mkdir()
    file = (fleet / "clusters" / "edge-ams-01.yaml").rename(
        fleet / "clusters" / "edge" / "edge-ams-01.yaml"
    )
    file.write_text("id: edge-ams-01\n")
    assert cli("export", str(fleet)).ok().out.endswith(" 1 files changed.\n")
    assert "amsterdam" in file.read_text()


def test_export_does_not_remove_files_unasked(cli: Cli, fleet: Path) -> None:
    stale = fleet / "namespaces" / "stale.yaml"
    stale.write_text("id: stale\n")
    done = cli("export", str(fleet))
    assert done.code == 1
    assert str(stale) in done.err
    cli("export", str(fleet), "--replace").ok()
    assert not stale.exists()


def test_diff_then_apply_then_nothing(cli: Cli, fleet: Path, api: httpx.Client, newest) -> None:
    edit(fleet / "clusters" / "qa-us-01.yaml", node_count=4)
    (fleet / "namespaces" / "cli-new.yaml").write_text("labels: {team: web}\n")
    done = cli("diff", str(fleet))
    assert done.code == 5
    assert done.lines[:2] == ["+ namespace cli-new created", "~ cluster qa-us-01 updated"]
    before = newest()["number"]
    applied = cli("apply", str(fleet), "--reason", "from Git").ok()
    assert applied.out.startswith("1 created, 1 updated, 0 deleted, ")
    assert newest()["number"] == before + 1
    assert newest()["reason"] == "from Git"
    assert api.get("/namespaces/cli-new").json()["labels"] == {"team": "web"}
    assert cli("apply", str(fleet)).ok().out.endswith("nothing to change.\n")
    cli("revision", "revert", str(before + 1), "--yes").ok()


def test_diff_can_be_read_by_programs(cli: Cli, fleet: Path) -> None:
    edit(fleet / "clusters" / "qa-us-01.yaml", node_count=4)
    assert cli("diff", str(fleet), "-o", "name").lines == ["cluster/qa-us-01"]
    assert cli("diff", str(fleet), "-o", "json").json["updated"] == 1
    assert cli("apply", str(fleet), "--dry-run", "-o", "yaml").ok().out.startswith("digest: ")


def test_without_prune_what_is_not_named_stays(cli: Cli, fleet: Path, unchanged: None) -> None:
    (fleet / "rolebindings" / "auditors.yaml").unlink()
    assert cli("diff", str(fleet)).code == 0


def test_prune_takes_away_what_is_not_named(cli: Cli, fleet: Path, api: httpx.Client) -> None:
    api.post("/namespaces", json={"id": "cli-extra"})
    done = cli("diff", str(fleet), "--prune")
    assert (done.code, done.lines[0]) == (5, "- namespace cli-extra deleted")
    cli("apply", str(fleet), "--prune").ok()
    assert api.get("/namespaces/cli-extra").status_code == 404


def test_a_kind_without_a_folder_is_left_alone(cli: Cli, fleet: Path, unchanged: None) -> None:
    for file in (fleet / "clusters").iterdir():
        file.unlink()
    (fleet / "clusters").rmdir()
    assert cli("apply", str(fleet), "--prune").ok().out.endswith("nothing to change.\n")


def test_an_empty_folder_of_clusters_is_guarded(process: Cli, fleet: Path, unchanged: None) -> None:
    for file in (fleet / "clusters").iterdir():
        file.unlink()
    done = process("apply", str(fleet), "--prune")
    assert done.code == 1
    assert "This takes things away from" in done.err
    assert "there is nobody to ask" in done.err


def test_bad_files_are_told_with_file_line_and_field_all_at_once(
    cli: Cli, fleet: Path, unchanged: None
) -> None:
    clusters = fleet / "clusters"
    edit(clusters / "qa-us-01.yaml", environment="qq", node_count="four")
    edit(clusters / "uat-eu-01.yaml", platform_components=["podinfo", {"id": "shpo"}])
    done = cli("apply", str(fleet))
    assert done.code == 1
    lines = [line.strip().removeprefix(f"{clusters}/") for line in done.err.splitlines()]
    assert lines[0] == f"error: {fleet} has 3 problems; nothing was changed:"
    assert lines[1].startswith("qa-us-01.yaml:4: environment: there is no environment 'qq'")
    assert lines[2] == "qa-us-01.yaml:9: node_count: must be a whole number, not 'four'"
    assert lines[3].startswith("uat-eu-01.yaml:")
    assert "platform_components[1].id: there is no component 'shpo'" in lines[3]
    text = (clusters / "uat-eu-01.yaml").read_text().splitlines()
    assert text[int(lines[3].split(":")[1]) - 1].strip() == "- id: shpo"


def test_what_is_wrong_with_the_folder_is_told_before_anything_is_sent(
    cli: Cli, fleet: Path, unchanged: None
) -> None:
    (fleet / "cluster").mkdir()
    (fleet / "cluster" / "x.yaml").write_text("id: x\n")
    (fleet / "stray.yaml").write_text("id: x\n")
    (fleet / "namespaces" / "a.yaml").write_text("id: b\n")
    (fleet / "namespaces" / "c.yaml").write_text("id: c\nid: c\n")
    (fleet / "namespaces" / "d.json").write_text("{}")
    (fleet / "namespaces" / "e.yaml").write_text("- e\n")
    (fleet / "namespaces" / "more").mkdir()
    (fleet / "namespaces" / "more" / "shop.yaml").write_text("id: shop\n")
    (fleet / "namespaces" / "README.md").write_text("Not an object.")
    done = cli("apply", str(fleet))
    assert done.code == 1
    problems = [line.strip().removeprefix(f"{fleet}/") for line in done.err.splitlines()[1:]]
    assert [problem.split(": ")[0] for problem in problems] == [
        "cluster:1",
        "namespaces/a.yaml:1",
        "namespaces/c.yaml:2",
        "namespaces/d.json:1",
        "namespaces/e.yaml:1",
        "namespaces/shop.yaml:1",
        "stray.yaml:1",
    ]
