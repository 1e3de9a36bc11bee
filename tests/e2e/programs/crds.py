"""The definitions of the resources that Flux has; its controllers are not needed."""

from collections.abc import Iterator
from pathlib import Path

from tests.e2e.programs import go
from tests.e2e.programs.recipes import FLUX_OPERATOR, FLUX_VERSION, MODULES

SOURCES = (
    ("flux", f"{FLUX_OPERATOR}@{FLUX_VERSION}"),
    ("crds", "github.com/fluxcd/source-controller@v1.9.6"),
    ("crds", "github.com/fluxcd/helm-controller@v1.4.0"),
    ("crds", "github.com/fluxcd/kustomize-controller@v1.7.3"),
)


def find_crds() -> list[Path]:
    """Folders of manifests."""
    go.require()
    return list(folders())


def folders() -> Iterator[Path]:
    for sums, module in SOURCES:
        yield go.folder_of(module, within=MODULES / sums) / "config" / "crd" / "bases"
