"""What is wanted of an object and of the rows that belong to it, before it is compared with the
rows that are there. Fields and children that a specification does not name stay as they are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from fleet.desired_state.values import text_view
from fleet.models.tracked import Row

# The identity of a child within its owner, such as (component,) or (component, key).
Tail = tuple[str, ...]
Wanted = dict[Tail, Mapping[str, Any]]

# Those of a child that is only there or not.
NO_ATTRIBUTES: Mapping[str, Any] = MappingProxyType({})


@lru_cache(maxsize=4_096)
def tail_of(*names: str) -> Tail:
    """Kept, since most clusters have the same children: in a large fleet, one tail for each child
    of each cluster would take hundreds of megabytes."""
    return names


@dataclass(frozen=True, slots=True)
class Replace:
    """These children, and no others; and for those with attributes, where in the document each
    stood: only these can have problems."""

    wanted: Wanted
    places: Mapping[Tail, str] = field(default_factory=dict)

    def rows(self, existing: Mapping[Tail, Row]) -> Wanted:
        return self.wanted


@dataclass(frozen=True, slots=True)
class ReplaceComponents(Replace):
    """Assigned components; and by id what is wanted of those whose `enabled` is marked as
    inherited, which it is where it equals what the layers below say."""

    marked: tuple[tuple[str, dict[str, Any]], ...] = ()


@dataclass(frozen=True, slots=True)
class GivenValue:
    """A value, and its text where it came by the textual view `patches`."""

    value: str
    text: str | None = None


@lru_cache(maxsize=4_096)
def given_value(value: str, text: str | None) -> GivenValue:
    """Kept, since many clusters are given the same."""
    return GivenValue(value, text)


class Together(Enum):
    """How `patches` and `values` go together where a document has both."""

    APART = "each value is in one of them, or alike in both: a seed, a new object"
    COPIED = "an edit in patches, and values perhaps a copy from before it: a whole document"
    EDITED = "both are what is stored, with an edit in either: a merge patch"


class Contradiction(ValueError):
    """The two views want different things of one key."""


@dataclass(frozen=True, slots=True)
class GivenViews:
    """`patches` and `values` as given; None where a view was not given.

    A document of the API shows all values in both. Clients that know only `patches` edit that and
    send `values` back as they read it, so there `patches` decides, and `values` may differ from it
    only by being as stored. An edit in `values` beside an old copy of `patches` looks the same as
    an old copy of `values` sent twice: to guess would undo the client's own edit.
    """

    patches: Mapping[Tail, GivenValue] | None
    values: Mapping[Tail, GivenValue] | None
    together: Together

    def resolve(self, existing: Mapping[Tail, Row]) -> dict[Tail, str]:
        """The wanted values; none of `contradictions()` may be left."""
        wanted = {}
        for tail in self._tails():
            row = existing.get(tail)
            given = self._choose(tail, row)
            if given is not None:
                wanted[tail] = _exact(given, row)
        return wanted

    def contradictions(self, existing: Mapping[Tail, Row]) -> list[Tail]:
        found = []
        for tail in sorted(self._tails()):
            try:
                self._choose(tail, existing.get(tail))
            except Contradiction:
                found.append(tail)
        return found

    def _tails(self) -> set[Tail]:
        return {*(self.patches or ()), *(self.values or ())}

    def _choose(self, tail: Tail, row: Row | None) -> GivenValue | None:
        if self.values is None or self.patches is None:
            return (self.values or self.patches or {}).get(tail)
        text, exact = self.patches.get(tail), self.values.get(tail)
        if _same(text, exact):
            return exact
        if self.together is Together.APART:
            if text is None or exact is None:
                return text or exact
        elif _is_as_stored(exact, row):
            return text
        elif self.together is Together.EDITED and _is_as_stored(text, row):
            return exact
        raise Contradiction


def _same(text: GivenValue | None, exact: GivenValue | None) -> bool:
    if text is None or exact is None:
        return text is exact
    return text.text == text_view(exact.value) or text.value == exact.value


def _is_as_stored(given: GivenValue | None, row: Row | None) -> bool:
    """Also of a key that is neither given nor stored."""
    if row is None or row.unset:
        return given is None
    return given is not None and (given.value == row.value or given.text == text_view(row.value))


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


@dataclass(frozen=True, slots=True)
class Claim:
    """Fields of a namespace or rolebinding that a document repeats beside its id, and where."""

    place: str
    model: Any
    id: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ReplaceReferences(Replace):
    """Children that refer to objects, of which the document may repeat the fields."""

    claims: tuple[Claim, ...] = ()


@dataclass(slots=True)
class Spec:
    model: Any
    id: str
    path: str
    attributes: dict[str, Any] = field(default_factory=dict)
    children: dict[Any, Replace | ReplacePatches] = field(default_factory=dict)
    # What the document says of objects that it only refers to; true, or the document is wrong.
    claims: list[Claim] = field(default_factory=list)
    # Of a cluster: the state to bring it to, and the answers that it was frozen with.
    state: str | None = None
    frozen_answers: str | None = None
    # Whether applying it wrote anything: the object or a row that belongs to it.
    wrote: bool = False
