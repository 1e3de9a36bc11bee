"""gunicorn's worker with threads, but for how it parts: from its master, and from its clients."""

import queue
import signal
import socket
import struct
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from selectors import EVENT_READ
from time import monotonic
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

# How long a client may take to hang up after the answer to its last request.
PARTING_SECONDS = 2


class HearsEarlySignals:
    """Until `init_signals` the handlers of the master are in force, which only write a signal down:
    a worker that is told to stop while it starts would not know, and end by SIGKILL."""

    # The master's own, as it was at the fork.
    early_signals: Any
    alive: bool

    def init_signals(self) -> None:
        super().init_signals()  # type: ignore[misc]
        with suppress(queue.Empty):
            while True:
                if self.early_signals.get_nowait() == signal.SIGTERM:
                    self.alive = False


class FleetWorker(HearsEarlySignals, ThreadWorker):
    sockets: list[Any]
    client_timeout: int

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.parting: deque[Any] = deque()

    def set_accept_enabled(self, enabled: bool) -> None:
        super().set_accept_enabled(enabled and self.alive)
        if not self.alive:
            self.stop_listening()

    def stop_listening(self) -> None:
        """At once, and not after the last request as gunicorn has it.

        Until then the kernel would go on to accept connections for us, and reset them all in the
        end; a connection that is refused at once is one that the client can safely try elsewhere.
        What the kernel has accepted already is answered.
        """
        for listener in self.sockets:
            for _ in range(self.cfg.backlog):
                before = self.nr_conns
                self.accept(listener)
                if self.nr_conns == before:
                    break
            listener.close()
        self.sockets = []

    def enqueue_req(self, conn: Any) -> None:
        """A client that stops in the middle of a request would else have its thread for ever. By
        the kernel, since gunicorn makes the socket blocking, which ends Python's own time-outs."""
        if not conn.initialized:
            seconds = struct.pack("ll", self.client_timeout, 0)
            conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, seconds)
            conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, seconds)
        super().enqueue_req(conn)

    def finish_request(self, conn: Any, fs: Future[Any]) -> None:
        """gunicorn waits right here until the client hangs up, and accepts nobody meanwhile."""
        if self.alive and not fs.cancelled() and not fs.exception() and fs.result():
            super().finish_request(conn, fs)
        else:
            self.begin_parting(conn)

    def begin_parting(self, conn: Any) -> None:
        try:
            conn.sock.shutdown(socket.SHUT_WR)
            conn.sock.setblocking(False)
            self.poller.register(conn.sock, EVENT_READ, partial(self.on_parting_readable, conn))
        except (OSError, ValueError):  # It is closed already.
            self.nr_conns -= 1
            conn.close()
            return
        conn.timeout = monotonic() + PARTING_SECONDS
        self.parting.append(conn)

    def on_parting_readable(self, conn: Any, sock: socket.socket) -> None:
        """What is left unread when a socket is closed costs the client the end of its answer."""
        try:
            gone = not sock.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            gone = True
        if gone:
            self.parting.remove(conn)
            self.hang_up(conn)

    def hang_up(self, conn: Any) -> None:
        self.poller.unregister(conn.sock)
        self.nr_conns -= 1
        conn.close()

    def murder_pending(self) -> None:
        """Called by gunicorn at least once a second."""
        super().murder_pending()
        while self.parting and self.parting[0].timeout <= monotonic():
            self.hang_up(self.parting.popleft())
