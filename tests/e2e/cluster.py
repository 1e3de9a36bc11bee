"""A cluster with a Flux Operator of its own."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.control_plane import Programs, api_server, controller_manager, flux_operator
from tests.e2e.kubectl import Kubectl
from tests.e2e.programs.crds import find_crds
from tests.e2e.waiting import eventually

PROVIDERS = "resourcesetinputproviders.fluxcd.controlplane.io"
SETS = "resourcesets.fluxcd.controlplane.io"
REQUESTED_AT = "reconcile.fluxcd.io/requestedAt"
NAMESPACE = "{apiVersion: v1, kind: Namespace, metadata: {name: flux-system}}"
# Flux Operator sets it on all that a ResourceSet makes.
OWNED = "resourceset.fluxcd.controlplane.io/name"


@dataclass(frozen=True)
class Cluster:
    id: str
    kubectl: Kubectl

    @property
    def dns(self) -> str:
        return f"{self.id}.k8s.example.com"

    def poll(self, *, applied: bool = True) -> None:
        """Every provider asks now, and every ResourceSet is applied after that."""
        for kind in (PROVIDERS, SETS):
            now = str(time.time_ns())
            self.kubectl.run(
                *("annotate", kind, "--all", "--all-namespaces", "--overwrite"),
                f"{REQUESTED_AT}={now}",
            )
            eventually(lambda kind=kind: self.handled(kind), {now})  # type: ignore[misc]
        # One that is new says that it has handled a request while it is still about to ask.
        eventually(lambda: "Unknown" in self.ready().values(), False)
        if applied:
            # One that waits for another has handled the request, but not applied anything yet.
            eventually(lambda: set(self.ready(SETS).values()), {"True"})

    def handled(self, kind: str) -> set[str]:
        return {
            item.get("status", {}).get("lastHandledReconcileAt", "")
            for item in self.kubectl.items(kind)
        }

    def ready(self, kind: str = PROVIDERS) -> dict[str, str]:
        """True, False or Unknown, for each."""
        return {
            item["metadata"]["name"]: condition["status"]
            for item in self.kubectl.items(kind)
            for condition in item["status"]["conditions"]
            if condition["type"] == "Ready"
        }


@contextmanager
def running_cluster(name: str, programs: Programs, etcd_url: str, logs: Path) -> Iterator[Cluster]:
    folder = logs / name
    folder.mkdir()
    with (
        api_server(programs, etcd_url, name, folder) as config,
        controller_manager(programs, config, folder),
    ):
        kubectl = Kubectl(programs["kubectl"], config)
        install_flux(kubectl)
        with flux_operator(programs, config, folder):
            yield Cluster(name, kubectl)


def install_flux(kubectl: Kubectl) -> None:
    """What it needs of a cluster: a namespace, and the resources that it and its siblings own."""
    kubectl.apply(NAMESPACE)
    crds: list[Any] = [part for folder in find_crds() for part in ("--filename", folder)]
    kubectl.run("apply", "--server-side", *crds)
    kubectl.run("wait", "crd", "--all", "--for=condition=Established", "--timeout=60s")
