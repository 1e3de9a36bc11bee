"""Polls on a streaming replica beside polls on the primary: python -m tests.bench.replica

First one read plane of two workers polls the primary, then two of one worker each poll its
streaming replica, with the same number of connections. Meanwhile somebody changes the fleet, a few
times a second. Needs `wrk`. On a machine with few cores all of it shares them, the load included:
two are then not faster than one. What it shows is that they work side by side, how far they are
behind, and that the polls no longer cost the primary anything.
"""

import argparse
import os
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.bench import wrk
from tests.bench.built import Fleet, filled
from tests.bench.fleets import cluster_dns
from tests.bench.polls import RESOURCES, cluster_path
from tests.bench.writer import TICK, Writer, ticks, writer_of, writing
from tests.planes.polling import wait_until
from tests.planes.postgres import (
    Postgres,
    let_reader_read,
    make_fleet_database,
    new_postgres,
    standby_of,
)
from tests.processes import Server, running
from tests.workers import children

CLUSTER = cluster_path(cluster_dns(0))
SAMPLE_SECONDS = 0.1


@dataclass(frozen=True)
class Outcome:
    loads: list[wrk.Load]
    writes: int
    lag: int
    # Of the processes of each, while the load lasted.
    cpu: dict[str, float]


@dataclass
class Lag:
    """How many revisions an answer is behind what was committed before it was asked for."""

    reads: Sequence[Server]
    committed: list[int] = field(default_factory=list)
    greatest: int = 0

    def note_write(self, response: httpx.Response) -> None:
        if response.is_success:
            self.committed.append(int(response.headers["X-Fleet-Revision"]))

    def go_on(self, stopped: threading.Event) -> None:
        while not stopped.wait(SAMPLE_SECONDS):
            for read in self.reads:
                self.look_at(read)

    def look_at(self, read: Server) -> None:
        head = max(self.committed, default=0)
        answer = read.get(f"{CLUSTER}/namespaces")
        if answer.status_code == 200:
            behind = head - int(answer.headers["X-Fleet-Revision"])
            self.greatest = max(self.greatest, behind)


@contextmanager
def lag_watched(writer: Writer, reads: Sequence[Server]) -> Iterator[Lag]:
    lag, stopped = Lag(reads), threading.Event()
    writer.client.event_hooks = {"response": [lag.note_write]}
    thread = threading.Thread(target=lag.go_on, args=(stopped,))
    thread.start()
    try:
        yield lag
    finally:
        stopped.set()
        thread.join()


@dataclass(frozen=True)
class Bench:
    options: argparse.Namespace
    primary: Postgres
    fleet: Fleet

    def reading(self, postgres: Postgres, workers: int) -> AbstractContextManager[Server]:
        url = postgres.url("fleet", "fleet_reader")
        mode = {"API_MODE": "read-only", "WEB_CONCURRENCY": str(workers)}
        return running({**self.fleet.environment, **mode, "DATABASE_URL": url})

    def measure(self, writer: Writer, reads: Sequence[Server], **databases: Postgres) -> Outcome:
        busy = {name: [pid_of(postgres)] for name, postgres in databases.items()}
        busy["read planes"] = [read.process.pid for read in reads]
        self.drive(reads, self.options.warm_up)
        before = {name: cpu_seconds(pids) for name, pids in busy.items()}
        with lag_watched(writer, reads) as lag, writing(writer, self.options.writes) as writes:
            loads = self.drive(reads, self.options.seconds)
        cpu = {name: cpu_seconds(pids) - before[name] for name, pids in busy.items()}
        return Outcome(loads, writes.committed, lag.greatest, cpu)

    def drive(self, reads: Sequence[Server], seconds: int) -> list[wrk.Load]:
        """All at once; the connections are shared out."""
        each = self.options.connections // len(reads)

        def drive_one(read: Server) -> wrk.Load:
            return wrk.drive(read.base_url, self.fleet.polls, seconds, connections=each)

        with ThreadPoolExecutor(len(reads)) as pool:
            return list(pool.map(drive_one, reads))


