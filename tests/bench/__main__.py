"""Measures, tells, and fails where any poll failed; never for a time."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tests.bench import vegeta, wrk
from tests.bench.bench import Bench, benched
from tests.bench.built import built
from tests.bench.cold import measure_cold
from tests.bench.floors import measure_floors
from tests.bench.loads import measure_loads, measure_loads_while_warm
from tests.bench.machine import machine
from tests.bench.options import Options, read_options
from tests.bench.pages import write_part
from tests.bench.report import Report
from tests.bench.steady import measure_steady
from tests.bench.warm import measure_warm
from tests.bench.writer import Writer, writer_of
from tests.bench.writes import measure_writes
from tests.e2e.programs.go import GoError


def main(arguments: Sequence[str]) -> int:
    options = read_options(arguments)
    vegeta.obtain() if options.steady_seconds else wrk.obtain()
    report = Report()
    for database in options.databases:
        measure_database(options, report, database)
    report.show()
    on = machine(options.databases)
    print(on)
    if options.write_docs:
        part = "steady" if options.steady_seconds else "results"
        write_part(part, f"{on}\n\n{report.markdown()}")
    print(f"bench: {report.errors} errors")
    return 1 if report.errors else 0


def measure_database(options: Options, report: Report, database: str) -> None:
    if options.steady_seconds:
        measure_steadiness(options, report, database)
        return
    first, *others = options.sizes
    with fleet_of(options, report, database, first) as smallest:  # It goes on beside the others.
        measure_fleet(smallest, None)
        for clusters in others:
            with fleet_of(options, report, database, clusters) as bench:
                measure_fleet(bench, smallest)


@contextmanager
def fleet_of(options: Options, report: Report, database: str, clusters: int) -> Iterator[Bench]:
    print(f"{database}, {clusters:,} clusters", flush=True)
    with built(database, clusters) as fleet, benched(options, report, fleet) as bench:
        yield bench


def measure_steadiness(options: Options, report: Report, database: str) -> None:
    with (
        fleet_of(options, report, database, max(options.sizes)) as bench,
        writer_of(bench.fleet) as writer,
    ):
        measure_steady(bench, writer)


def measure_fleet(bench: Bench, smallest: Bench | None) -> None:
    options = bench.options
    if "floors" in options.sections and not bench.report.tables:
        measure_floors(bench)
    if "warm" in options.sections:
        measure_warm(bench, smallest)
    if bench.fleet.clusters in {min(options.sizes), max(options.sizes)}:
        with writer_of(bench.fleet) as writer:
            measure_changes(bench, writer)


def measure_changes(bench: Bench, writer: Writer) -> None:
    options = bench.options
    is_largest = bench.fleet.clusters == max(options.sizes)
    if is_largest and "loads" in options.sections:
        measure_loads_while_warm(bench, writer)
    if "cold" in options.sections:
        measure_cold(bench, writer)
    if not is_largest:
        return
    if "loads" in options.sections:
        measure_loads(bench, writer)
    if "writes" in options.sections:
        measure_writes(bench, writer)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (wrk.Missing, GoError) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
