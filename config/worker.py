"""gunicorn's worker with threads, but for how it takes its leave."""

import queue
import signal
from contextlib import suppress
from typing import Any

from gunicorn.workers.gthread import ThreadWorker


class FleetWorker(ThreadWorker):
    sockets: list[Any]
    # The master's own, as it was at the fork; see `init_signals`.
    early_signals: Any

    def init_signals(self) -> None:
        """Until here the handlers of the master were in force, which only write a signal down: a
        worker that is told to stop while it starts would not know, and end by SIGKILL."""
        super().init_signals()
        with suppress(queue.Empty):
            while True:
                if self.early_signals.get_nowait() == signal.SIGTERM:
                    self.alive = False

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
