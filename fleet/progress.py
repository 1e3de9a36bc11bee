"""How far long work has come, for whoever waits for it."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Item = TypeVar("Item")
# What is being done, how many are done, and of how many; 0 of 0 where nobody counts.
Listener = Callable[[str, int, int], None]

EVERY = 50

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def told_to(listener: Listener) -> Iterator[None]:
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def say(what: str) -> None:
    listener = _listener.get()
    if listener is not None:
        listener(what, 0, 0)


def counted(items: Iterable[Item], what: str, total: Callable[[], int]) -> Iterator[Item]:
    """The items as they come; nothing is counted where nobody listens."""
    listener = _listener.get()
    if listener is None:
        yield from items
        return
    of = total()
    for done, item in enumerate(items):
        if done % EVERY == 0:
            listener(what, done, max(done, of))
        yield item
