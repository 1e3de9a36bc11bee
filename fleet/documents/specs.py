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
class ReplacePatches:
    """Values and unset keys, each replaced as a whole where given, and kept where None.

    A key that is now unset loses its value, and the other way round.
    """

    values: Mapping[Tail, GivenValue] | None = None
    unset: frozenset[Tail] | None = None

    def rows(self, existing: Mapping[Tail, Row]) -> Wanted:
        unset, values = self.unset, self.values
        wanted: Wanted = {}
        if values is None:
            wanted.update(
                (tail, {"value": row.value, "unset": False})
                for tail, row in existing.items()
                if not row.unset
            )
        if unset is None:
            wanted.update(
                (tail, {"value": "", "unset": True}) for tail, row in existing.items() if row.unset
            )
        for tail, given in (values or {}).items():
            wanted[tail] = {"value": _exact(given, existing.get(tail)), "unset": False}
        for tail in unset or ():
            wanted[tail] = {"value": "", "unset": True}
        return wanted


def _exact(given: GivenValue, row: Row | None) -> str:
    """Text cannot tell "3" from 3. Given back as it was read, it must not change the type."""
    as_read = row is not None and not row.unset and text_view(row.value) == given.text
    return row.value if as_read else given.value


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
