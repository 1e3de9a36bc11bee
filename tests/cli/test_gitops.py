"""docs/gitops.md: its pipelines run as written, line by line, on a real server."""

import os
import subprocess
from pathlib import Path

import httpx
import yaml

from tests.docs.blocks import blocks_of

GITHUB, GITLAB = (
    yaml.load(text, yaml.BaseLoader)  # noqa: S506  (only texts; `on` stays a word)
    for text in blocks_of("gitops.md", "yaml")[1:]
)
OF_THE_PIPELINE = {
    "GITHUB_REPOSITORY": "team/fleet",
    "GITHUB_SHA": "abc",
    "CI_PROJECT_PATH": "team/fleet",
    "CI_COMMIT_SHORT_SHA": "abc",
}


def shell(line: str, environment: dict[str, str], folder: Path) -> str:
    """As the runners do: the first error ends it."""
    more = {**OF_THE_PIPELINE, "GITHUB_STEP_SUMMARY": str(folder / "summary.md")}
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", line],
        env={**environment, **more},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    return done.stdout


def edit(folder: Path, count: int) -> None:
    file = folder / "fleet" / "clusters" / "qa-us-01.yaml"
    lines = [line for line in file.read_text().splitlines() if "node_count" not in line]
    file.write_text("\n".join([*lines, f"node_count: {count}"]) + os.linesep)


def test_the_pipelines_run_as_written(
    on_path: dict[str, str], tmp_path: Path, api: httpx.Client, newest
) -> None:
    del on_path["FLUX_API_WRITE_TOKEN"]
    for line in blocks_of("gitops.md", "bash")[0].splitlines():
        if "export" in line:
            shell(line, on_path | {"FLUX_API_TOKEN": api.headers["authorization"][7:]}, tmp_path)
    [token] = blocks_of("gitops.md", "bash")[1].splitlines()
    secret = shell(token, on_path | {"FLUX_API_TOKEN": api.headers["authorization"][7:]}, tmp_path)
    on_path["FLUX_API_TOKEN"] = secret.strip()

    edit(tmp_path, 11)
    look, apply = (step["run"] for step in GITHUB["jobs"]["fleet"]["steps"] if "run" in step)
    assert "~ cluster qa-us-01 updated" in shell(look, on_path, tmp_path)
    assert "cluster qa-us-01" in (tmp_path / "summary.md").read_text()
    shell(apply, on_path, tmp_path)
    assert newest()["reason"] == "team/fleet abc"
    assert api.get("/clusters/qa-us-01").json()["node_count"] == 11

    edit(tmp_path, 12)
    for job in ("difference", "plan", "apply"):
        for line in GITLAB[job]["script"]:
            shell(line, on_path, tmp_path)
    assert api.get("/clusters/qa-us-01").json()["node_count"] == 12

    nightly = blocks_of("gitops.md", "bash")[2]
    shell(nightly, on_path, tmp_path)
    api.delete("/tokens/pipeline")


def test_a_plan_that_no_longer_fits_is_not_applied(
    on_path: dict[str, str], tmp_path: Path, api: httpx.Client
) -> None:
    shell("flux-fleet export fleet", on_path, tmp_path)
    (tmp_path / "fleet" / "rolebindings" / "auditors.yaml").write_text("id: auditors\nrole: edit\n")
    for line in GITLAB["plan"]["script"]:
        shell(line, on_path, tmp_path)
    (tmp_path / "fleet" / "rolebindings" / "auditors.yaml").write_text(
        "id: auditors\nrole: admin\n"
    )
    [apply] = GITLAB["apply"]["script"]
    shell(f"! {apply}", on_path, tmp_path)
    assert api.get("/rolebindings/auditors").json()["role"] == "view"
