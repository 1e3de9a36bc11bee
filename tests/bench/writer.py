"""Changes to the fleet through the REST API of a write plane, as operators make them."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx

from tests.bench.built import Fleet, Spent
from tests.bench.fleets import EVERYWHERE, cluster_id
from tests.bench.servers import forget_most, most_resident, plane
from tests.processes import Server
from tests.workers import workers

TIMEOUT_SECONDS = 300
TICK = os.sysconf("SC_CLK_TCK")
# No change repeats another, of any writer: that would change nothing.
NUMBERS = count(1)


@dataclass(frozen=True)
class Writer:
    server: Server
    client: httpx.Client
    clusters: int

    def change_catalog(self, *, dry_run: bool = False) -> Spent:
        """A default value of the component that every cluster has."""
        path = f"/platform_components/{EVERYWHERE}"
        body = {"patches": {"image.tag": f"v2.0.{next(NUMBERS)}"}}
        return self.patch(f"{path}?dry_run=true" if dry_run else path, body)

    def change_all_clusters(self) -> Spent:
        return self.patch("/clusters?all=true", self.new_value())

    def change_a_cluster(self) -> Spent:
        body = self.new_value()
        return self.patch(f"/clusters/{cluster_id(next(NUMBERS) % self.clusters)}", body)

    def new_value(self) -> dict[str, Any]:
        return {"patches": {EVERYWHERE: {"bench.number": str(next(NUMBERS))}}}

    def patch(self, path: str, body: dict[str, Any]) -> Spent:
        for pid in workers(self.server):
            forget_most(pid)
        began, used = time.monotonic(), processor_seconds(self.server)
        self.client.patch(path, json=body).raise_for_status()
        return Spent(
            time.monotonic() - began,
            processor_seconds(self.server) - used,
            max(most_resident(pid) for pid in workers(self.server)),
        )


@contextmanager
def writer_of(fleet: Fleet, polled: Server | None = None) -> Iterator[Writer]:
    """By the server that is polled, where that takes writes, or by another beside it."""
    with nullcontext(polled) if polled else plane(fleet, "crud") as server:
        headers = {"Authorization": f"Bearer {server.write_token}"}
        with httpx.Client(
            base_url=server.base_url, headers=headers, timeout=TIMEOUT_SECONDS
        ) as client:
            yield Writer(server, client, fleet.clusters)


def processor_seconds(server: Server) -> float:
    """Of its workers, so far; a database server's own are not among them."""
    return sum(ticks(pid) for pid in workers(server)) / TICK


def ticks(pid: int, *, of_ended: bool = False) -> int:
    """Its own, or those of its children that have ended."""
    first = 13 if of_ended else 11
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    user, system = fields[first : first + 2]
    return int(user) + int(system)


@dataclass
class Writes:
    """What became of writes at a constant rate."""

    per_second: float
    committed: int = 0
    errors: int = 0
    seconds: float = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def rate(self) -> float:
        return self.committed / self.seconds


THREADS = 4


@contextmanager
def writing(writer: Writer, per_second: float) -> Iterator[Writes]:
    """Changes of one cluster each, from the beginning to the end of the block."""
    writes, stop, began = Writes(per_second), threading.Event(), time.monotonic()
    with ExitStack() as stack:
        for number in range(THREADS):
            first = began + number / per_second
            thread = threading.Thread(target=keep_writing, args=(writer, writes, stop, first))
            stack.callback(thread.join)
            thread.start()
        stack.callback(stop.set)
        yield writes
        writes.seconds = time.monotonic() - began


def keep_writing(writer: Writer, writes: Writes, stop: threading.Event, first: float) -> None:
    """At fixed times; what is late is made up for."""
    for number in count():
        due = first + number * THREADS / writes.per_second
        if stop.wait(max(due - time.monotonic(), 0)):
            return
        try:
            writer.change_a_cluster()
        except httpx.HTTPError as error:
            print(f"A write failed: {error!r}")
            with writes.lock:
                writes.errors += 1
        else:
            with writes.lock:
                writes.committed += 1
