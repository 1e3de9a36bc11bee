"""JSON as written by people: what Python's parser would pass over is an error here."""

import json
from typing import Any

MAX_DEPTH = 64


class BadJSON(ValueError):
    """Text that is not JSON, or that does not say one clear thing."""


def parse_json(text: str | bytes) -> Any:
    """Refuses duplicate keys, of which all but one would be lost, and NaN and Infinity."""
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
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


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadJSON(f"the key {twice!r} is there twice in one object")
    return found


def _constant(name: str) -> Any:
    raise BadJSON(f"{name} is not a JSON number")
