"""`make cli-demo`: the story of the command line, told in a terminal on a server of its own."""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from tests.processes import Server, environment_with, own_place, running

STORY: tuple[tuple[str, str], ...] = (
    ("The fleet at a glance", "flux-fleet status"),
    ("Which clusters run podinfo?", "flux-fleet cluster list --component podinfo"),
    (
        "Three replicas on all dev clusters: what would that do?",
        "flux-fleet component patch podinfo replicaCount=3 --environment dev --dry-run",
    ),
    (
        "Do it, and say why",
        "flux-fleet component patch podinfo replicaCount=3 --environment dev --yes "
        "--reason 'more traffic'",
    ),
    (
        "Where does each value come from?",
        "flux-fleet cluster effective demo-cluster-01 | grep -E 'podinfo$|values' | tail -6",
    ),
    (
        "Something is in the way of a slip of the hand",
        "flux-fleet cluster delete --all < /dev/null",
    ),
    (
        "A new cluster, with a token of its own",
        "flux-fleet cluster create dev-ap-01 --dns dev-ap-01.k8s.example.com --environment dev "
        "--label tier=core",
    ),
    ("", "flux-fleet token create dev-ap-01 --kind cluster --cluster dev-ap-01 -o yaml | grep id:"),
    ("Nobody touches production before the weekend", "flux-fleet cluster freeze prod-eu-01"),
    ("The fleet as files", "flux-fleet export fleet && ls fleet && cat fleet/profiles/canary.yaml"),
    (
        "An edit in a file, as in a merge request",
        "sed -i 's/v1.18.2/v1.19.0/' fleet/profiles/canary.yaml && flux-fleet diff fleet",
    ),
    ("Merged", "flux-fleet apply fleet --yes --reason 'merge request 42'"),
    ("Who did what, and why?", "flux-fleet revision list --limit 5"),
    ("And back", "flux-fleet revision revert $(flux-fleet revision list --limit 1 -o name) --yes"),
    ("", "flux-fleet cluster diff qa-eu-01 --from 2 && echo 'As it was.'"),
)
REFUSED, DIFFERENT = 1, 5


def expected(line: str) -> int:
    if "< /dev/null" in line:
        return REFUSED
    return DIFFERENT if line.endswith("diff fleet") else 0


def main() -> int:
    out = Console(highlight=False)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with own_place(folder) as place, running(place) as server:
            out.print(f"A server of our own, with the demo fleet: {server.base_url}")
            return tell(out, server, folder)


def tell(out: Console, server: Server, folder: Path) -> int:
    environment = shell_of(server, folder)
    for title, line in STORY:
        if title:
            out.rule(f"[bold]{title}")
        out.print(f"[bold green]$[/] {line}", soft_wrap=True)
        shell = ("bash", "-o", "pipefail", "-c", line)
        done = subprocess.run(shell, env=environment, cwd=folder, check=False)
        if done.returncode != expected(line):
            out.print(f"[red]This ended with {done.returncode}, which was not the story.")
            return 1
    out.rule("[bold]More: docs/cli.md and docs/gitops.md")
    return 0


def shell_of(server: Server, folder: Path) -> dict[str, str]:
    program = folder / "flux-fleet"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m fleet_cli "$@"\n')
    program.chmod(0o755)
    given = {
        "FLUX_API_URL": server.base_url,
        "FLUX_API_TOKEN": server.read_token,
        "FLUX_API_WRITE_TOKEN": server.write_token,
        "FLUX_FLEET_CONFIG": str(folder / "config.yaml"),
        "PYTHONPATH": os.getcwd(),
        "PATH": f"{folder}:{os.environ['PATH']}",
    }
    kept = {name: os.environ[name] for name in ("TERM", "COLUMNS") if name in os.environ}
    return environment_with({**kept, **given})


if __name__ == "__main__":
    sys.exit(main())
