"""Which server and which token: never those of one server at another."""

import stat
import sys
from pathlib import Path

import pexpect
import pytest

from config.environment import BASE_DIR
from fleet_cli.contexts import Connection, choose, load, save
from fleet_cli.errors import WrongUsage
from tests.cli.conftest import Cli, as_process
from tests.processes import environment_with

NOTHING_SET = {"FLUX_API_URL": "", "FLUX_API_TOKEN": "", "FLUX_API_WRITE_TOKEN": ""}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "folder" / "config.yaml"
    monkeypatch.setenv("FLUX_FLEET_CONFIG", str(file))
    return file


@pytest.fixture
def saved(file: Path) -> Path:
    configuration = load()
    configuration.contexts = {
        "a": Connection("https://a.example.com", "read-a", "write-a"),
        "b": Connection("https://b.example.com", "both-b"),
    }
    configuration.current = "a"
    save(configuration)
    return file


def test_only_the_owner_can_read_the_file(saved: Path) -> None:
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600


def test_without_anything_it_is_this_machine(file: Path) -> None:
    assert choose(Connection(""), None) == Connection("http://127.0.0.1:8080")


def test_the_current_context_is_used(saved: Path) -> None:
    assert choose(Connection(""), None).api_url == "https://a.example.com"


def test_the_environment_wins_over_the_current_context(saved: Path) -> None:
    given = Connection("https://c.example.com", "c")
    assert choose(given, None) == given


def test_a_named_context_wins_over_the_environment(saved: Path) -> None:
    given = Connection("https://c.example.com", "c", "c")
    assert choose(given, "b") == Connection("https://b.example.com", "both-b")


@pytest.mark.parametrize(
    "given", [Connection("https://c.example.com"), Connection("", "c"), Connection("", "", "c")]
)
def test_tokens_of_a_context_go_nowhere_else(saved: Path, given: Connection) -> None:
    chosen = choose(given, None)
    assert "a.example.com" not in chosen.api_url
    assert {chosen.api_token, chosen.write_token} <= {"", "c"}


def test_one_token_is_for_both_unless_there_are_two() -> None:
    assert (Connection("", "r", "w").reading, Connection("", "r", "w").writing) == ("r", "w")
    assert (Connection("", "r").writing, Connection("", "", "w").reading) == ("r", "w")


@pytest.mark.parametrize("text", ["{", "[]", "contexts: 3", "contexts: {a: {x: 1}}"])
def test_a_file_that_is_wrong_is_told(file: Path, text: str) -> None:
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(WrongUsage, match="is not a configuration"):
        load()


def test_login_keeps_a_context_that_works(process: Cli, variables: dict[str, str]) -> None:
    url, read, write = (variables[name] for name in list(variables)[:3])
    done = process("login", url, "--name", "here", "--token-stdin", stdin=f"{read}\n{write}\n")
    assert "this is context here from now on" in done.ok().out
    without = {**variables, **NOTHING_SET}
    assert as_process(("environment", "list"), without).ok().out
    listed = as_process(("context", "list", "-o", "json"), without).ok()
    assert listed.json == [
        {"name": "here", "api_url": url, "current": True, "own_write_token": True}
    ]
    assert read not in listed.out + done.out + done.err
    as_process(("context", "use", "here"), without).ok()
    as_process(("context", "delete", "here"), without).ok()
    assert "There are none yet" in as_process(("context", "list"), without).ok().err


def test_login_asks_without_showing_the_token(variables: dict[str, str]) -> None:
    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "fleet_cli", "login", variables["FLUX_API_URL"]],
        env=environment_with({"FLUX_FLEET_CONFIG": variables["FLUX_FLEET_CONFIG"]}),
        cwd=str(BASE_DIR),
        encoding="utf-8",
        timeout=60,
    )
    seen = ""
    for answer in (variables["FLUX_API_TOKEN"], variables["FLUX_API_WRITE_TOKEN"]):
        terminal.expect("Token.*: ")
        seen += f"{terminal.before}{terminal.after}"
        terminal.sendline(answer)
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0, terminal.before
    assert variables["FLUX_API_TOKEN"] not in f"{seen}{terminal.before}"


def test_login_with_a_wrong_token_keeps_nothing(cli: Cli, variables: dict[str, str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", __import__("io").StringIO("wrong\n"))
        done = cli("login", variables["FLUX_API_URL"], "--token-stdin")
    assert done.code == 4
    assert not Path(variables["FLUX_FLEET_CONFIG"]).exists()
