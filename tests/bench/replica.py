"""Polls on a streaming replica beside polls on the primary: python -m tests.bench.replica

First one read plane of two workers polls the primary, then two of one worker each poll its
streaming replica, with the same number of connections. Meanwhile somebody changes the fleet, a few
times a second. Needs `wrk`. On a machine with few cores all of it shares them, the load included:
two are then not faster than one. What it shows is that they work side by side, how far they are
behind, and that the polls no longer cost the primary anything.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from config.environment import BASE_DIR
from tests.docs.blocks import blocks_of
from tests.planes.polling import wait_until
from tests.planes.postgres import Postgres, new_postgres, standby_of
from tests.processes import LAUNCH, Server, environment_with, running

RESOURCES = ("platform-components", "namespaces", "rolebindings")
SECRETS = {
    "SECRET_KEY": "for this measurement alone",
    "AUTH_TOKEN": "read",
    "CRUD_AUTH_TOKEN": "write",
    "ADMIN_PASSWORD": "password",
    # One line for each poll would be measured too.
    "LOG_LEVEL": "warning",
}
PREFIX = "bench-"
SAMPLE_SECONDS = 0.1
TICKS = os.sysconf("SC_CLK_TCK")

# All requests are made beforehand: what is measured is the server, not Lua.
WRK_SCRIPT = """
local requests = {}

