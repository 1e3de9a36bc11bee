"""Where the workers of one server count, each in files of its own, so that a scrape can add up.

prometheus_client looks for PROMETHEUS_MULTIPROC_DIR when it is imported, so the server makes the
folder before it loads the application. Without a folder (a command, a test) a process counts for
itself.
"""

import atexit
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
# Workers inherit the folder, but it is not theirs to remove.
OWNER = "FLUX_FLEET_METRICS_OWNER"
PREFIX = "fleet-metrics-"
KINDS = ("counter", "histogram")

# Kept open, and with it locked, for as long as any process of this server lives.
_alive: list[IO[bytes]] = []


def make_metrics_folder(parent: Path) -> None:
    """Once per master: what a reload (HUP) finds is what it goes on with."""
    if os.environ.get(OWNER) == str(os.getpid()):
        return
    remove_orphans(parent)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    alive = open(folder / "alive", "wb")  # noqa: SIM115
    fcntl.flock(alive, fcntl.LOCK_EX)
    _alive.append(alive)
    (folder / "merging").touch()
    os.environ[VARIABLE] = str(folder)
    os.environ[OWNER] = str(os.getpid())
    atexit.register(forget, folder)


def metrics_folder() -> Path | None:
    return Path(os.environ[VARIABLE]) if OWNER in os.environ else None


def forget(folder: Path) -> None:
    if os.environ.get(OWNER) == str(os.getpid()):
        shutil.rmtree(folder, ignore_errors=True)


def remove_orphans(parent: Path) -> None:
    """Of servers that were killed. A lock tells it, not a process id: those of containers that
    share a folder mean nothing to each other."""
    for alive in parent.glob(f"{PREFIX}*/alive"):
        try:
            with open(alive, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(alive.parent, ignore_errors=True)
        except OSError:
            continue


def bury(pid: int) -> None:
    """Adds what a worker counted before it ended to that of its predecessors.

    So nothing counted is lost, and however many workers come and go, there are no more files than
    workers that live, and one of each kind.
    """
    # Only now: see above.
    from prometheus_client.mmap_dict import MmapedDict

    folder = metrics_folder()
    if folder is None:
        return
    with _locked(folder, fcntl.LOCK_EX):
        for kind in KINDS:
            left = folder / f"{kind}_{pid}.db"
            if not left.exists():
                continue
            total = MmapedDict(str(folder / f"{kind}_ended.db"))
            for key, value, _, _ in MmapedDict.read_all_values_from_file(str(left)):
                total.write_value(key, total.read_value(key)[0] + value, 0.0)
            total.close()
            left.unlink()


@contextmanager
def standing_still(folder: Path) -> Iterator[None]:
    """While a burial is half done, a worker would be counted twice, or not at all."""
    with _locked(folder, fcntl.LOCK_SH):
        yield


@contextmanager
def _locked(folder: Path, how: int) -> Iterator[None]:
    with open(folder / "merging", "rb") as file:
        fcntl.flock(file, how)
        yield
