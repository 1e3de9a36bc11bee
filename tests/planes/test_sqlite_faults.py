"""SQLite with no space left, read-only, or in a folder that cannot be written to."""

import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.planes.conftest import READ_ONLY, SERVE, Place, copy_of
from tests.planes.polling import answers_of, polling, wait_until
from tests.processes import Server, running

pytestmark = [
    pytest.mark.database("sqlite"),
    pytest.mark.skipif(sys.platform != "linux", reason="limits a running process by prlimit"),
]

# Root may write where permissions forbid it, until that right is dropped: CAP_DAC_OVERRIDE.
BOUND_BY_PERMISSIONS = (
    *(sys.executable, "-c"),
    "import ctypes, os, sys; ctypes.CDLL(None).prctl(24, 1, 0, 0, 0); "
    "os.execv(sys.argv[1], sys.argv[1:])",
    *SERVE,
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def place(demo_file: Path, data: Path) -> Place:
    return copy_of(demo_file, data)


def write(server: Server, name: str) -> httpx.Response:
    """Something that no cluster gets, so that what is polled stays the same."""
    headers = {"Authorization": f"Bearer {server.write_token}"}
    namespace = {"id": name}
    return httpx.post(f"{server.base_url}/namespaces", json=namespace, headers=headers, timeout=60)


def written(server: Server) -> set[str]:
    return {item["id"] for item in server.get("/namespaces?search=written").json()}


@contextmanager
def no_space(process: int) -> Iterator[None]:
    """No file of this process may grow beyond what a reader of SQLite needs."""
    usual = resource.prlimit(process, resource.RLIMIT_FSIZE)
    resource.prlimit(process, resource.RLIMIT_FSIZE, (64 * 1024, usual[1]))
    try:
        yield
    finally:
        resource.prlimit(process, resource.RLIMIT_FSIZE, usual)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    for path in (*folder.iterdir(), folder):
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        yield
    finally:
        folder.chmod(0o700)
        for path in folder.iterdir():
            path.chmod(0o600)


def test_no_space_left(place: Place) -> None:
    with running(place, SERVE) as crud:
        with polling(crud) as polls:
            [worker] = crud.workers()
            with no_space(worker):
                accepted, refused = write_until_refused(crud)
                polls.wait_for(200)
            polls.wait_for(200)
        assert (refused.status_code, refused.json()["error"]) == (503, "unavailable")
        polls.check()
        assert polls.statuses() == {200}
        assert written(crud) == accepted
        assert write(crud, "written-after").status_code == 201


def write_until_refused(server: Server) -> tuple[set[str], httpx.Response]:
    accepted: set[str] = set()
    for count in range(50):
        response = write(server, f"written-{count}")
        if response.status_code != 201:
            return accepted, response
        accepted.add(f"written-{count}")
    raise AssertionError("there was space for all")


def test_a_file_that_became_read_only(place: Place, data: Path) -> None:
    """Nothing has opened it before: permissions are looked at only then."""
    with running(place, BOUND_BY_PERMISSIONS) as crud:
        with read_only(data):
            refused = write(crud, "written-never")
            assert (refused.status_code, refused.json()["error"]) == (503, "unavailable")
        with polling(crud) as polls:
            polls.wait_for(200)
        polls.check()
        assert written(crud) == set()
        # All connections of a process share what SQLite opened first: while one of a poll that
        # began in between is open, the file is still read-only for a write.
        wait_until(lambda: write(crud, "written-after").status_code == 201)


def test_the_read_plane_after_the_crud_plane_was_killed(place: Place, data: Path) -> None:
    """What was committed is still in the log beside the file."""
    with running({**place, **READ_ONLY}, SERVE) as replica, polling(replica) as polls:
        with running(place, SERVE) as crud:
            assert write(crud, "written-before").status_code == 201
            revision = crud.get("/ready").json()["revision"]
            os.killpg(crud.process.pid, signal.SIGKILL)
            crud.process.wait()
        polls.wait_for(200)
        assert replica.get("/ready").json()["revision"] == revision
    polls.check()
    assert polls.statuses() == {200}


def test_a_folder_that_the_read_plane_may_not_write_to(place: Place, data: Path) -> None:
    """SQLite cannot make its files beside the database: an error, and never a wrong answer."""
    with read_only(data), running({**place, **READ_ONLY}, BOUND_BY_PERMISSIONS) as replica:
        response = replica.get("/api/v2/flux/clusters")
        assert (response.status_code, response.json()["error"]) == (503, "unavailable")
        assert replica.get("/ready").status_code == 503
        data.chmod(0o700)
        assert answers_of(replica)
        assert replica.get("/ready").status_code == 200


def test_a_file_that_is_gone_or_damaged(place: Place, data: Path) -> None:
    file = data / "fleet.sqlite3"
    whole = file.read_bytes()
    with running({**place, **READ_ONLY}, SERVE) as replica, polling(replica) as polls:
        for damage in (b"", whole[:100] + os.urandom(len(whole) - 100)):
            put(damage, file)
            wait_until(lambda: replica.get("/ready").status_code == 503)
            put(whole, file)
            polls.wait_for(200)
    polls.check()
    assert polls.statuses() > {200}


def put(content: bytes, file: Path) -> None:
    """In one step, as a restore should; nothing at all stands for a file that is gone."""
    if not content:
        file.unlink()
        return
    other = file.with_suffix(".new")
    other.write_bytes(content)
    other.replace(file)
