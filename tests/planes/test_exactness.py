"""While several write and others poll, no poll is older than what was committed before it.

Each writer counts up a number that some cluster gets, and tells what it has committed; each reader
takes note of that, polls, and must find no less. The read plane has two workers, each of which
keeps answers for itself.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.planes.conftest import READ_ONLY, SECRETS, SERVE
from tests.processes import Server, own_place, running

SECONDS = 6
CLUSTERS = ("demo-cluster-01", "dev-eu-01")
COMPONENT = "podinfo"
KEYS = {"cluster": "exact.cluster", "catalog": "exact.catalog"}


@pytest.fixture(scope="module")
def planes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Server]]:
    """On the database of this suite, whichever it is."""
    folder: Path = tmp_path_factory.mktemp("exactness")
    with own_place(folder) as place, ExitStack() as stack:
        own = {**place, **SECRETS}
        crud = stack.enter_context(running(own))
        yield (
            crud,
            stack.enter_context(running({**own, **READ_ONLY, "WEB_CONCURRENCY": "2"}, SERVE)),
        )


@dataclass
class Exactness:
    crud: Server
    read: Server
    # By what is counted: the newest number that a writer was told is committed.
    committed: dict[str, int] = field(default_factory=dict)
    polls: int = 0
    problems: list[str] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def ask(self, client: httpx.Client, method: str, path: str, body: Any = None) -> httpx.Response:
        response = client.request(method, path, json=body)
        assert response.is_success, response.text
        return response

    def write_cluster(self, cluster: str) -> None:
        """A change of one cluster must reach its own answers, and no others need to be read."""
        with client_of(self.crud) as client:
            number = 0
            while not self.ended.is_set():
                number += 1
                patch = {"patches": {COMPONENT: {KEYS["cluster"]: str(number)}}}
                self.ask(client, "PATCH", f"/clusters/{cluster}", patch)
                self.committed[cluster] = number

    def write_catalog(self) -> None:
        with client_of(self.crud) as client:
            number = 0
            while not self.ended.is_set():
                number += 1
                patch = {"patches": {KEYS["catalog"]: str(number)}}
                self.ask(client, "PATCH", f"/platform_components/{COMPONENT}", patch)
                self.committed["catalog"] = number
                time.sleep(0.2)

    def poll(self, cluster: str) -> None:
        path = f"/api/v2/flux/clusters/{cluster}.k8s.example.com/platform-components"
        with client_of(self.read, self.read.read_token) as client:
            while not self.ended.is_set():
                expected = {
                    "cluster": self.committed.get(cluster, 0),
                    "catalog": self.committed.get("catalog", 0),
                }
                response = client.get(path)
                self.polls += 1
                if response.status_code != 200:
                    self.problems.append(response.text)
                    continue
                got = patches_in(response)
                for name, number in expected.items():
                    if int(got.get(KEYS[name], 0)) < number:
                        self.problems.append(f"{cluster}: {name} {got} after {number}")

    def come_and_go(self) -> None:
        """A token works from its first moment, and not a moment longer than it lives."""
        path = f"/api/v2/flux/clusters/{CLUSTERS[0]}.k8s.example.com/namespaces"
        with client_of(self.crud) as client:
            while not self.ended.is_set():
                given = {"id": "brief", "kind": "cluster", "cluster": CLUSTERS[0]}
                secret = self.ask(client, "POST", "/tokens", given).json()["token"]
                valid = [self.read.get(path, secret).status_code for _ in range(4)]
                self.ask(client, "DELETE", "/tokens/brief")
                ended = [self.read.get(path, secret).status_code for _ in range(4)]
                if (set(valid), set(ended)) != ({200}, {401}):
                    self.problems.append(f"token: {valid} then {ended}")

    def go(self) -> None:
        work: list[Callable[[], None]] = [self.write_catalog, self.come_and_go]
        for cluster in CLUSTERS:
            work.append(lambda cluster=cluster: self.write_cluster(cluster))  # type: ignore[misc]
            work += [lambda cluster=cluster: self.poll(cluster)] * 2  # type: ignore[misc]
        threads = [threading.Thread(target=self.told, args=(each,)) for each in work]
        for thread in threads:
            thread.start()
        time.sleep(SECONDS)
        self.ended.set()
        for thread in threads:
            thread.join()

    def told(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:
            self.problems.append(repr(error))


def client_of(server: Server, token: str | None = None) -> httpx.Client:
    headers = {"Authorization": f"Bearer {token or server.write_token}"}
    return httpx.Client(base_url=server.base_url, headers=headers, timeout=60)


def patches_in(response: httpx.Response) -> dict[str, str]:
    items = response.json()["inputs"]
    [found] = [item["patches"] for item in items if item["id"] == COMPONENT]
    return found


def test_no_poll_is_older_than_what_was_committed_before_it(planes: tuple[Server, Server]) -> None:
    crud, read = planes
    exactness = Exactness(crud, read)
    exactness.go()
    assert exactness.problems == []
    # Whatever the machine, it was about something.
    assert min(exactness.committed[name] for name in (*CLUSTERS, "catalog")) > 3
    assert exactness.polls > 50
