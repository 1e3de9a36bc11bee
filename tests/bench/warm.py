"""Polls of random clusters that every worker has seen before, beside the floor."""

from dataclasses import dataclass

from tests.bench.bench import Bench
from tests.bench.report import verdict
from tests.bench.servers import largest_worker
from tests.bench.warm_up import warm_up
from tests.bench.wrk import Load, together

TITLE = "Warm polls"
LEAST_RATIO = 0.60
MOST_MEMORY = 150
LEAST_OF_SMALLEST = 0.90


@dataclass(frozen=True)
class Compared:
    """A load, and how many answers a second the floor gave around it."""

    load: Load
    floor: float

    @property
    def ratio(self) -> float:
        return self.load.rate / self.floor


def compare(bench: Bench, *, new_connections: bool = False) -> Compared:
    """In turns: a machine that slows down meanwhile slows down both."""
    floors, loads = [bench.drive_floor(new_connections=new_connections)], []
    for _ in range(bench.options.rounds):
        loads.append(bench.drive(new_connections=new_connections))
        floors.append(bench.drive_floor(new_connections=new_connections))
    return Compared(together(loads), together(floors).rate)


def measure_warm(bench: Bench, smallest: float | None) -> float:
    """The ratio to the floor; `smallest` is that of the smallest fleet."""
    seen = warm_up(bench.server, bench.fleet.polls, bench.options.warm_up_seconds)
    bench.report.errors += seen.errors
    compared = compare(bench)
    memory = largest_worker(bench.server)
    bench.report.add(
        TITLE,
        {
            **bench.place,
            **figures(compared),
            "MiB a worker": f"{memory:.0f}",
            "≥ 60 % of the floor": verdict(compared.ratio >= LEAST_RATIO),
            "≥ 90 % of the smallest": (
                verdict(compared.ratio >= smallest * LEAST_OF_SMALLEST) if smallest else "–"
            ),
            "≤ 150 MiB": verdict(memory <= MOST_MEMORY),
            "warmed": f"{seen.polls / (seen.polls + seen.missed):.0%}",
        },
    )
    return compared.ratio


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
