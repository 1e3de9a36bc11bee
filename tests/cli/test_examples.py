"""Every example that --help shows, run as written at a terminal, on the demo fleet."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pexpect
import pytest

from tests.cli.commands import COMMANDS
from tests.cli.conftest import as_process
from tests.processes import Server, own_place, running

QUESTION = r"Change \d+ clusters?\?"
FILES = {
    "wave.yaml": "weight: 95\nplatform_components: [{id: podinfo, component_version: 6.9.0}]\n",
    "mailer.yaml": (
        "component_path: mailer\ncomponent_version: 2.0.0\n"
        "oci_url: oci://registry.example.com/charts\nvalues:\n  smtp: {port: 587}\n"
    ),
    "seed.json": '{"namespaces": [{"id": "seeded"}]}',
    "clusters.csv": "id,cluster_dns,environment\nap-01,ap-01.k8s.example.com,dev\n",
}
EXAMPLES = [example for command in COMMANDS.values() for example in command.callback.examples]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Server]:
    """Of its own: the examples build on one another, and on nothing else."""
    with own_place(tmp_path / "examples") as place, running(place) as server:
        yield server


def test_every_example_runs_as_written(
    on_path: dict[str, str], variables: dict[str, str], tmp_path: Path
) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "token.txt").write_text(variables["FLUX_API_WRITE_TOKEN"])
    # What `revision revert 3` takes back, and who waits to be approved.
    as_process(("namespace", "create", "third"), variables).ok()
    enrol(variables, "new-01")
    failed = {}
    for example in EXAMPLES:
        code, seen = at_a_terminal(example, on_path, tmp_path)
        if code != 0:
            failed[example] = seen
    assert failed == {}


def enrol(variables: dict[str, str], name: str) -> None:
    arguments = "token create first --kind enrolment --environment dev --needs-approval"
    [secret] = as_process(tuple(arguments.split()), variables).ok().lines
    answer = httpx.post(
        f"{variables['FLUX_API_URL']}/enroll",
        json={"cluster_name": name, "cluster_dns": f"{name}.example.com"},
        headers={"Authorization": f"Bearer {secret}"},
        timeout=60,
    )
    assert answer.is_success, answer.text


def at_a_terminal(example: str, environment: dict[str, str], folder: Path) -> tuple[int, str]:
    """As a person would: says yes, and knows the token."""
    terminal = pexpect.spawn(
        "bash",
        ["-c", example],
        env={**environment, "TERM": "xterm"},
        cwd=str(folder),
        encoding="utf-8",
        timeout=120,
        dimensions=(50, 160),
    )
    seen = ""
    while True:
        found = terminal.expect([pexpect.EOF, QUESTION, r"Token.*: "])
        seen += terminal.before or ""
        if found == 0:
            break
        terminal.sendline("y" if found == 1 else environment["FLUX_API_WRITE_TOKEN"])
    terminal.close()
    return terminal.exitstatus or 0, seen
