"""A guided tour: a real cluster follows the demo fleet. `make demo` runs it."""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from config.environment import BASE_DIR
from tests.e2e.bootstrap import connect
from tests.e2e.cluster import Cluster, running_cluster
from tests.e2e.control_plane import etcd
from tests.e2e.daemons import end_as_with_ctrl_c
from tests.e2e.fleet import Fleet
from tests.e2e.following import follows
from tests.e2e.planes import both_planes
from tests.e2e.programs.found import find_programs
from tests.e2e.programs.go import GoError
from tests.planes.postgres import new_postgres

SEED = BASE_DIR / "fleet" / "demo" / "fleet.json"
CLUSTER = "demo-cluster-01"
RELEASES = (
    *("get", "helmreleases", "--namespace=flux-fleet"),
    "--output=custom-columns=NAME:.metadata.name,VERSION:.spec.chart.spec.version,VALUES:.spec.values",
)


@dataclass(frozen=True)
class Tour:
    fleet: Fleet
    cluster: Cluster
    console: Console = field(default_factory=lambda: Console(highlight=False, soft_wrap=True))

    def step(self, title: str, explanation: str) -> None:
        self.console.print(f"\n[bold green]{title}[/]\n{explanation}\n")

    def change(self, method: str, path: str, body: Any = None) -> int:
        shown = f" {json.dumps(body)}" if body else ""
        self.console.print(f"[bold cyan]{method} {path}[/]{shown}", markup=True)
        return self.fleet.change(method, path, body)

    def plan(self, method: str, path: str, body: Any) -> None:
        """What would happen, in a line for each field."""
        self.console.print(f"[bold cyan]{method} {path}?dry_run=true[/] {json.dumps(body)}")
        plan = self.fleet.call(method, f"{path}?dry_run=true", body)
        for group in plan["groups"]:
            self.console.print(f"  on {group['count']} clusters: {', '.join(group['clusters'])}")
            for change in group["changes"]:
                for each in change["fields"]:
                    self.console.print(
                        f"    {change['id']}: {each['field']} {each['old']} → {each['new']}"
                    )

    def let_flux_act(self) -> None:
        """It asks every minute; nobody wants to wait for that here."""
        follows(self.cluster, self.fleet)

    def kubectl(self, *arguments: str) -> None:
        self.console.print(f"[bold cyan]kubectl {' '.join(arguments)}[/]")
        self.console.print(self.cluster.kubectl.run(*arguments) or "(nothing)", markup=False)

    def pause(self) -> None:
        if sys.stdin.isatty() and os.environ.get("DEMO_PAUSE") != "0":
            self.console.input("[dim]Enter goes on, Ctrl-C ends.[/] ")


def look(tour: Tour) -> None:
    tour.step(
        "1. Look",
        "A new cluster has applied one file, its bootstrap. Its Flux Operator has asked Flux Fleet "
        "what to run,\nand made it so: components from three layers, namespaces, role bindings.",
    )
    tour.kubectl("get", "resourcesetinputproviders,resourcesets", "--namespace=flux-fleet")
    tour.kubectl(*RELEASES)
    tour.kubectl("get", "namespaces", "--selector=resourceset.fluxcd.controlplane.io/name")


def change_a_value(tour: Tour) -> None:
    tour.step("2. Change a value", "More replicas of podinfo, on this cluster alone.")
    tour.change("PATCH", f"/clusters/{CLUSTER}", {"patches": {"podinfo": {"replicaCount": "5"}}})
    tour.let_flux_act()
    tour.kubectl(*RELEASES)


def roll_out_and_revert(tour: Tour) -> None:
    change = ("PATCH", "/platform_components/podinfo", {"component_version": "6.9.1"})
    tour.step("3. See it before it happens", "A new version in the catalog: whom would it reach?")
    tour.plan(*change)
    tour.pause()
    tour.step("4. Roll it out", "Every cluster of the plan gets it with its next poll.")
    number = tour.change(*change)
    tour.let_flux_act()
    tour.kubectl(*RELEASES)
    tour.pause()
    tour.step("5. Take it back", f"Every change is a revision. That was number {number}.")
    tour.change("POST", f"/revisions/{number}/revert")
    tour.let_flux_act()
    tour.kubectl(*RELEASES)


def decommission(tour: Tour) -> None:
    tour.step(
        "6. Decommission",
        "The cluster now gets empty lists, because somebody asked for it: Flux cleans up. "
        "On an error it would\nhave kept everything.",
    )
    tour.change("DELETE", f"/clusters/{CLUSTER}")
    tour.let_flux_act()
    tour.kubectl(*RELEASES)
    tour.kubectl("get", "namespaces")


STEPS: tuple[Callable[[Tour], None], ...] = (
    look,
    change_a_value,
    roll_out_and_revert,
    decommission,
)


@contextmanager
def everything_running() -> Iterator[Tour]:
    programs = find_programs()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="flux-fleet-demo-")))
        postgres = stack.enter_context(new_postgres())
        server, _ = stack.enter_context(both_planes(postgres, SEED))
        etcd_url = stack.enter_context(etcd(programs, folder))
        cluster = stack.enter_context(running_cluster(CLUSTER, programs, etcd_url, folder))
        fleet = Fleet(server)
        connect(cluster, fleet)
        follows(cluster, fleet)
        yield Tour(fleet, cluster)


def main() -> None:
    end_as_with_ctrl_c()
    print("Starting PostgreSQL, Flux Fleet, a Kubernetes API and Flux Operator …", flush=True)
    with everything_running() as tour:
        for step in STEPS:
            step(tour)
            tour.pause()


if __name__ == "__main__":
    try:
        main()
    except GoError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
