"""Waits for what a cluster does in its own time."""

import time
from collections.abc import Callable

SECONDS = 60


def eventually(look: Callable[[], object], expected: object, seconds: float = SECONDS) -> None:
    """Fails with what was seen last, so that the report shows the difference."""
    deadline = time.monotonic() + seconds
    while (seen := look()) != expected and time.monotonic() < deadline:
        time.sleep(0.2)
    assert seen == expected
