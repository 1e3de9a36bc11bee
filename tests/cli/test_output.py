import json

import pytest
import yaml

from fleet_cli.tables import Column, fitting_widths
from tests.cli.conftest import Cli


def test_a_table_has_a_line_for_each(cli: Cli) -> None:
    done = cli("cluster", "list", "--label", "tier=edge").ok()
    head, *rows = done.lines
    assert head.split() == ["ID", "ENVIRONMENT", "STATE", "LABELS", "NODES", "DNS"]
    assert [row.split()[0] for row in rows] == [
        "edge-ams-01",
        "edge-blr-01",
        "edge-lab-01",
        "edge-nyc-01",
    ]


def test_wide_has_more_columns(cli: Cli) -> None:
    done = cli("cluster", "list", "--search", "edge-lab-01", "-o", "wide").ok()
    assert "debian-12" in done.out
    assert "store-gateway" in done.out


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120])
def test_tables_fit_the_terminal(cli: Cli, width: int) -> None:
    done = cli("profile", "list", "-o", "wide", COLUMNS=str(width)).ok()
    assert max(map(len, done.lines)) <= width


def test_json_is_what_the_server_answers(cli: Cli, api) -> None:
    done = cli("profile", "list", "-o", "json").ok()
    assert done.json == api.get("/profiles").json()


def test_yaml_says_the_same_as_json(cli: Cli) -> None:
    as_json = cli("cluster", "get", "prod-ap-01", "-o", "json").ok().json
    as_yaml = cli("cluster", "get", "prod-ap-01", "-o", "yaml").ok().out
    assert json.dumps(yaml.safe_load(as_yaml)) == json.dumps(as_json)


def test_names_are_for_pipes(cli: Cli) -> None:
    done = cli("component", "list", "--depends-on", "traefik", "-o", "name").ok()
    assert done.lines == ["podinfo", "shop", "store-gateway"]
    assert cli("component", "get", "podinfo", "-o", "name").ok().lines == ["podinfo"]


def test_a_table_of_one_object_leaves_out_what_is_empty(cli: Cli) -> None:
    short = cli("namespace", "get", "podinfo").ok().out
    assert "labels" in short
    assert "unset" not in cli("cluster", "get", "edge-nyc-01").ok().out
    assert "unset" in cli("cluster", "get", "edge-nyc-01", "-o", "wide").ok().out


def test_nothing_found_is_told_beside_the_output(cli: Cli) -> None:
    done = cli("cluster", "list", "--search", "no-such-thing").ok()
    assert (done.out, done.err) == ("", "Nothing found.\n")
    assert cli("cluster", "list", "--search", "no-such-thing", "-o", "json").ok().json == []


def test_text_from_the_server_is_no_markup(cli: Cli, cluster: str) -> None:
    """What rich would take for a style, or for a link, stays what it is."""
    cli(
        "component", "patch", "podinfo", "ui.message=[red]x[/red] :smile:", "--cluster", cluster
    ).ok()
    assert "[red]x[/red] :smile:" in cli("cluster", "get", cluster).ok().out


def column(title: str, *, flexible: bool = False) -> Column:
    return Column(title, lambda it: "", flexible=flexible)


def test_what_is_flexible_is_cut_first_and_then_left_out() -> None:
    columns = [column("ID"), column("LABELS", flexible=True), column("DNS", flexible=True)]
    assert fitting_widths(columns, [10, 30, 30], 100) == {0: 10, 1: 30, 2: 30}
    assert fitting_widths(columns, [10, 30, 30], 60) == {0: 10, 1: 30, 2: 14}
    assert fitting_widths(columns, [10, 30, 30], 30) == {0: 10, 1: 16}
    assert fitting_widths(columns, [10, 30, 30], 10) == {0: 10}