function init(args)
  math.randomseed(tonumber(args[2]))
  for line in io.lines(args[1]) do
    local path, token = line:match("(%S+) (%S+)")
    local headers = {Host = wrk.headers["Host"], Authorization = "Bearer " .. token}
    requests[#requests + 1] = wrk.format("GET", path, headers)
  end
end

function request()
  return requests[math.random(#requests)]
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '\\n{"polls": %d, "seconds": %f, "p50": %f, "p99": %f, "errors": %d}\\n',
    summary.requests, summary.duration / 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
"""


@dataclass(frozen=True)
class Load:
    """What one `wrk` saw; latencies in milliseconds."""

    polls: int
    seconds: float
    p50: float
    p99: float
    errors: int

    @property
    def per_second(self) -> float:
        return (self.polls - self.errors) / self.seconds


@dataclass(frozen=True)
class Outcome:
    loads: list[Load]
    writes: int
    lag: int
    # Of the processes of each, while the load lasted.
    cpu: dict[str, float]


@dataclass
class Writer:
    """Changes one cluster after the other; `head` is the newest revision that is committed."""

    crud: Server
    clusters: Sequence[str]
    per_second: float
    head: int = 0
    writes: int = 0

    def go_on(self, stopped: threading.Event) -> None:
        headers = {"Authorization": f"Bearer {self.crud.write_token}"}
        with httpx.Client(base_url=self.crud.base_url, headers=headers, timeout=60) as client:
            while not stopped.wait(1 / self.per_second):
                self.writes += 1
                patches = {"podinfo": {"ui.message": f"change {self.writes}"}}
                path = f"/clusters/{random.choice(self.clusters)}"
                response = client.patch(path, json={"patches": patches}).raise_for_status()
                self.head = int(response.headers["X-Fleet-Revision"])


@dataclass
class Lag:
    """How many revisions an answer is behind what was committed before it was asked for."""

    reads: Sequence[Server]
    path: str
    writer: Writer
    greatest: int = 0

    def go_on(self, stopped: threading.Event) -> None:
        while not stopped.wait(SAMPLE_SECONDS):
            for read in self.reads:
                head = self.writer.head
                answer = read.get(self.path)
                if answer.status_code == 200:
                    behind = head - int(answer.headers["X-Fleet-Revision"])
                    self.greatest = max(self.greatest, behind)


@dataclass(frozen=True)
class Bench:
    folder: Path
    primary: Postgres
    clusters: list[str]
    warm_up: int
    seconds: int
    connections: int
    writes_per_second: float
    place: dict[str, str]

    @property
    def requests(self) -> Path:
        return self.folder / "requests.txt"

    def reading(self, postgres: Postgres, workers: int) -> dict[str, str]:
        url = postgres.url("fleet", "fleet_reader")
        mode = {"API_MODE": "read-only", "WEB_CONCURRENCY": str(workers)}
        return {**self.place, **mode, "DATABASE_URL": url}

    def measure(self, crud: Server, reads: Sequence[Server], **databases: Postgres) -> Outcome:
        writer = Writer(crud, self.clusters, self.writes_per_second)
        lag = Lag(reads, f"/api/v2/flux/clusters/{dns_of(self.clusters[0])}/namespaces", writer)
        busy = {name: pid_of(postgres) for name, postgres in databases.items()}
        busy["read planes"] = [read.process.pid for read in reads]
        self.drive(reads, self.warm_up)
        before = {name: cpu_seconds(pids) for name, pids in busy.items()}
        with in_background(writer, lag):
            loads = self.drive(reads, self.seconds)
        cpu = {name: cpu_seconds(pids) - before[name] for name, pids in busy.items()}
        return Outcome(loads, writer.writes, lag.greatest, cpu)

    def drive(self, reads: Sequence[Server], seconds: int) -> list[Load]:
        """One `wrk` for each read plane, all at once; the connections are shared out."""
        script = self.folder / "polls.lua"
        script.write_text(WRK_SCRIPT)
        each = str(self.connections // len(reads))
        options = ("-t1", "-c", each, "-d", f"{seconds}s", "--timeout", "10s", "-s")
        started = [
            subprocess.Popen(
                ["wrk", *options, script, read.base_url, "--", self.requests, str(number)],
                stdout=subprocess.PIPE,
                text=True,
            )
            for number, read in enumerate(reads)
        ]
        return [load_of(process.communicate()[0]) for process in started]


def load_of(output: str) -> Load:
    return Load(**json.loads(output.strip().splitlines()[-1]))


@contextmanager
def in_background(*workers: Writer | Lag) -> Iterator[None]:
    stopped = threading.Event()
    threads = [threading.Thread(target=worker.go_on, args=(stopped,)) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stopped.set()
        for thread in threads:
            thread.join()


def pid_of(postgres: Postgres) -> list[int]:
    assert postgres.process
    return [postgres.process.pid]


def cpu_seconds(pids: Sequence[int]) -> float:
    """Of these processes and all below them, those that have ended included."""
    ticks = 0
    for pid in pids:
        ended = ticks_of(pid, own=False)
        ticks += ended + sum(ticks_of(process, own=True) for process in (pid, *children_of(pid)))
    return ticks / TICKS


def ticks_of(pid: int, *, own: bool) -> int:
    """utime and stime, or those of children that have been waited for."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0
    return sum(int(ticks) for ticks in (fields[11:13] if own else fields[13:15]))


def children_of(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in listed.read_text().split()]


def dns_of(cluster: str) -> str:
    return f"{cluster}.k8s.example.com"


def seed_with(clusters: Sequence[str]) -> dict[str, Any]:
    """The demo fleet, and many clusters that its profiles select as they do those of the demo."""
    seed = json.loads((BASE_DIR / "fleet" / "demo" / "fleet.json").read_text())
    environments = ("dev", "qa", "prod")
    seed["clusters"] += [
        {
            "id": cluster,
            "cluster_name": cluster,
            "cluster_dns": dns_of(cluster),
            "environment": environments[number % len(environments)],
            "labels": {"provider": "aws", "region": "eu-west", "tier": "core"},
            "platform_components": ["podinfo"],
            "namespaces": ["podinfo"],
            "patches": {"podinfo": {"ui.message": cluster}},
        }
        for number, cluster in enumerate(clusters)
    ]
    return seed


def issue_tokens(file: str) -> None:
    """One for each cluster, in one change; writes what each is to ask, and with which token."""
    # Not above: this part runs in a process of its own, with Django set up for the primary.
    from fleet.models import Cluster, Token, TokenKey
    from fleet.revisions import change

    clusters = Cluster.objects.filter(pk__startswith=PREFIX).values_list("pk", flat=True)
    generated = {cluster: TokenKey.objects.key_generator.generate() for cluster in clusters}
    with change(reason="Tokens for a measurement"):
        Token.objects.bulk_create(
            Token(id=cluster, kind=Token.Kind.CLUSTER, cluster_id=cluster) for cluster in generated
        )
        TokenKey.objects.bulk_create(
            TokenKey(
                id=f"{prefix}.{hashed}",
                prefix=prefix,
                hashed_key=hashed,
                name=cluster,
                token_id=cluster,
            )
            for cluster, (_, prefix, hashed) in generated.items()
        )
    lines = (
        f"/api/v2/flux/clusters/{dns_of(cluster)}/{resource} {secret}\n"
        for cluster, (secret, _, _) in generated.items()
        for resource in RESOURCES
    )
    Path(file).write_text("".join(lines))


def prepare(bench: Bench) -> None:
    """The roles of docs/operations.md, the fleet and its tokens."""
    for statement in ("CREATE ROLE fleet LOGIN", "CREATE DATABASE fleet OWNER fleet"):
        bench.primary.sql(statement)
    seed = bench.folder / "seed.json"
    seed.write_text(json.dumps(seed_with(bench.clusters)))
    run_quietly((*LAUNCH, "--prepare"), {**bench.place, "SEED_FILE": str(seed)})
    [grants] = blocks_of("operations.md", "sql")
    bench.primary.sql(grants, "fleet")
    command = (sys.executable, "manage.py", "shell", "--verbosity", "0", "--command")
    script = f"from tests.bench import replica; replica.issue_tokens({str(bench.requests)!r})"
    run_quietly((*command, script), bench.place)
    bench.primary.sql("VACUUM ANALYZE", "fleet")


def run_quietly(command: Sequence[str], environment: dict[str, str]) -> None:
    subprocess.run(
        command,
        cwd=BASE_DIR,
        env=environment_with(environment),
        stdout=subprocess.DEVNULL,
        check=True,
    )


def tell_sizes(bench: Bench, read: Server) -> None:
    """What the arithmetic of docs/performance.md starts from."""
    [(database,)] = bench.primary.sql("SELECT pg_database_size('fleet')")
    address = f"/api/v2/flux/clusters/{dns_of(bench.clusters[0])}"
    answers = sum(len(read.get(f"{address}/{resource}").content) for resource in RESOURCES)
    print(f"database: {database / 2**20:.0f} MiB; all answers of one cluster: {answers} bytes")


def on_the_primary(bench: Bench) -> Outcome:
    with (
        running({**bench.place, "WEB_CONCURRENCY": "1"}) as crud,
        running(bench.reading(bench.primary, workers=2)) as read,
    ):
        tell_sizes(bench, read)
        return bench.measure(crud, [read], primary=bench.primary)


def on_a_replica(bench: Bench) -> Outcome:
    with standby_of(bench.primary) as standby, ExitStack() as stack:
        crud = stack.enter_context(running({**bench.place, "WEB_CONCURRENCY": "1"}))
        on_standby = bench.reading(standby, workers=1)
        reads = [stack.enter_context(running(on_standby)) for _ in range(2)]
        wait_until(lambda: all(read.get("/ready").status_code == 200 for read in reads))
        return bench.measure(crud, reads, primary=bench.primary, replica=standby)


def tell(name: str, outcome: Outcome) -> None:
    print(f"\n{name}")
    for number, load in enumerate(outcome.loads, start=1):
        print(
            f"  read plane {number}: {load.per_second:7.0f} polls/s   p50 {load.p50:6.1f} ms   "
            f"p99 {load.p99:6.1f} ms   {load.errors} errors"
        )
    together = sum(load.per_second for load in outcome.loads)
    print(f"  together:     {together:7.0f} polls/s")
    print(f"  {outcome.writes} writes on the primary; greatest lag: {outcome.lag} revisions")
    spent = ", ".join(f"{who} {seconds:.1f}" for who, seconds in outcome.cpu.items())
    print(f"  CPU seconds: {spent}")


def main() -> None:
    options = arguments()
    if not shutil.which("wrk"):
        sys.exit("error: wrk is not installed.")
    clusters = [f"{PREFIX}{number:06}" for number in range(options.clusters)]
    with tempfile.TemporaryDirectory() as name, new_postgres() as primary:
        place = {
            **SECRETS,
            "FLUX_FLEET_HOME": f"{name}/home",
            "DATABASE_URL": primary.url("fleet", "fleet"),
        }
        bench = Bench(
            folder=Path(name),
            primary=primary,
            clusters=clusters,
            warm_up=options.warm_up,
            seconds=options.seconds,
            connections=options.connections,
            writes_per_second=options.writes,
            place=place,
        )
        prepare(bench)
        print(
            f"{len(clusters)} clusters, {options.connections} connections, {options.seconds} s, "
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
    main()
