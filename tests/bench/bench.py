"""One fleet with its servers, as the scenarios get it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.built import Fleet
from tests.bench.options import Options
from tests.bench.report import Report
from tests.bench.servers import floor_of, read_plane
from tests.bench.typical import write_typical_answer
from tests.bench.wrk import Load, drive
from tests.processes import Server

NAMES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}


@dataclass(frozen=True)
class Bench:
    options: Options
    report: Report
    fleet: Fleet
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
        return {"database": NAMES[self.fleet.database], "clusters": f"{self.fleet.clusters:,}"}


@contextmanager
def benched(options: Options, report: Report, fleet: Fleet) -> Iterator[Bench]:
    answer = fleet.folder / "answer.json"
    with read_plane(fleet) as server:
        write_typical_answer(server, fleet.polls, answer)
        with floor_of(server, answer) as floor:
            yield Bench(options, report, fleet, server, floor, answer)
