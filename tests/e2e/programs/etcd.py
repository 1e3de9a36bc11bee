"""etcd: as installed, or as Debian has it, or built."""

import os
import shutil
import subprocess
from pathlib import Path

from tests.e2e.programs.build import build
from tests.e2e.programs.recipes import ETCD


def find_etcd() -> Path:
    found = shutil.which("etcd") or installed()
    return Path(found) if found else build(ETCD)["etcd"]


def installed() -> str | None:
    """The package is there in seconds, a build takes minutes."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        for command in (("update",), ("install", "--yes", "etcd-server")):
            subprocess.run(["apt-get", "--quiet", *command], check=False)
    return shutil.which("etcd")
