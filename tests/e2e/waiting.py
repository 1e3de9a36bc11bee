"""Waits for what a cluster does in its own time."""

import time
from collections.abc import Callable

# For a machine that has other things to do.
SECONDS = 120


def eventually(look: Callable[[], object], expected: object, seconds: float = SECONDS) -> None:
    """Fails with how what was seen last differs."""
    deadline = time.monotonic() + seconds
    while (seen := look()) != expected and time.monotonic() < deadline:
        time.sleep(0.2)
    assert seen == expected, f"after {seconds} seconds:\n{difference(seen, expected)}"


def difference(seen: object, expected: object, path: str = "") -> str:
    """A line for each value that differs, however deep."""
    if isinstance(seen, dict) and isinstance(expected, dict):
        both = [(key, seen.get(key, "-"), expected.get(key, "-")) for key in {**expected, **seen}]
        pairs = [(key, here, there) for key, here, there in both if here != there]
    elif isinstance(seen, tuple) and isinstance(expected, tuple):
        numbered = enumerate(zip(seen, expected, strict=True))
        pairs = [(number, *pair) for number, pair in numbered if pair[0] != pair[1]]
    else:
        return f"{path} is {seen!r} instead of {expected!r}"
    return "\n".join(difference(a, b, f"{path} → {key}") for key, a, b in pairs)
