from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from django.core.exceptions import ValidationError

from fleet.errors import Conflict, Invalid

SHOWN = 5


class Problems:
    """Everything that is wrong with what was given, by the path of the field."""

    def __init__(self) -> None:
        self.by_path: dict[str, list[str]] = {}
        # Those of what is right in itself, but taken.
        self._taken: set[str] = set()

    def add(self, path: str, message: str) -> None:
        messages = self.by_path.setdefault(path, [])
        if message not in messages:
            messages.append(message)

    def add_taken(self, path: str, message: str) -> None:
        """A name that another object has."""
        self._taken.add(path)
        self.add(path, message)

    def add_validation(self, path: str, error: ValidationError, names: dict[str, str]) -> None:
        """Django's errors, under the names that the wire has for the model's fields."""
        for field, errors in error.error_dict.items():
            name = names.get(field, field)
            where = join(path, name)
            if where in self.by_path:
                continue  # It could not be read, so the model had to do without it.
            for item in errors:
                self.add(where, _sentence(item))

    def add_detail(self, path: str, detail: Any) -> None:
        """Those that a field of a serializer raised: of its own, or by the way on from its path."""
        places = detail if isinstance(detail, dict) else {"": detail}
        for place, messages in places.items():
            for message in messages:
                self.add(path + place, str(message))

    def raise_if_any(self) -> None:
        if not self.by_path:
            return
        lines = [f"{path}: {' '.join(texts)}" for path, texts in self.by_path.items()]
        more = f" (and {len(lines) - SHOWN} more)" if len(lines) > SHOWN else ""
        refusal = Conflict if self.by_path.keys() <= self._taken else Invalid
        raise refusal("; ".join(lines[:SHOWN]) + more, self.by_path)


def _sentence(error: ValidationError) -> str:
    """With the wrong value and what is allowed, which Django's own messages do not always tell."""
    params: Any = error.params or {}
    if error.code in {"blank", "null"}:
        return "is required"
    if error.code == "max_length":
        return "has {show_value} characters; at most {limit_value} are allowed".format(**params)
    if error.code in {"min_value", "max_value"}:
        bound = "least" if error.code == "min_value" else "most"
        return f"{params['show_value']} must be at {bound} {params['limit_value']}"
    [message] = error.messages
    return f"{describe(params['value'])} {message}" if "value" in params else message


def join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def describe(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def near(word: str, known: Iterable[str]) -> str:
    """“ (did you mean podinfo?)”, or nothing."""
    found = get_close_matches(word, list(known), n=1)
    return f" (did you mean {found[0]}?)" if found else ""


def suggestion(word: str, allowed: Iterable[str]) -> str:
    """“ (did you mean podinfo?)”, or what is allowed where that is short."""
    known = sorted(allowed)
    hint = near(word, known)
    if hint:
        return hint
    if 0 < len(known) <= 20:
        return f" (allowed: {', '.join(known)})"
    return ""
