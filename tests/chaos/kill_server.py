"""Kills a server that is being written to, again and again: `make chaos`.

Each round starts the real server, lets several clients write through the API, and kills all of its
processes at a random moment. After the next start every revision that a client was told of must be
there, with what that client wrote, and the fleet must be what its history says.
"""

import os
import random
import signal
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.processes import Server, own_place, run, running

ROUNDS = int(os.environ.get("CHAOS_ROUNDS", "20"))
CLIENTS = 4
CLUSTER = "demo-cluster-01"
# How many of the newest are looked at after each round; verify_history looks at all.
RECENT = 200


@dataclass
class Acknowledged:
    """What the server said it has done: revision → the label that it wrote."""

    labels: dict[int, str] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, number: int, label: str) -> None:
        with self.lock:
            assert number not in self.labels, f"revision {number} was given twice"
            self.labels[number] = label


def main() -> None:
    seed = int(os.environ.get("CHAOS_SEED", str(random.randrange(10_000))))
    random.seed(seed)
    print(f"{ROUNDS} rounds, {CLIENTS} clients, seed {seed}")
    acknowledged = Acknowledged()
    with tempfile.TemporaryDirectory() as folder, own_place(Path(folder)) as place:
        for number in range(1, ROUNDS + 1):
            play_round(place, acknowledged, number)
        with running(place) as server:
            check(server, place, acknowledged)
    print(f"{ROUNDS} kills, {len(acknowledged.labels)} acknowledged revisions, none lost")
    print(f"chaos: {ROUNDS} passed, 0 failed")


def play_round(place: dict[str, str], acknowledged: Acknowledged, number: int) -> None:
    before = len(acknowledged.labels)
    with running(place) as server, ExitStack() as stack:
        check(server, place, acknowledged)
        stop = threading.Event()
        clients = [
            threading.Thread(target=write, args=(server, stop, acknowledged, f"r{number}c{client}"))
            for client in range(CLIENTS)
        ]
        for client in clients:
            stack.callback(client.join)
            client.start()
        stack.callback(stop.set)
        wait_for(acknowledged, before + random.randint(1, 12))
        time.sleep(random.uniform(0, 0.1))
        os.killpg(server.process.pid, signal.SIGKILL)
        server.process.wait()
    print(f"round {number}: {len(acknowledged.labels) - before} revisions before the kill")


def wait_for(acknowledged: Acknowledged, count: int) -> None:
    deadline = time.monotonic() + 60
    while len(acknowledged.labels) < count:
        assert time.monotonic() < deadline, "the server does not take writes"
        time.sleep(0.001)


def write(server: Server, stop: threading.Event, acknowledged: Acknowledged, name: str) -> None:
    headers = {"Authorization": f"Bearer {server.write_token}"}
    with httpx.Client(base_url=server.base_url, headers=headers, timeout=10) as client:
        for count in range(100_000):
            if stop.is_set():
                return
            label = f"{name}n{count}"
            try:
                response = client.patch(f"/clusters/{CLUSTER}", json={"labels": {"chaos": label}})
            except httpx.TransportError:
                return
            assert response.status_code == 200, response.text
            acknowledged.add(int(response.headers["X-Fleet-Revision"]), label)


def check(server: Server, place: dict[str, str], acknowledged: Acknowledged) -> None:
    for number, label in list(acknowledged.labels.items())[-RECENT:]:
        response = server.get(f"/revisions/{number}")
        assert response.status_code == 200, f"revision {number} is lost: {response.text}"
        [change] = response.json()["changes"]
        [labels] = change["fields"]
        assert labels["new"]["chaos"] == label, f"revision {number} is not what was acknowledged"
    verified = run(
        (sys.executable, "manage.py", "verify_history"), **place, SECRET_KEY="for this check alone"
    )
    assert verified.returncode == 0, verified.stderr
    present = server.get(f"/clusters/{CLUSTER}").json()["labels"].get("chaos")
    newest = max(acknowledged.labels, default=0)
    if newest and int(server.get("/revisions?limit=1").json()[0]["number"]) == newest:
        assert present == acknowledged.labels[newest]


if __name__ == "__main__":
    main()
