"""One fleet with its servers, as the scenarios get it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.built import Fleet
from tests.bench.options import Options
from tests.bench.report import Report
from tests.bench.servers import floor_of, plane
from tests.bench.typical import write_typical_answer
from tests.bench.wrk import Load, drive
from tests.processes import Server

# KEPT_CLUSTERS, where it is not set.
DEFAULT_CACHE = 20_000
NAMES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}


@dataclass(frozen=True)
class Bench:
    options: Options
    report: Report
    fleet: Fleet
    # API_MODE of the server.
    mode: str
    server: Server
    floor: Server
    # What the floor answers.
    answer: Path

    def drive(self, *, new_connections: bool = False) -> Load:
        return self._drive(self.server, new_connections)

    def drive_floor(self, *, new_connections: bool = False) -> Load:
        return self._drive(self.floor, new_connections)

    def _drive(self, server: Server, new_connections: bool) -> Load:
        load = drive(
            server.base_url,
            self.fleet.polls,
            self.options.seconds,
            new_connections=new_connections,
        )
        self.report.errors += load.errors
        return load

    @property
    def place(self) -> dict[str, str]:
        """The first columns of every table."""
        return {
            "database": NAMES[self.fleet.database],
            "mode": self.mode,
            "clusters": f"{self.fleet.clusters:,}",
        }

    @property
    def is_beyond_cache(self) -> bool:
        return is_beyond_cache(self.fleet)


def is_beyond_cache(fleet: Fleet) -> bool:
    """Whether a worker keeps the answers of all its clusters only where it is set to."""
    return fleet.clusters > DEFAULT_CACHE


@contextmanager
def benched(
    options: Options, report: Report, fleet: Fleet, mode: str, **settings: str
) -> Iterator[Bench]:
    answer = fleet.folder / "answer.json"
    with plane(fleet, mode, **settings) as server:
        write_typical_answer(server, fleet.polls, answer)
        with floor_of(server, answer) as floor:
            yield Bench(options, report, fleet, mode, server, floor, answer)
