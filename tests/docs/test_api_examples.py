"""Runs every example of docs/api.md, as written and in order, against a real server."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.urls import resolve

from config.environment import BASE_DIR
from fleet.api.urls import urlpatterns
from fleet.api.views import FleetView
from tests.processes import Server

BLOCK = re.compile(r"```(bash|json)\n(.*?)```", re.DOTALL)
SHORT_HAND = re.compile(r"^\w+\(\) \{.*\}\n", re.MULTILINE)
ANYTHING = "…"


def examples() -> list[tuple[str, str | None]]:
    """Each command with the answer shown right after it, if there is one."""
    text = (BASE_DIR / "docs" / "api.md").read_text()
    found: list[tuple[str, str | None]] = []
    for kind, body in BLOCK.findall(text):
        if kind == "bash":
            found.append((body, None))
        else:
            command, answer = found.pop()
            assert answer is None, f"two answers to one command: {command}"
            found.append((command, body))
    return found


def shows(expected: Any, actual: Any) -> bool:
    """Fields may be left out of what is shown, and `…` stands for anything."""
    if expected == ANYTHING:
        return True
    if isinstance(expected, dict) and expected:
        return isinstance(actual, dict) and all(
            name in actual and shows(value, actual[name]) for name, value in expected.items()
        )
    if isinstance(expected, list) and isinstance(actual, list):
        return len(expected) == len(actual) and all(map(shows, expected, actual))
    return json.dumps(expected) == json.dumps(actual)


@pytest.mark.parametrize(
    ("expected", "actual", "shown"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1}, {"a": 2}, False),
        ({"a": 1}, {"b": 1}, False),
        ({}, {"a": 1}, False),
        ([{"a": 1}], [{"a": 1}, {"a": 2}], False),
        ({"a": 1}, {"a": True}, False),
        (ANYTHING, {"a": 1}, True),
    ],
)
def test_what_counts_as_shown(expected, actual, shown):
    assert shows(expected, actual) is shown


def test_every_act_has_an_example():
    calls = re.findall(r'"\$API(/[^"?]*)', "".join(command for command, _ in examples()))
    shown = {resolve(re.sub(r"\$\(.*?\)", "1", call)).url_name for call in calls}
    views: dict[Any, Any] = {
        pattern.name: getattr(pattern.callback, "view_class", None) for pattern in urlpatterns
    }
    sections = {name for name, view in views.items() if hasattr(view, "section")}
    acts = {name for name, view in views.items() if issubclass(view, FleetView)} - sections
    assert len(acts) >= 10
    assert acts - shown == set()


@pytest.mark.slow
def test_every_example_runs_as_written(server, tmp_path):
    running: Server = server()
    short_hands = "".join(SHORT_HAND.findall(examples()[0][0]))
    environment = {**os.environ, "API": running.base_url, "TOKEN": running.write_token}
    for command, answer in examples():
        output = run(short_hands + command, environment, tmp_path)
        if answer is not None:
            last = json.loads(output.splitlines()[-1])
            assert shows(json.loads(answer), last), f"{command}\nshows {answer}\nbut is {last}"


def run(command: str, environment: dict[str, str], folder: Path) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    return done.stdout
