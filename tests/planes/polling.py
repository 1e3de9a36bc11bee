"""Clusters that poll without a pause, and what they must never see."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx

from tests.processes import Server

DEMO = "/api/v2/flux/clusters/demo-cluster-01.k8s.example.com"
PATHS = (
    "/api/v2/flux/clusters",
    f"{DEMO}/platform-components",
    f"{DEMO}/namespaces",
    f"{DEMO}/rolebindings",
)
WAIT_SECONDS = 30
CUT_OFF = 0


@dataclass(frozen=True)
class Poll:
    at: float
    seconds: float
    status: int
    problem: str = ""


@dataclass
class Polls:
    """What each poll got; `CUT_OFF` stands for a connection without a whole answer."""

    server: Server
    expected: dict[str, bytes]
    seen: list[Poll] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)
    threads: list[threading.Thread] = field(default_factory=list)

    def start(self, clients: int) -> None:
        self.threads = [threading.Thread(target=self.go_on) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def stop(self) -> None:
        self.stopped.set()
        for thread in self.threads:
            thread.join()

    def go_on(self) -> None:
        headers = {"Authorization": f"Bearer {self.server.read_token}"}
        no_reuse = httpx.Limits(max_keepalive_connections=0)
        with httpx.Client(
            base_url=self.server.base_url, headers=headers, timeout=WAIT_SECONDS, limits=no_reuse
        ) as client:
            while not self.stopped.is_set():
                for path in PATHS:
                    self.seen.append(self.poll(client, path))
                time.sleep(0.01)

    def poll(self, client: httpx.Client, path: str) -> Poll:
        began = time.monotonic()
        try:
            response = client.get(path)
        except httpx.TransportError as error:
            return Poll(began, time.monotonic() - began, CUT_OFF, repr(error))
        problem = problem_of(response, self.expected[path])
        return Poll(began, time.monotonic() - began, response.status_code, problem)

    def since(self, moment: float) -> list[Poll]:
        return [poll for poll in self.seen if poll.at >= moment]

    def statuses(self) -> set[int]:
        return {poll.status for poll in self.seen}

    def check(self, *, may_be_cut_off: bool = False) -> None:
        """Each was whole and right, or an error that a cluster takes for one."""
        wrong = [
            poll
            for poll in self.seen
            if poll.problem and not (may_be_cut_off and poll.status == CUT_OFF)
        ]
        assert wrong == []
        assert len(self.seen) > 0

    def slowest(self) -> float:
        return max(poll.seconds for poll in self.seen)

    def wait_for(self, status: int, count: int = 5) -> float:
        """Until that many polls that begin from now on got it; how long it took."""
        began = time.monotonic()
        wait_until(lambda: [p.status for p in self.since(began)].count(status) >= count)
        return time.monotonic() - began


def problem_of(response: httpx.Response, expected: bytes) -> str:
    if int(response.headers.get("Content-Length", -1)) != len(response.content):
        return "the length is not that of the body"
    if response.status_code == 200:
        return "" if response.content == expected else f"not whole: {response.text}"
    if response.status_code < 500:
        return f"status {response.status_code}: {response.text}"
    known = response.json().get("error") in {"unavailable", "internal_error"}
    return "" if known else f"not our error: {response.text}"


def answers_of(server: Server) -> dict[str, bytes]:
    answers = {path: server.get(path) for path in PATHS}
    assert {answer.status_code for answer in answers.values()} == {200}
    return {path: answer.content for path, answer in answers.items()}


@contextmanager
def polling(server: Server, clients: int = 3) -> Iterator[Polls]:
    polls = Polls(server, answers_of(server))
    polls.start(clients)
    try:
        polls.wait_for(200)
        yield polls
    finally:
        polls.stop()


def wait_until(fulfilled: Callable[[], bool], seconds: float = WAIT_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not fulfilled():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
