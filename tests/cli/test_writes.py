"""What is wide is shown and asked about; without a person to ask, it is refused."""

import json
import re
import sys

import httpx
import pexpect
import pytest

from config.environment import BASE_DIR
from tests.cli.conftest import Cli
from tests.processes import environment_with

WIDE = ("component", "patch", "traefik", "deployment.replicas=7", "--environment", "dev")


def replicas(api: httpx.Client, cluster: str = "dev-eu-01") -> str | None:
    patches = api.get(f"/clusters/{cluster}").json()["patches"]
    return patches.get("traefik", {}).get("deployment.replicas")


@pytest.fixture
def put_back(cli: Cli):
    yield
    cli("component", "unpatch", "traefik", "deployment.replicas", "--environment", "dev", "--yes")


def at_a_terminal(variables: dict[str, str], answer: str, *arguments: str) -> tuple[int, str]:
    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "fleet_cli", *arguments],
        env=environment_with({**variables, "TERM": "xterm-256color"}),
        cwd=str(BASE_DIR),
        encoding="utf-8",
        timeout=60,
        dimensions=(40, 120),
    )
    terminal.expect(r"Change \d+ clusters\?")
    seen = terminal.before or ""
    terminal.sendline(answer)
    terminal.expect(pexpect.EOF)
    seen += terminal.before or ""
    terminal.close()
    return terminal.exitstatus or 0, seen


def test_a_dry_run_shows_the_plan_and_changes_nothing(cli: Cli, unchanged: None) -> None:
    done = cli(*WIDE, "--dry-run").ok()
    assert "2 clusters (demo-cluster-01, dev-eu-01):" in done.lines
    assert "  ~ platform-components traefik" in done.lines
    assert "      values.deployment.replicas: 1 → 7" in done.lines
    assert done.err == "This was a dry run: nothing was changed.\n"


def test_a_dry_run_can_be_read_by_programs(cli: Cli, unchanged: None) -> None:
    plan = cli(*WIDE, "--dry-run", "-o", "json").ok().json
    assert plan["totals"]["clusters"] == 2
    assert cli(*WIDE, "--dry-run", "-o", "yaml").ok().out.startswith("digest: ")
    assert cli(*WIDE, "--dry-run", "-o", "name").ok().lines == ["demo-cluster-01", "dev-eu-01"]


def test_without_a_terminal_a_wide_change_is_refused(process: Cli, unchanged: None) -> None:
    done = process(*WIDE)
    assert done.code == 1
    assert "values.deployment.replicas: 1 → 7" in done.err
    assert "This changes 2 clusters, and there is nobody to ask; nothing was changed." in done.err
    assert re.search("give --confirm [0-9a-f]{32} ", done.err)


def test_yes_goes_ahead_with_a_reason(cli: Cli, api: httpx.Client, newest, put_back) -> None:
    done = cli(*WIDE, "--yes", "--reason", "mehr Verkehr – 50 %").ok()
    assert replicas(api) == "7"
    assert newest()["reason"] == "mehr Verkehr – 50 %"
    assert done.out == f"traefik patched on 3 clusters, revision {newest()['number']}.\n"


def test_a_confirmed_plan_goes_ahead(cli: Cli, api: httpx.Client, put_back) -> None:
    digest = cli(*WIDE, "--dry-run", "-o", "json").ok().json["digest"]
    cli(*WIDE, "--confirm", digest).ok()
    assert replicas(api) == "7"


@pytest.mark.parametrize("digest", ["0" * 32, ""])
def test_another_plan_than_the_confirmed_one_is_refused(
    cli: Cli, digest: str, unchanged: None
) -> None:
    done = cli(*WIDE, "--confirm", digest)
    assert done.code == 1
    assert "This is not the plan that you confirmed; nothing was changed." in done.err


def test_at_a_terminal_no_changes_nothing(variables: dict[str, str], unchanged: None) -> None:
    code, seen = at_a_terminal(variables, "n", *WIDE)
    assert code == 1
    assert "Nothing was changed." in seen


def test_at_a_terminal_the_plan_is_coloured_and_yes_applies(
    variables: dict[str, str], api: httpx.Client, put_back
) -> None:
    code, seen = at_a_terminal(variables, "y", *WIDE)
    assert code == 0
    assert "\x1b[31m1" in seen
    assert "\x1b[32m7" in seen
    assert replicas(api) == "7"


def test_one_cluster_is_not_asked_about(process: Cli, api: httpx.Client, cluster: str) -> None:
    process("component", "patch", "traefik", "deployment.replicas=7", "--cluster", cluster).ok()
    assert replicas(api, cluster) == "7"


def test_to_take_away_is_asked_about_also_for_one(process: Cli, cluster: str) -> None:
    done = process("cluster", "delete", cluster)
    assert done.code == 1
    assert "there is nobody to ask" in done.err


def test_a_wide_removal_goes_through_the_guard(cli: Cli, api: httpx.Client, newest) -> None:
    """The server wants a confirmation here; the program has shown the plan and gives it."""
    taken = cli("component", "unassign", "traefik", "--profile", "all-clusters", "--yes").ok()
    assert "traefik taken from all-clusters" in taken.out
    cli("revision", "revert", str(newest()["number"]), "--yes").ok()
    ids = [item["id"] for item in api.get("/profiles/all-clusters").json()["platform_components"]]
    assert ids == ["cert-manager", "traefik"]


def test_a_selector_that_matches_nothing_is_refused(cli: Cli, unchanged: None) -> None:
    for act in (
        ("component", "patch", "podinfo", "x=1"),
        ("component", "assign", "podinfo"),
        ("cluster", "freeze"),
    ):
        done = cli(*act, "--label", "no=such")
        assert done.code == 1
        assert "No cluster matches label no:such." in done.err


def test_an_empty_selector_selects_nothing(cli: Cli, unchanged: None) -> None:
    """`--environment $TIER`, when TIER is not set, must not mean every cluster."""
    done = cli("component", "patch", "podinfo", "x=1", "--environment", "", "--label", "tier=core")
    assert done.code == 1
    assert "environment" in done.err


def test_names_and_selectors_do_not_mix(cli: Cli, unchanged: None) -> None:
    done = cli("cluster", "freeze", "dev-eu-01", "--environment", "prod")
    assert done.code == 2
    assert "one of the three" in done.err


def test_the_answer_to_a_change_can_be_read_by_programs(cli: Cli, cluster: str) -> None:
    patch = ("component", "patch", "podinfo", "x=1", "--cluster", cluster)
    assert json.loads(cli(*patch, "-o", "json").ok().out)["patches"] == {"podinfo": {"x": "1"}}
    assert cli(*patch, "-o", "name").ok().lines == [cluster]


def test_a_long_plan_is_shortened_unless_all_of_it_is_wanted(cli: Cli, unchanged: None) -> None:
    delete = ("cluster", "delete", "uat-eu-01", "--dry-run")
    short, whole = cli(*delete).ok(), cli(*delete, "-o", "wide").ok()
    assert "  … and 7 more" in short.lines
    assert "  - rolebindings shop-deployer" not in short.lines
    assert "  - rolebindings shop-deployer" in whole.lines
