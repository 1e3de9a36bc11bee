"""Measures, tells, and fails where any poll failed; never for a time."""

import sys
from collections.abc import Sequence

from tests.bench import wrk
from tests.bench.bench import Bench, benched
from tests.bench.built import built
from tests.bench.options import Options, read_options
from tests.bench.report import Report
from tests.bench.warm import measure_warm


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
    if "warm" in bench.options.sections:
        return measure_warm(bench, smallest)
    return None


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except wrk.Missing as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
