"""Helm values: the path of a key, the typing of text, and the flat and the nested view. Pure.

A patch is a path and an exact value, the value kept as canonical JSON text. Text compares exactly
(`1`, `1.0`, `true` and `"1"` are four different values, which Python's `==` would mix up), hashes,
and survives any database unchanged.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

Path = tuple[str, ...]
JSONText = str

MAX_KEY_LENGTH = 512
MAX_DEPTH = 32
# Flux Operator reads every number as a 64-bit float, and would round what is beyond.
EXACT = range(-(2**53) + 1, 2**53)
# In JSON these stand as they are, and what a template makes of the values is read as YAML: of one,
# U+0085, it makes a blank, and for any other it refuses everything that the cluster gets.
NOT_IN_YAML = re.compile("[\x7f-\x9f\ufffe\uffff]")
# Python refuses to read more than 4,300 digits as a number.
WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,4000}")


class ValueProblem(ValueError):
    """A key or a value that cannot be kept; the message is written for the person who typed it."""


# Made once: `json.dumps` with options makes one for each call, which is half of what it costs.
ENCODER = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
)


def to_json(value: Any) -> JSONText:
    """The one spelling of a value: same data, same text."""
    try:
        return ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueProblem("must be a value that JSON can hold") from error


def from_json(text: JSONText) -> Any:
    return json.loads(text) if text.startswith(("[", "{")) else _plain(text)


@lru_cache(maxsize=8_192)
def _plain(text: JSONText) -> Any:
    """Kept, since the same stand in many places; nobody can change them."""
    return json.loads(text)


def check_value(value: Any, depth: int = 0) -> None:
    """Refuses what a database, Flux or Helm could not carry unchanged."""
    if depth > MAX_DEPTH:
        raise ValueProblem(f"is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, str):
        check_text(value)
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int):
        if value not in EXACT:
            raise ValueProblem(
                "is a whole number that Flux would round; write it as text in quotes"
            )
    elif isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise ValueProblem("is not a finite number")
    elif isinstance(value, Mapping):
        for key, child in value.items():
            check_text(key)
            check_value(child, depth + 1)
    elif isinstance(value, list | tuple):
        for child in value:
            check_value(child, depth + 1)
    else:
        raise ValueProblem("must be a value that JSON can hold")


def check_text(text: Any) -> None:
    if not isinstance(text, str):
        raise ValueProblem("must have texts as keys")
    if "\x00" in text:
        raise ValueProblem("contains a NUL character")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise ValueProblem("contains half of a Unicode surrogate pair")
    if found := NOT_IN_YAML.search(text):
        raise ValueProblem(f"contains the character U+{ord(found[0]):04X}, which YAML cannot carry")


@lru_cache(maxsize=65_536)
def parse_key(key: str) -> Path:
    r"""`a.b\.c` is the path `a`, `b.c`: a backslash takes the next character as it is."""
    if not key:
        raise ValueProblem("must not be empty")
    if len(key) > MAX_KEY_LENGTH:
        raise ValueProblem(f"is longer than {MAX_KEY_LENGTH} characters")
    check_text(key)
    segments, segment, chars = [], "", iter(key)
    for char in chars:
        if char == "\\":
            following = next(chars, None)
            if following is None:
                raise ValueProblem("ends in a lone backslash")
            segment += following
        elif char == ".":
            segments.append(segment)
            segment = ""
        elif char == "[":
            raise ValueProblem(
                r"sets one item of a list; lists are replaced whole (write \[ for a real bracket)"
            )
        else:
            segment += char
    segments.append(segment)
    if not all(segments):
        raise ValueProblem("has an empty part between its dots")
    if len(segments) > MAX_DEPTH:
        raise ValueProblem(f"is nested deeper than {MAX_DEPTH} levels")
    return tuple(segments)


@lru_cache(maxsize=65_536)
def format_key(path: Path) -> str:
    return ".".join(re.sub(r"([\\.\[])", r"\\\1", segment) for segment in path)


def type_text(text: str) -> Any:
    """Types text as Helm's `--set` does, but for numbers that would not arrive as they are."""
    lowered = text.lower()
    if lowered in {"true", "false"}:
        return lowered == "true"
    if lowered == "null":
        return None
    if text == "0":
        return 0
    if not text.startswith("0") and WHOLE_NUMBER.fullmatch(text) and int(text) in EXACT:
        return int(text)
    return text


def typed(value: Any) -> Any:
    """A value as given in `patches`: text is typed, everything else is meant as it is."""
    return type_text(value) if isinstance(value, str) else value


@lru_cache(maxsize=8_192)
def text_view(value: JSONText) -> str:
    """How `patches` shows a value: a string as it is, the rest as JSON text."""
    decoded = json.loads(value)
    return decoded if isinstance(decoded, str) else value


@lru_cache(maxsize=8_192)
def survives_as_text(value: JSONText) -> bool:
    """Whether writing the `patches` text back gives exactly this value."""
    return to_json(type_text(text_view(value))) == value


def leaves(value: Any, prefix: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Objects are merged key by key, so they are kept as their leaves; `{}` is a leaf itself.

    Not followed deeper than a key can be, so that no document makes Python run out of stack.
    """
    if isinstance(value, Mapping) and (value or not prefix) and len(prefix) <= MAX_DEPTH:
        for key, child in value.items():
            yield from leaves(child, (*prefix, key))
    else:
        yield prefix, value


def nest(patches: Iterable[tuple[Path, JSONText]]) -> dict[str, Any]:
    """The nested view of patches that do not conflict."""
    root: dict[str, Any] = {}
    for path, value in patches:
        node = root
        for segment in path[:-1]:
            node = node.setdefault(segment, {})
        node[path[-1]] = from_json(value)
    return root


def flat_view(patches: Iterable[tuple[Path, JSONText]]) -> dict[str, str]:
    return {format_key(path): text_view(value) for path, value in patches}


class KeyConflict(NamedTuple):
    """Two keys that no layer can have side by side: `a` and `a.b`. Each may be the one to go."""

    short: Path
    long: Path

    @property
    def of_long(self) -> str:
        key = format_key(self.short)
        return f"leads through {key}, which has a value of its own; keep one of the two"

    @property
    def of_short(self) -> str:
        return f"is in the way of {format_key(self.long)}; keep one of the two"


def conflicts(paths: Iterable[Path]) -> list[KeyConflict]:
    """Pairs of which one path leads through the other."""
    known = set(paths)
    return [
        KeyConflict(path[:length], path)
        for path in sorted(known)
        for length in range(1, len(path))
        if path[:length] in known
    ]
