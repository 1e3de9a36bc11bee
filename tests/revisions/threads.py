"""Real threads, each with a database connection of its own."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from django.db import connections


@contextmanager
def running(act: Callable[[int], Any], count: int) -> Iterator[list[Future[Any]]]:
    """`act(0)`, `act(1)`, … at the same time; all have ended well when the block ends."""

    def run(number: int) -> Any:
        try:
            return act(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        futures = [pool.submit(run, number) for number in range(count)]
        yield futures
        for future in futures:
            future.result()


def results(act: Callable[[int], Any], count: int) -> list[Any]:
    with running(act, count) as futures:
        pass
    return [future.result() for future in futures]
