"""What is built from which module. The versions of all that goes in are in go.mod and go.sum."""

import hashlib
import os
import platform
from dataclasses import dataclass
from pathlib import Path

MODULES = Path(__file__).parent / "modules"
FLUX_OPERATOR = "github.com/controlplaneio-fluxcd/flux-operator"
FLUX_VERSION = "v0.58.0"


@dataclass(frozen=True)
class Recipe:
    """Programs built together, with a go.mod of our own; `packages` by the programs' names."""

    name: str
    folder: str
    version: str
    packages: dict[str, str]
    link: str = ""
    adds: tuple[str, str, str] | None = None
    """Module, path and text of a file that a published module lacks; it is copied for that."""

    @property
    def module(self) -> Path:
        return MODULES / self.folder

    @property
    def place(self) -> Path:
        """Where the programs lie. Another recipe has another place."""
        return cache() / self.name / f"{self.version}-{self.digest()}"

    @property
    def programs(self) -> dict[str, Path]:
        return {name: self.place / name for name in self.packages}

    def digest(self) -> str:
        parts = [repr(self), platform.machine()]
        parts += [(self.module / name).read_text() for name in ("go.mod", "go.sum")]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "flux-fleet" / "programs"


FLUX_CLI = Recipe(
    name="flux-operator-cli",
    folder="flux",
    version=FLUX_VERSION,
    packages={"flux-operator-cli": f"{FLUX_OPERATOR}/cmd/cli"},
    link=f"-X main.VERSION={FLUX_VERSION}",
)
KUBERNETES = Recipe(
    name="kubernetes",
    folder="kubernetes",
    version="v1.36.3",
    packages={
        name: f"k8s.io/kubernetes/cmd/{name}"
        for name in ("kubectl", "kube-apiserver", "kube-controller-manager")
    },
    # Clients do not talk to a server whose version they cannot read.
    link="-X k8s.io/component-base/version.gitVersion=v1.36.3",
)
FLUX = Recipe(
    name="flux-operator",
    folder="flux",
    version=FLUX_VERSION,
    packages={"flux-operator": f"{FLUX_OPERATOR}/cmd/operator"},
    link=f"-X main.VERSION={FLUX_VERSION}",
    # It embeds its web pages, which are not in the module.
    adds=(FLUX_OPERATOR, "web/dist/index.html", "No web pages in this build.\n"),
)
ETCD = Recipe(
    name="etcd",
    folder="etcd",
    version="v3.6.14",
    packages={"etcd": "go.etcd.io/etcd/server/v3"},
)
# For `make bench`, which has no cluster: a constant rate of polls, however slow their answers.
VEGETA = Recipe(
    name="vegeta",
    folder="vegeta",
    version="v12.13.0",
    packages={"vegeta": "github.com/tsenart/vegeta/v12"},
)
