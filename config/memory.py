"""The store of STORE_BACKEND=memory: a SQLite file in a folder of its own, gone with the process.

It is a file and not SQLite's own `:memory:`, since several workers must see one fleet.
"""

import atexit
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

FOLDER = "FLUX_FLEET_MEMORY_DIR"
# A process id outlives exec: the server that a launcher turns into still owns the folder,
# while its workers, which inherit both variables, do not.
OWNER = "FLUX_FLEET_MEMORY_OWNER"


@cache
def memory_path() -> Path:
    if FOLDER not in os.environ:
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="flux-fleet-", dir=temporary_folder())
        os.environ[OWNER] = str(os.getpid())
    folder = Path(os.environ[FOLDER])
    atexit.register(forget, folder)
    return folder / "fleet.sqlite3"


def forget(folder: Path) -> None:
    if os.environ.get(OWNER) == str(os.getpid()):
        shutil.rmtree(folder, ignore_errors=True)


def temporary_folder() -> Path:
    """In memory where the system has it, unless the user has said where temporary files go."""
    usable = "TMPDIR" not in os.environ and os.access("/dev/shm", os.W_OK)  # noqa: S108
    return Path("/dev/shm" if usable else tempfile.gettempdir())  # noqa: S108
