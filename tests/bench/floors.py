"""What each kind of worker could make of a constant answer at most: to choose one by."""

from tests.bench.bench import Bench
from tests.bench.servers import floor_of
from tests.bench.wrk import drive

TITLE = "A constant answer, by the class of worker"
ASGI = ("--worker-class", "asgi")
KINDS: dict[str, tuple[str, ...]] = {
    "as configured": (),
    "sync": ("--worker-class", "sync"),
    "gthread, 4 threads": ("--worker-class", "gthread", "--threads", "4"),
    "asgi, loop of asyncio": (*ASGI, "--asgi-loop", "asyncio"),
}


def measure_floors(bench: Bench) -> None:
    for name, options in KINDS.items():
        with floor_of(bench.server, bench.answer, *options) as server:
            load = drive(server.base_url, bench.fleet.polls, bench.options.seconds)
        bench.report.errors += load.errors
        bench.report.add(
            TITLE,
            {
                "worker": name,
                "answers/s": f"{load.rate:,.0f}",
                "p50 ms": f"{load.p50:.1f}",
                "p99 ms": f"{load.p99:.1f}",
                "errors": str(load.errors),
            },
        )
