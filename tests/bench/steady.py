"""Ten times the polls that 10,000 clusters make, for minutes, while operators go on writing."""

from tests.bench.bench import Bench
from tests.bench.report import verdict
from tests.bench.servers import largest_worker
from tests.bench.vegeta import attack
from tests.bench.warm_up import warm_up
from tests.bench.writer import Writer, writing

TITLE = "A constant rate of polls during writes"
WRITES_PER_SECOND = 5
MOST_MILLISECONDS = 10
# Enough for a percentile; the floor has nothing that happens once in minutes.
FLOOR_SECONDS = 30


def measure_steady(bench: Bench, writer: Writer) -> None:
    options = bench.options
    seen = warm_up(bench.server, bench.fleet.polls, options.warm_up_seconds)
    with writing(writer, WRITES_PER_SECOND) as writes:
        load = attack(
            bench.server.base_url,
            bench.fleet.polls,
            rate=options.steady_rate,
            seconds=options.steady_seconds,
        )
    floor = attack(
        bench.floor.base_url,
        bench.fleet.polls,
        rate=options.steady_rate,
        seconds=min(FLOOR_SECONDS, options.steady_seconds),
    )
    errors = seen.errors + load.errors + writes.errors
    bench.report.errors += errors
    bench.report.add(
        TITLE,
        {
            **bench.place,
            "seconds": f"{load.seconds:.0f}",
            "polls/s": f"{load.rate:,.0f}",
            "writes/s": f"{writes.rate:.1f}",
            "p50 ms": f"{load.p50:.1f}",
            "p99 ms": f"{load.p99:.1f}",
            "floor's p99 ms": f"{floor.p99:.1f}",
            "longest ms": f"{load.longest:.0f}",
            "MiB a worker": f"{largest_worker(bench.server):.0f}",
            "errors": str(errors),
            f"p99 < {MOST_MILLISECONDS} ms": verdict(load.p99 < MOST_MILLISECONDS),
        },
    )
