"""The folder of prometheus_client's multiprocess mode: each worker of a server counts in files of
its own there, and a scrape adds them up.

prometheus_client looks for PROMETHEUS_MULTIPROC_DIR when it is imported, so the server makes the
folder before it loads the application. Without a folder (a command, a test) a process counts for
itself.
"""

import atexit
import fcntl
import os
import shutil
import tempfile
from pathlib import Path
from typing import IO

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
# Workers inherit the folder, but it is not theirs to remove.
OWNER = "FLUX_FLEET_METRICS_OWNER"
PREFIX = "fleet-metrics-"

# Kept open, and with it locked, for as long as any process of this server lives.
_alive: list[IO[bytes]] = []


def make_metrics_folder(parent: Path) -> None:
    """Once per master: what a reload (HUP) finds is what it goes on with."""
    if os.environ.get(OWNER) == str(os.getpid()):
        return
    remove_orphans(parent)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    # Locked before it has its name: another server that starts just now would remove it otherwise.
    alive = open(folder / "starting", "wb")  # noqa: SIM115
    fcntl.flock(alive, fcntl.LOCK_EX)
    (folder / "starting").rename(folder / "alive")
    _alive.append(alive)
    os.environ[VARIABLE] = str(folder)
    os.environ[OWNER] = str(os.getpid())
    atexit.register(remove, folder)


def metrics_folder() -> Path | None:
    return Path(os.environ[VARIABLE]) if OWNER in os.environ else None


def remove(folder: Path) -> None:
    if os.environ.get(OWNER) == str(os.getpid()):
        shutil.rmtree(folder, ignore_errors=True)


def remove_orphans(parent: Path) -> None:
    """Of servers that were killed. A lock shows it, not a process id: those of containers that
    share a folder mean nothing to each other."""
    for alive in parent.glob(f"{PREFIX}*/alive"):
        try:
            with open(alive, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(alive.parent, ignore_errors=True)
        except OSError:
            continue
