"""What scripts rely on; each from the real process, which never shows a traceback."""

import httpx
import pytest

from tests.cli.conftest import Cli
from tests.processes import free_port


def test_0_is_done(process: Cli) -> None:
    done = process("environment", "list", "-o", "name")
    assert (done.code, done.err) == (0, "")
    assert {"dev", "prod", "qa", "uat"} <= set(done.lines)


def test_1_is_refused_by_the_server(process: Cli, unchanged: None) -> None:
    done = process("component", "delete", "traefik", "--yes")
    assert done.code == 1
    assert done.out == ""
    assert done.err.startswith("error: traefik is still in use: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cluster", "lst"), "No such command 'lst'."),
        (("cluster", "list", "--enviroment", "prod"), "No such option: --enviroment"),
        (("cluster", "get"), "Missing argument 'CLUSTER'."),
        (("cluster", "get", ""), "An id is empty."),
        (("cluster", "list", "-o", "xml"), "Invalid value for '--output' / '-o'"),
        (("cluster", "freeze"), "Which clusters? Name them, or give a selector or --all."),
        (("component", "patch", "podinfo", "--all"), "Nothing to set was given."),
        (("component", "patch", "podinfo", "x"), "a value 'x' must be KEY=VALUE."),
        (
            ("component", "patch", "podinfo", "x=1", "--json", "y={", "--all"),
            "--json y: '{' is not",
        ),
        (("namespace", "create", "n", "--label", "x"), "--label 'x' must be KEY=VALUE."),
        (("namespace", "update", "podinfo"), "Nothing to change was given."),
        (("rolebinding", "create", "r", "--subject", "x"), "--subject 'x' must be Group:NAME"),
        (("apply", "/nowhere"), "/nowhere is not a folder."),
        (("context", "use", "nowhere"), "There is no context 'nowhere'"),
        (("--context", "", "status"), "There is no context ''"),
        (("--api-url", "fleet", "status"), "'fleet' is not an address"),
    ],
)
def test_2_is_wrong_usage(cli: Cli, arguments: tuple[str, ...], message: str) -> None:
    done = cli(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith(f"error: {message}")


def test_2_is_a_group_without_a_command_which_shows_its_help(process: Cli) -> None:
    done = process("cluster")
    assert (done.code, done.err) == (2, "")
    assert "Usage: flux-fleet cluster" in done.out


def test_3_is_a_server_that_is_not_there(process: Cli) -> None:
    done = process("status", FLUX_API_URL=f"http://127.0.0.1:{free_port()}")
    assert done.code == 3
    assert "cannot be reached" in done.err
    assert "Check FLUX_API_URL" in done.err


def test_3_is_also_something_else_than_flux_fleet(cli: Cli, variables: dict[str, str]) -> None:
    done = cli("status", FLUX_API_URL=f"{variables['FLUX_API_URL']}/admin")
    assert done.code == 3


@pytest.mark.parametrize("token", ["", "wrong"])
def test_4_is_a_token_that_does_not_count(cli: Cli, token: str) -> None:
    done = cli("cluster", "list", FLUX_API_TOKEN=token, FLUX_API_WRITE_TOKEN=token)
    assert done.code == 4
    assert "flux-fleet login URL" in done.err


def test_4_is_a_token_that_may_not(
    process: Cli, variables: dict[str, str], unchanged: None
) -> None:
    read_only = {"FLUX_API_WRITE_TOKEN": variables["FLUX_API_TOKEN"]}
    done = process("namespace", "create", "never", **read_only)
    assert done.code == 4
    assert "A token that may do this is needed." in done.err


def test_5_is_differences(process: Cli, api: httpx.Client, cluster: str) -> None:
    number = api.patch(f"/clusters/{cluster}", json={"patches": {"podinfo": {"x": "1"}}}).headers[
        "X-Fleet-Revision"
    ]
    before = str(int(number) - 1)
    assert process("cluster", "diff", cluster, "--from", before).code == 5
    assert process("cluster", "diff", cluster, "--from", number).code == 0
