"""`KEY=VALUE` on the command line: labels, and values of components."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from fleet_cli.errors import WrongUsage

# A dot leads into an object, unless a backslash makes it part of the name.
DOT = re.compile(r"(?<!\\)\.")


def split_pair(text: str, option: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise WrongUsage(f"{option} {text!r} must be KEY=VALUE.")
    return key, value


def map_of(texts: Iterable[str], option: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        key, value = split_pair(text, option)
        if key in found:
            raise WrongUsage(f"{option} names {key!r} twice.")
        found[key] = value
    return found


def edits_of(texts: Iterable[str], option: str) -> dict[str, str | None]:
    """`KEY=VALUE` sets, and `KEY-` takes away, as with kubectl."""
    found: dict[str, str | None] = {}
    for text in texts:
        if "=" not in text and text.endswith("-") and len(text) > 1:
            key, value = text[:-1], None
        else:
            key, value = split_pair(text, option)
        if key in found:
            raise WrongUsage(f"{option} names {key!r} twice.")
        found[key] = value
    return found


def values_of(
    texts: Sequence[str], strings: Sequence[str] = (), exact: Sequence[str] = ()
) -> dict[str, Any]:
    """A merge patch of a component's values, in the two views of the API.

    Text is typed as Helm's --set types it; `strings` stay text, `exact` are JSON.
    """
    patches: dict[str, Any] = dict(map_of(texts, "a value"))
    values: dict[str, Any] = {}
    for key, text in map_of(strings, "--string").items():
        _nest(values, key, text)
    for key, text in map_of(exact, "--json").items():
        value = _json(key, text)
        if value is None:
            patches[key] = "null"  # In a merge patch, null itself would take the key away.
        else:
            _nest(values, key, value)
    return {name: view for name, view in (("patches", patches), ("values", values)) if view}


def _json(key: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise WrongUsage(f"--json {key}: {text!r} is not JSON ({error}).") from None


def _nest(values: dict[str, Any], key: str, value: Any) -> None:
    *path, last = (re.sub(r"\\(.)", r"\1", part) for part in DOT.split(key))
    for part in path:
        values = values.setdefault(part, {})
        if not isinstance(values, dict):
            raise WrongUsage(f"{key!r} leads through {part!r}, which has a value of its own.")
    if last in values:
        raise WrongUsage(f"{key!r} is given twice.")
    values[last] = value
