"""What is wanted of an object and of the rows that belong to it, before it is compared with the
rows that are there. Fields and children that a specification does not name stay as they are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fleet.models.tracked import Row
from fleet.values import text_view

# The identity of a child within its owner, such as (component,) or (component, key).
Tail = tuple[str, ...]
Wanted = dict[Tail, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Replace:
    """These children, and no others."""

    wanted: Wanted

    def rows(self, existing: Mapping[Tail, Row]) -> Wanted:
        return self.wanted


@dataclass(frozen=True, slots=True)
class GivenValue:
    """A value, and its text where it came by the textual view `patches`."""

    value: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class GivenViews:
    """`patches` and `values` as given; None where a view was not given.

    A seed has each value in one of them. A document of the API shows all values in both, and may
    come back with an edit in either: then what is as it was stands back behind the edit.
    """

    patches: Mapping[Tail, GivenValue] | None
    values: Mapping[Tail, GivenValue] | None
    each_once: bool

    def resolve(self, existing: Mapping[Tail, Row]) -> dict[Tail, str]:
        patches, values = self.patches or {}, self.values or {}
        wanted = {}
        for tail in patches.keys() | values.keys():
            value = self._choose(tail, existing.get(tail))
            if value is not None:
                wanted[tail] = value
        return wanted

    def _choose(self, tail: Tail, row: Row | None) -> str | None:
        text = (self.patches or {}).get(tail)
        exact = (self.values or {}).get(tail)
        if text is not None and exact is not None:
            return _exact(text, row) if _is_as_stored(exact, row) else exact.value
        one_missing = self.patches is not None and self.values is not None and not self.each_once
        if text is not None:
            return None if one_missing and _is_as_stored(text, row) else _exact(text, row)
        assert exact is not None  # noqa: S101
        return None if one_missing and _is_as_stored(exact, row) else exact.value

    def contradictions(self, existing: Mapping[Tail, Row]) -> list[Tail]:
        """Keys that were edited in both views, to different values."""
        both = (self.patches or {}).keys() & (self.values or {}).keys()
        return sorted(
            tail
            for tail in both
            if not _same(self.patches[tail], self.values[tail])  # type: ignore[index]
            and not _is_as_stored(self.patches[tail], existing.get(tail))  # type: ignore[index]
            and not _is_as_stored(self.values[tail], existing.get(tail))  # type: ignore[index]
        )


def _same(text: GivenValue, exact: GivenValue) -> bool:
    return text.text == text_view(exact.value) or text.value == exact.value


def _is_as_stored(given: GivenValue, row: Row | None) -> bool:
    if row is None or row.unset:
        return False
    return given.value == row.value or given.text == text_view(row.value)


@dataclass(frozen=True, slots=True)
class ReplacePatches:
    """Values and unset keys, each replaced as a whole where given, and kept where None.

    A key that is now unset loses its value, and the other way round.
    """

    views: GivenViews | None = None
    unset: frozenset[Tail] | None = None

    def rows(self, existing: Mapping[Tail, Row]) -> Wanted:
        unset, views = self.unset, self.views
        wanted: Wanted = {}
        if views is None:
            wanted.update(
                (tail, {"value": row.value, "unset": False})
                for tail, row in existing.items()
                if not row.unset
            )
        if unset is None:
            wanted.update(
                (tail, {"value": "", "unset": True}) for tail, row in existing.items() if row.unset
            )
        for tail, value in (views.resolve(existing) if views else {}).items():
            wanted[tail] = {"value": value, "unset": False}
        for tail in unset or ():
            wanted[tail] = {"value": "", "unset": True}
        return wanted


def _exact(given: GivenValue, row: Row | None) -> str:
    """Text cannot tell "3" from 3. Given back as it was read, it must not change the type."""
    if row is not None and not row.unset and text_view(row.value) == given.text:
        return row.value
    return given.value


@dataclass(slots=True)
class Spec:
    model: Any
    id: str
    path: str
    attributes: dict[str, Any] = field(default_factory=dict)
    children: dict[Any, Replace | ReplacePatches] = field(default_factory=dict)
    # Of a cluster: the state to bring it to, and the answers that it was frozen with.
    state: str | None = None
    frozen_answers: str | None = None
