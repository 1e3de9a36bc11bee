"""All programs by name. The small one first: it is useful by itself."""

from pathlib import Path

from tests.e2e.programs.build import build
from tests.e2e.programs.etcd import find_etcd
from tests.e2e.programs.recipes import FLUX, FLUX_CLI, KUBERNETES


def find_programs() -> dict[str, Path]:
    return {
        **build(FLUX_CLI),
        "etcd": find_etcd(),
        **build(KUBERNETES),
        **build(FLUX),
    }
