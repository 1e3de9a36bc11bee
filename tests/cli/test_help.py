"""Every command tells what it is for, with an example; and docs/cli.md is what the program says."""

import pytest

from config.environment import BASE_DIR
from fleet_cli.main import run
from fleet_cli.reference import text
from tests.cli.commands import COMMANDS


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_has_help_and_an_example(
    path: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    assert run([*path, "--help"]) == 0
    shown = capsys.readouterr().out
    command = COMMANDS[path]
    assert command.callback.examples
    for example in command.callback.examples:
        assert example.startswith(f"flux-fleet {' '.join(path)}")
        assert example in shown
    assert command.help
    for parameter in command.params:
        assert parameter.param_type_name == "argument" or parameter.help


def test_the_commands_that_people_expect_are_there() -> None:
    expected = {
        "cluster": "list get create update delete freeze unfreeze restore effective diff revisions",
        "component": "list get create update assign unassign patch unpatch delete usage",
        "namespace": "list get create update delete assign unassign",
        "rolebinding": "list get create update delete assign unassign",
        "profile": "list get create update delete",
        "environment": "list get create update delete",
        "token": "list get create rotate delete",
        "revision": "list show revert",
        "context": "list use delete",
        "demo": "add-namespace patch-component flux-namespaces",
    }
    paths = {(group, name) for group, names in expected.items() for name in names.split()}
    single = {("status",), ("login",), ("export",), ("diff",), ("apply",), ("import",)}
    assert paths | single | {("cluster", "import")} <= COMMANDS.keys()


def test_the_reference_is_current() -> None:
    written = (BASE_DIR / "docs" / "cli.md").read_text(encoding="utf-8")
    assert written == text().rstrip("\n") + "\n", "write it anew with: make docs"
