"""Polls of random clusters that every worker has seen before, beside the floor."""

from dataclasses import dataclass

from tests.bench.bench import Bench
from tests.bench.report import verdict
from tests.bench.servers import largest_worker
from tests.bench.warm_up import warm_up
from tests.bench.wrk import Load, together

TITLE = "Warm polls"
LEAST_RATIO = {"sqlite": 0.60, "postgres": 0.50}
LEAST_OF_SMALLEST = 0.85
# MiB of a worker; and with answers of ten times as many clusters.
MOST_MEMORY, MOST_MEMORY_BEYOND_CACHE = 150, 800


@dataclass(frozen=True)
class Compared:
    """A load, and how many answers a second the floor gave around it."""

    load: Load
    floor: float
    # How many polls of the smallest fleet were answered meanwhile.
    smallest: float

    @property
    def ratio(self) -> float:
        return self.load.rate / self.floor

    @property
    def of_smallest(self) -> float:
        return self.load.rate / self.smallest


def compare(
    bench: Bench, smallest: Bench | None = None, *, new_connections: bool = False
) -> Compared:
    """In turns: a machine that slows down meanwhile slows down all of them."""
    floors, loads = [bench.drive_floor(new_connections=new_connections)], []
    others = []
    for _ in range(bench.options.rounds):
        loads.append(bench.drive(new_connections=new_connections))
        if smallest:
            others.append(smallest.drive(new_connections=new_connections))
        floors.append(bench.drive_floor(new_connections=new_connections))
    load = together(loads)
    return Compared(load, together(floors).rate, together(others).rate if others else load.rate)


def measure_warm(bench: Bench, smallest: Bench | None) -> None:
    seconds = max(bench.options.warm_up_seconds, bench.fleet.clusters // 200)
    seen = warm_up(bench.server, bench.fleet.polls, seconds)
    bench.report.errors += seen.errors
    compared = compare(bench, smallest)
    memory = largest_worker(bench.server)
    least = LEAST_RATIO[bench.fleet.database]
    most = MOST_MEMORY_BEYOND_CACHE if bench.is_beyond_cache else MOST_MEMORY
    bench.report.add(
        TITLE,
        {
            **bench.place,
            **figures(compared),
            "MiB a worker": f"{memory:.0f}",
            "goal of the ratio": f"{least:.0%}: {verdict(compared.ratio >= least)}",
            "of the smallest": f"{compared.of_smallest:.0%}",
            "≥ 85 % of it": verdict(compared.of_smallest >= LEAST_OF_SMALLEST),
            "goal of memory": f"{most} MiB: {verdict(memory <= most)}",
            "warmed": f"{seen.polls / (seen.polls + seen.missed):.0%}",
        },
    )


def figures(compared: Compared) -> dict[str, str]:
    load = compared.load
    return {
        "polls/s": f"{load.rate:,.0f}",
        "floor/s": f"{compared.floor:,.0f}",
        "ratio": f"{compared.ratio:.0%}",
        "p50 ms": f"{load.p50:.1f}",
        "p99 ms": f"{load.p99:.1f}",
        "errors": str(load.errors),
    }
