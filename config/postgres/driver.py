"""psycopg as Django takes it, the driver of a backend, with connections that end every wait.

It is the server that keeps `statement_timeout`: one that hangs, or whose host has vanished, does
not, and libpq would wait forever. So the wait ends here too, a little later, and the connection
with it.
"""

from collections.abc import Generator
from math import inf
from threading import local
from time import monotonic
from typing import Any

import psycopg
from django.core.signals import request_finished, request_started
from psycopg import *  # noqa: F403  (its exceptions and types, which a driver has to have)


class Request(local):
    """When the request began that this thread serves, if it serves one."""

    began: float | None = None

    def deadline(self, seconds: float | None) -> float:
        return inf if seconds is None or self.began is None else self.began + seconds


request = Request()


def begin_request(**kwargs: Any) -> None:
    request.began = monotonic()


def end_request(**kwargs: Any) -> None:
    request.began = None


request_started.connect(begin_request, dispatch_uid="config.postgres.begin_request")
request_finished.connect(end_request, dispatch_uid="config.postgres.end_request")


class BoundedConnection(psycopg.Connection[Any]):
    answer_seconds: float = inf
    # All statements of one request together; None: any time.
    request_seconds: float | None = None

    def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().wait(ending_at(self._deadline(), gen), *args, **kwargs)
        except TimeoutError:
            # Its answer may still come, and must not be taken for that of the next statement.
            self.close()
            raise psycopg.OperationalError("the server did not answer in time") from None

    def _deadline(self) -> float:
        return min(monotonic() + self.answer_seconds, request.deadline(self.request_seconds))


def ending_at(deadline: float, steps: Any) -> Generator[Any, Any, Any]:
    """The steps of psycopg, which wakes them up ten times a second while nothing comes."""
    try:
        wanted = next(steps)
        while True:
            ready = yield wanted
            if monotonic() > deadline:
                raise TimeoutError
            wanted = steps.send(ready)
    except StopIteration as end:
        return end.value


connect = BoundedConnection.connect
