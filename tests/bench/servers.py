"""The servers that are measured, and the floor beside them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.built import Fleet
from tests.processes import Server, running
from tests.workers import workers

WORKERS = 2
FLOOR = "tests.bench.floor:application"


@contextmanager
def plane(fleet: Fleet, mode: str, **settings: str) -> Iterator[Server]:
    """As deployed, its log of requests included."""
    own = {"API_MODE": mode, "WEB_CONCURRENCY": str(WORKERS), **settings}
    with running({**fleet.environment, **own}) as server:
        yield server


@contextmanager
def floor_of(server: Server, answer: Path, *options: str) -> Iterator[Server]:
    """The same server with the same configuration, but for the options, and a constant answer."""
    environment = {
        name: value for name, value in server.environment.items() if name != "LISTEN_ADDR"
    }
    environment["BENCH_ANSWER"] = str(answer)
    with running(environment, (*command_of(server), *options, FLOOR)) as beside:
        yield beside


def command_of(server: Server) -> list[str]:
    """What the launcher has become, without the application: gunicorn and its configuration."""
    raw = Path(f"/proc/{server.process.pid}/cmdline").read_bytes()
    return [part.decode() for part in raw.split(b"\0") if part and b":" not in part]


def largest_worker(server: Server) -> float:
    """In MiB, of resident memory; what it shares with the others counts in full."""
    return max(resident(pid) for pid in workers(server))


def resident(pid: int) -> float:
    return _memory(pid, "VmRSS:")


def most_resident(pid: int) -> float:
    """Since the process began, or since `forget_most`."""
    return _memory(pid, "VmHWM:")


def forget_most(pid: int) -> None:
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def _memory(pid: int, name: str) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    [kibibytes] = [line.split()[1] for line in lines if line.startswith(name)]
    return int(kibibytes) / 1024
