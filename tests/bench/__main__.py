"""Measures, tells, and fails where any poll failed; never for a time."""

import sys
from collections.abc import Sequence

from tests.bench import wrk
from tests.bench.bench import Bench, benched
from tests.bench.built import built
from tests.bench.cold import measure_cold
from tests.bench.floors import measure_floors
from tests.bench.loads import measure_loads
from tests.bench.options import Options, read_options
from tests.bench.report import Report
from tests.bench.warm import measure_warm
from tests.bench.writer import Writer, writer_of
from tests.bench.writes import measure_writes


def main(arguments: Sequence[str]) -> int:
    options = read_options(arguments)
    wrk.obtain()
    report = Report()
    for database in options.databases:
        measure_database(options, report, database)
    report.show()
    print(f"bench: {report.errors} errors")
    return 1 if report.errors else 0


def measure_database(options: Options, report: Report, database: str) -> None:
    smallest: float | None = None
    for clusters in options.sizes:
        print(f"{database}, {clusters:,} clusters", flush=True)
        with built(database, clusters) as fleet, benched(options, report, fleet) as bench:
            ratio = measure_fleet(bench, smallest)
            smallest = smallest or ratio


def measure_fleet(bench: Bench, smallest: float | None) -> float | None:
    """The ratio of warm polls to the floor, where it was asked for."""
    options, ratio = bench.options, None
    if "floors" in options.sections and not bench.report.tables:
        measure_floors(bench)
    if "warm" in options.sections:
        ratio = measure_warm(bench, smallest)
    if bench.fleet.clusters in {min(options.sizes), max(options.sizes)}:
        with writer_of(bench.fleet) as writer:
            measure_changes(bench, writer)
    return ratio


def measure_changes(bench: Bench, writer: Writer) -> None:
    options = bench.options
    if "cold" in options.sections:
        measure_cold(bench, writer)
    if bench.fleet.clusters != max(options.sizes):
        return
    if "loads" in options.sections:
        measure_loads(bench, writer)
    if "writes" in options.sections:
        measure_writes(bench, writer)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except wrk.Missing as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
