"""Clients that poll without a pause, as many clusters would, and remember what went wrong."""

import http.client
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.processes import Server

PATH = "/api/v2/flux/clusters/demo-cluster-01.k8s.example.com/platform-components"
CLIENTS = ("on_new_connections", "on_one_connection") * 2
CLOSED = (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError)


@dataclass
class Polls:
    """What the clients of one test saw."""

    server: Server
    answered: int = 0
    retried: int = 0
    refused: int = 0
    failures: list[str] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def connect(self) -> http.client.HTTPConnection:
        address = self.server.environment["LISTEN_ADDR"]
        connection = http.client.HTTPConnection(address, timeout=30)
        connection.connect()
        return connection

    def ask(self, connection: http.client.HTTPConnection) -> None:
        token = self.server.read_token
        connection.request("GET", PATH, headers={"Authorization": f"Bearer {token}"})
        response = connection.getresponse()
        body = response.read()
        if response.status != 200 or not body.endswith(b"]}"):
            self.failures.append(f"{response.status} {body[:200]!r}")
        self.answered += 1

    def on_new_connections(self) -> None:
        """Whoever could connect must get an answer."""
        while not self.ended.is_set():
            connection = self.connect()
            self.ask(connection)
            connection.close()

    def on_one_connection(self) -> None:
        """As Go's HTTP client, and so Flux: a connection that was used before may be found closed,
        and is replaced once. A new one may not."""
        connection, used = self.connect(), False
        while not self.ended.is_set():
            try:
                self.ask(connection)
            except CLOSED:
                if not used:
                    raise
                self.retried += 1
                connection, used = self.connect(), False
                continue
            used = connection.sock is not None
            if not used:
                connection = self.connect()

    def watched(self, client: str) -> None:
        try:
            getattr(self, client)()
        except ConnectionRefusedError:
            self.refused += 1
        except Exception as error:
            self.failures.append(f"{client}: {error!r}")


@contextmanager
def polling(server: Server) -> Iterator[Polls]:
    polls = Polls(server)
    threads = [threading.Thread(target=polls.watched, args=(name,)) for name in CLIENTS]
    for thread in threads:
        thread.start()
    try:
        yield polls
    finally:
        polls.ended.set()
        for thread in threads:
            thread.join(30)


def wait_for_answers(polls: Polls, count: int) -> None:
    enough, deadline = polls.answered + count, time.monotonic() + 30
    while polls.answered < enough and not polls.failures and time.monotonic() < deadline:
        time.sleep(0.01)
    assert polls.answered >= enough or polls.failures
