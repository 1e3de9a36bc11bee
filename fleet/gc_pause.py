"""Python's search for cycles, and when it is not worth its while."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """For hundreds of thousands of rows and no cycles among them: looking for some costs a fifth.

    It is off for the other threads too, so this is for seconds: an import, or the end of a change.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        # Whoever switched it off switches it on again, while others may still want it off.
        if was_on:
            gc.enable()
