"""What else polls meet: new connections, a changed catalog, writes; and the list of clusters."""

from tests.bench.bench import DEFAULT_CACHE, Bench
from tests.bench.servers import largest_worker
from tests.bench.warm import compare
from tests.bench.writer import Writer, writing
from tests.bench.wrk import Load, drive

TITLE = "Other loads"
WRITES_PER_SECOND = 20
# A management plane asks for this alone, and its answer is as long as the fleet.
READERS_OF_THE_LIST = 2


def measure_loads_while_warm(bench: Bench, writer: Writer) -> None:
    fresh = compare(bench, new_connections=True)
    add(bench, "a new connection for each poll", fresh.load, fresh.floor)
    measure_during_writes(bench, writer, bench.drive_floor().rate)


def measure_loads(bench: Bench, writer: Writer) -> None:
    floor = bench.drive_floor()
    writer.change_catalog()
    add(bench, "right after a change of the catalog", bench.drive(), floor.rate)
    add(bench, "the list of all clusters", drive_list(bench), None)


def measure_default_cache(bench: Bench) -> None:
    """A worker has room for some of the clusters, so most polls are read from the database."""
    bench.drive()
    what = f"a cache of {DEFAULT_CACHE:,} clusters"
    add(bench, what, bench.drive(), bench.drive_floor().rate)


def measure_during_writes(bench: Bench, writer: Writer, floor: float) -> None:
    with writing(writer, WRITES_PER_SECOND) as writes:
        load = bench.drive()
    bench.report.errors += writes.errors
    add(bench, f"during {writes.rate:.0f} of {WRITES_PER_SECOND} writes a second", load, floor)


def drive_list(bench: Bench) -> Load:
    polls = bench.fleet.folder / "list"
    polls.write_text(f"/api/v2/flux/clusters {bench.server.read_token}\n")
    load = drive(
        bench.server.base_url, polls, bench.options.seconds, connections=READERS_OF_THE_LIST
    )
    bench.report.errors += load.errors
    return load


def add(bench: Bench, what: str, load: Load, floor: float | None) -> None:
    bench.report.add(
        TITLE,
        {
            "load": what,
            **bench.place,
            "polls/s": f"{load.rate:,.0f}" if load.rate > 10 else f"{load.rate:.1f}",
            "floor/s": f"{floor:,.0f}" if floor else "–",
            "ratio": f"{load.rate / floor:.0%}" if floor else "–",
            "p50 ms": f"{load.p50:.1f}",
            "p99 ms": f"{load.p99:.1f}",
            "longest ms": f"{load.longest:.0f}",
            "MiB a worker": f"{largest_worker(bench.server):.0f}",
            "errors": str(load.errors),
        },
    )