def pid_of(postgres: Postgres) -> int:
    assert postgres.process
    return postgres.process.pid


def cpu_seconds(pids: Sequence[int]) -> float:
    """Of these processes and their children, those that have ended included."""
    return sum(ticks_of_all(pid) for pid in pids) / TICK


def ticks_of_all(pid: int) -> int:
    below = children(pid)
    ended = ticks(pid, of_ended=True)
    try:
        return ended + sum(ticks(each) for each in (pid, *below))
    except (FileNotFoundError, ProcessLookupError):
        # One has just ended, and may be missing among those that have.
        return ticks_of_all(pid)


@contextmanager
def prepared(options: argparse.Namespace) -> Iterator[Bench]:
    """A primary with the fleet, its tokens, and the roles of docs/operations.md."""
    with tempfile.TemporaryDirectory() as name, new_postgres() as primary:
        make_fleet_database(primary)
        place = {
            "FLUX_FLEET_HOME": f"{name}/home",
            "DATABASE_URL": primary.url("fleet", "fleet"),
            # One line for each poll would be measured too.
            "LOG_LEVEL": "warning",
        }
        fleet = filled("postgres", options.clusters, place, Path(name))
        let_reader_read(primary)
        primary.sql("VACUUM ANALYZE", "fleet")
        yield Bench(options, primary, fleet)


def on_the_primary(bench: Bench) -> Outcome:
    with writer_of(bench.fleet) as writer, bench.reading(bench.primary, workers=2) as read:
        tell_sizes(bench, read)
        return bench.measure(writer, [read], primary=bench.primary)


def on_a_replica(bench: Bench) -> Outcome:
    with standby_of(bench.primary) as standby, ExitStack() as stack:
        writer = stack.enter_context(writer_of(bench.fleet))
        reads = [stack.enter_context(bench.reading(standby, workers=1)) for _ in range(2)]
        wait_until(lambda: all(read.get("/ready").status_code == 200 for read in reads))
        return bench.measure(writer, reads, primary=bench.primary, replica=standby)


def tell_sizes(bench: Bench, read: Server) -> None:
    """What the arithmetic of docs/performance.md starts from."""
    [(database,)] = bench.primary.sql("SELECT pg_database_size('fleet')")
    answers = sum(len(read.get(f"{CLUSTER}/{resource}").content) for resource in RESOURCES)
    print(f"database: {database / 2**20:.0f} MiB; all answers of one cluster: {answers} bytes")


def tell(name: str, outcome: Outcome) -> None:
    print(f"\n{name}")
    rates = [(load.polls - load.refused) / load.seconds for load in outcome.loads]
    for number, (load, rate) in enumerate(zip(outcome.loads, rates, strict=True), start=1):
        print(
            f"  read plane {number}: {rate:7.0f} polls/s   p50 {load.p50:6.1f} ms   "
            f"p99 {load.p99:6.1f} ms   {load.errors} errors"
        )
    print(f"  together:     {sum(rates):7.0f} polls/s")
    print(f"  {outcome.writes} writes on the primary; greatest lag: {outcome.lag} revisions")
    spent = ", ".join(f"{who} {seconds:.1f}" for who, seconds in outcome.cpu.items())
    print(f"  CPU seconds: {spent}")


def main() -> None:
    options = arguments()
    wrk.obtain()
    with prepared(options) as bench:
        print(
            f"{options.clusters} clusters, {options.connections} connections, {options.seconds} s, "
            f"{options.writes:g} writes a second; {os.cpu_count()} cores for everything"
        )
        tell("One read plane of two workers, on the primary", on_the_primary(bench))
        tell("Two read planes of one worker each, on a streaming replica", on_a_replica(bench))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.replica", description=(__doc__ or "").partition("\n\n")[2]
    )
    parser.add_argument("--clusters", type=int, default=1_000)
    parser.add_argument(
        "--warm-up",
        type=int,
        default=15,
        help="seconds of the same load before, not counted: long enough for each worker to have "
        "met most clusters",
    )
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--writes", type=float, default=3, help="a second, on the primary")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main()
    except wrk.Missing as error:
        sys.exit(f"error: {error}")
