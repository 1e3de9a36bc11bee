"""Measures, tells, and fails where any poll failed; never for a time."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager

from tests.bench import vegeta, wrk
from tests.bench.bench import Bench, benched, is_beyond_cache
from tests.bench.built import Fleet, built
from tests.bench.cold import measure_cold
from tests.bench.floors import measure_floors
from tests.bench.loads import (
    measure_default_cache,
    measure_loads,
    measure_loads_while_warm,
)
from tests.bench.machine import machine
from tests.bench.options import Options, read_options
from tests.bench.pages import write_part
from tests.bench.report import Report
from tests.bench.single import measure_single
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
        write_part(options.part, f"{on}\n\n{report.markdown()}")
    print(f"bench: {report.errors} errors")
    return 1 if report.errors else 0


def measure_database(options: Options, report: Report, database: str) -> None:
    with ExitStack() as stack:
        sizes = options.sizes[-1:] if options.steady_seconds else options.sizes
        fleets = [stack.enter_context(announced(database, size)) for size in sizes]
        for mode in options.modes:
            if options.steady_seconds:
                measure_steadiness(options, report, fleets[-1], mode)
            else:
                measure_mode(options, report, fleets, mode)


@contextmanager
def announced(database: str, clusters: int) -> Iterator[Fleet]:
    print(f"{database}, {clusters:,} clusters", flush=True)
    with built(database, clusters) as fleet:
        yield fleet


def measure_mode(options: Options, report: Report, fleets: Sequence[Fleet], mode: str) -> None:
    first, *others = fleets
    with benched(options, report, first, mode, **cache_for(first)) as smallest:
        measure_fleet(smallest, None)
        for fleet in others:  # The smallest goes on beside them.
            with benched(options, report, fleet, mode, **cache_for(fleet)) as bench:
                measure_fleet(bench, smallest)
    for fleet in fleets:
        if is_beyond_cache(fleet) and "loads" in options.sections:
            with benched(options, report, fleet, mode) as bench:
                measure_default_cache(bench)


def cache_for(fleet: Fleet) -> dict[str, str]:
    return {"KEPT_CLUSTERS": str(fleet.clusters)} if is_beyond_cache(fleet) else {}


def measure_steadiness(options: Options, report: Report, fleet: Fleet, mode: str) -> None:
    with benched(options, report, fleet, mode) as bench, writer_beside(bench) as writer:
        measure_steady(bench, writer)


def writer_beside(bench: Bench) -> AbstractContextManager[Writer]:
    return writer_of(bench.fleet, bench.server if bench.mode == "crud" else None)


def measure_fleet(bench: Bench, smallest: Bench | None) -> None:
    options = bench.options
    if "floors" in options.sections and not bench.report.tables:
        measure_floors(bench)
    if "warm" in options.sections:
        measure_warm(bench, smallest)
    if bench.fleet.clusters in {min(options.sizes), max(options.sizes)}:
        with writer_beside(bench) as writer:
            measure_changes(bench, writer)


def measure_changes(bench: Bench, writer: Writer) -> None:
    options = bench.options
    is_largest = bench.fleet.clusters == max(options.sizes)
    if is_largest and "loads" in options.sections:
        measure_loads_while_warm(bench, writer)
    if "cold" in options.sections:
        measure_cold(bench, writer)
    if is_largest and "loads" in options.sections:
        measure_loads(bench, writer)
    # What changes the fleet is the same with any server beside it.
    if bench.mode != options.modes[-1]:
        return
    if "single" in options.sections:
        measure_single(bench, writer)
    if is_largest and "writes" in options.sections:
        measure_writes(bench, writer)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (wrk.Missing, GoError) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
