"""The keys of the patches of one layer: what an object gives, and what does not go together."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fleet.desired_state.values import (
    JSONText,
    Path,
    ValueProblem,
    check_value,
    conflicts,
    format_key,
    leaves,
    parse_key,
    to_json,
)

TWICE = "has two patches here; keep one of them"


def taken_apart(key: str, value: JSONText) -> list[tuple[str, JSONText]]:
    """An object is kept as its leaves, each a patch of its own, as in the API."""
    decoded = json.loads(value)
    if not isinstance(decoded, dict) or not decoded:
        return [(key, value)]
    pieces = []
    for path, leaf in leaves(decoded, parse_key(key)):
        name = format_key(path)
        try:
            parse_key(name)
            check_value(leaf)
        except ValueProblem as problem:
            raise ValueProblem(f"would make the key {name[:80]}, which {problem}") from problem
        pieces.append((name, to_json(leaf)))
    return pieces


@dataclass(frozen=True, slots=True)
class Key:
    """A key of this layer: of a row on this page, or of one on another page, without a form."""

    component: str
    path: Path
    unset: bool
    form: Any = None


def key_problems(keys: list[Key]) -> Iterator[tuple[Key, str]]:
    """What the guards refuse too, but told of the row where it is."""
    counts = Counter((key.component, key.path) for key in keys)
    yield from ((key, TWICE) for key in keys if counts[key.component, key.path] > 1)
    by_place = {(key.component, key.path): key for key in keys if not key.unset}
    for component in sorted({key.component for key in keys}):
        own = [key.path for key in keys if key.component == component and not key.unset]
        for found in conflicts(own):
            yield by_place[component, found.long], found.of_long
            if by_place[component, found.long].form is None:
                yield by_place[component, found.short], found.of_short
