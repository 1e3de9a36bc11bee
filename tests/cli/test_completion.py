"""Tab, as the shells ask for it: with ids from the server."""

import subprocess

import pytest

from tests.cli.conftest import Cli, as_process
from tests.processes import free_port

WORDS = "flux-fleet cluster get edge-"
EDGE = ["edge-ams-01", "edge-blr-01", "edge-lab-01", "edge-nyc-01"]
SHELLS = {
    "bash": {
        "_FLUX_FLEET_COMPLETE": "complete_bash",
        "COMP_WORDS": WORDS,
        "COMP_CWORD": "3",
    },
    "zsh": {"_FLUX_FLEET_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": WORDS},
    "fish": {
        "_FLUX_FLEET_COMPLETE": "complete_fish",
        "_TYPER_COMPLETE_ARGS": WORDS,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    },
}


@pytest.mark.parametrize("shell", SHELLS)
def test_ids_come_from_the_server(variables: dict[str, str], shell: str) -> None:
    done = as_process((), {**variables, **SHELLS[shell]}).ok()
    assert [name for name in EDGE if name in done.out] == EDGE
    assert "prod-eu-01" not in done.out


def test_a_server_that_is_away_completes_nothing_and_says_nothing(process: Cli) -> None:
    away = {"FLUX_API_URL": f"http://127.0.0.1:{free_port()}"}
    done = process(**away, **SHELLS["bash"])
    assert (done.out.strip(), done.err) == ("", "")


def test_in_a_real_bash(on_path: dict[str, str]) -> None:
    script = """
        source <(flux-fleet --show-completion)
        COMP_WORDS=(flux-fleet component get tr) COMP_CWORD=3
        _flux_fleet_completion flux-fleet
        echo "${COMPREPLY[@]}"
    """
    done = subprocess.run(
        ["bash", "-c", script], env=on_path, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.split() == ["traefik"], done.stderr
