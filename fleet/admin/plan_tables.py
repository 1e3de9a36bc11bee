"""A plan as tables that a person can read: no more of them than a page can hold."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fleet.desired_state.values import typed
from fleet.plans.diff import FieldChange, ItemChange
from fleet.plans.plan import Group, Plan, PlanWarning

MAX_GROUPS = 30
MAX_ITEMS = 40
MAX_FIELDS = 60
MAX_NAMES = 12
MAX_TEXT = 400
NOUNS = {
    "platform-components": "component",
    "namespaces": "namespace",
    "rolebindings": "role binding",
}


@dataclass(frozen=True, slots=True)
class Names:
    """The first clusters, and how many there are beside them."""

    shown: tuple[str, ...]
    more: int

    @classmethod
    def of(cls, names: Sequence[str]) -> "Names":
        return cls(tuple(names[:MAX_NAMES]), max(0, len(names) - MAX_NAMES))

    @property
    def count(self) -> int:
        return len(self.shown) + self.more


@dataclass(frozen=True, slots=True)
class FieldRow:
    field: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class ItemTable:
    """One thing that clusters get, with what changes in it."""

    noun: str
    id: str
    action: str
    takes_away: bool
    rows: tuple[FieldRow, ...]
    total: int

    @property
    def more(self) -> int:
        return self.total - len(self.rows)


@dataclass(frozen=True, slots=True)
class GroupTable:
    clusters: Names
    items: tuple[ItemTable, ...]
    more: int


@dataclass(frozen=True, slots=True)
class WarningLine:
    message: str
    clusters: Names


@dataclass(frozen=True, slots=True)
class PlanTables:
    clusters: int
    removing: Names
    purged: Names
    warnings: tuple[WarningLine, ...]
    groups: tuple[GroupTable, ...]
    more_groups: int
    rows: int
    counts: tuple[str, ...]

    @classmethod
    def of(cls, plan: Plan) -> "PlanTables":
        return cls(
            clusters=plan.totals.clusters,
            removing=Names.of(plan.removing_clusters),
            purged=Names.of(plan.purged),
            warnings=tuple(map(_warning, plan.warnings)),
            groups=tuple(map(_group, plan.groups[:MAX_GROUPS])),
            more_groups=max(0, len(plan.groups) - MAX_GROUPS),
            rows=sum(plan.rows.values()),
            counts=tuple(_counts(plan)),
        )


def _counts(plan: Plan) -> Iterator[str]:
    """“12 components changed”, summed up over all clusters."""
    totals = plan.totals
    for verb, counts in (
        ("added", totals.added),
        ("changed", totals.changed),
        ("removed", totals.removed),
    ):
        for resource, count in sorted(counts.items()):
            yield f"{count} {NOUNS[resource]}{'s' if count > 1 else ''} {verb}"


def _warning(warning: PlanWarning) -> WarningLine:
    return WarningLine(warning.message, Names.of(warning.clusters))


def _group(group: Group) -> GroupTable:
    # What is taken away comes first: it must not hide below the fold.
    items = sorted(group.changes, key=lambda item: (not item.takes_away, item))
    return GroupTable(
        Names.of(group.clusters),
        tuple(map(_item, items[:MAX_ITEMS])),
        max(0, len(items) - MAX_ITEMS),
    )


def _item(change: ItemChange) -> ItemTable:
    fields = change.fields
    return ItemTable(
        NOUNS[change.resource],
        change.id,
        change.action,
        change.takes_away,
        tuple(map(_row, fields[:MAX_FIELDS])),
        len(fields),
    )


def _row(change: FieldChange) -> FieldRow:
    return FieldRow(change.field, _spelled(change.old), _spelled(change.new))


def _spelled(text: str | None) -> str | None:
    """Text without its quotes, unless it could be taken for something else: "3" is not 3."""
    if text is None:
        return None
    value: Any = json.loads(text)
    plain = isinstance(value, str) and value and typed(value) == value
    shown = value if plain else json.dumps(value, ensure_ascii=False)
    return shown if len(shown) <= MAX_TEXT else f"{shown[:MAX_TEXT]}…"
