"""JSON as written by people: what Python's parser would pass over is an error here."""

import json
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

MAX_DEPTH = 64
# Texts that are shared at a time: what a fleet repeats are the names of its catalog.
SHARED_TEXTS = 4_096


class BadJSON(ValueError):
    """Text that is not JSON, or that does not say one clear thing."""


def parse_json(text: str | bytes) -> Any:
    """Refuses duplicate keys, of which all but one would be lost, and NaN and Infinity."""
    # Each cluster names a dozen objects that thousands name too. As a text of its own each time,
    # they were a third of what a large seed takes.
    shared = lru_cache(maxsize=SHARED_TEXTS)(str)
    try:
        value = json.loads(
            text, object_pairs_hook=partial(_object, shared), parse_constant=_constant
        )
    except BadJSON:
        raise
    except json.JSONDecodeError as error:
        raise BadJSON(f"{error.msg} in line {error.lineno}, column {error.colno}") from None
    except UnicodeDecodeError:
        raise BadJSON("it is not UTF-8 text") from None
    except ValueError:
        raise BadJSON("it has a number of too many digits") from None
    except RecursionError:
        raise BadJSON(f"it is nested deeper than {MAX_DEPTH} levels") from None
    check_depth(value)
    return value


def check_depth(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for item in level
            if isinstance(item, dict | list)
            for child in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return
    raise BadJSON(f"it is nested deeper than {MAX_DEPTH} levels")


def _object(shared: Callable[[str], str], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = {name: _with_shared(shared, value) for name, value in pairs}
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadJSON(f"the key {twice!r} is there twice in one object")
    return found


def _with_shared(shared: Callable[[str], str], value: Any) -> Any:
    if isinstance(value, str):
        return shared(value)
    if isinstance(value, list):
        return [shared(item) if isinstance(item, str) else item for item in value]
    return value


def _constant(name: str) -> Any:
    raise BadJSON(f"{name} is not a JSON number")
