"""How the answers of a cluster differ, item by item and field by field. Pure."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fleet.desired_state.inputs import COMPONENTS, RESOURCES, Answers, Item
from fleet.desired_state.values import Path, format_key, to_json

ADDED, CHANGED, REMOVED = "added", "changed", "removed"
ABSENT: Any = object()
PLAIN = (str, int, type(None))


@dataclass(frozen=True, slots=True, order=True)
class FieldChange:
    """Old and new are JSON text; None where there was, or is, no such field."""

    field: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True, order=True)
class ItemChange:
    """An input that a cluster gets, gets no longer, or gets with other fields.

    One that comes or goes has a body; its fields follow from that when somebody looks at them.
    """

    resource: str
    id: str
    action: str
    changed: tuple[FieldChange, ...] = ()
    body: str = ""

    @property
    def fields(self) -> tuple[FieldChange, ...]:
        if self.action == ADDED:
            return _fields("{}", self.body)
        return _fields(self.body, "{}") if self.action == REMOVED else self.changed

    @property
    def takes_away(self) -> bool:
        """Also a component that is switched off: its template renders nothing, so Flux removes."""
        return self.action == REMOVED or (
            self.resource == COMPONENTS
            and any(change.field == "enabled" and change.new == "false" for change in self.changed)
        )


def difference(before: Answers | None, after: Answers | None) -> tuple[ItemChange, ...]:
    """From nothing (a cluster that is new) or to nothing (one that is gone) is fine too."""
    return tuple(
        change for resource in RESOURCES for change in _resource_changes(resource, before, after)
    )


def _resource_changes(
    resource: str, before: Answers | None, after: Answers | None
) -> Iterator[ItemChange]:
    old_items = before.items[resource] if before else ()
    new_items = after.items[resource] if after else ()
    old_block = before.cluster if before else ""
    new_block = after.cluster if after else ""
    if old_items == new_items and (old_block == new_block or not old_items):
        return
    old, new = _by_id(old_items), _by_id(new_items)
    for item_id in sorted(old.keys() | new.keys()):
        old_item, new_item = old.get(item_id), new.get(item_id)
        if old_item is None:
            yield _whole(resource, item_id, ADDED, new[item_id].body)
        elif new_item is None:
            yield _whole(resource, item_id, REMOVED, old_item.body)
        elif old_item.body != new_item.body or old_block != new_block:
            fields = _fields(old_item.body, new_item.body)
            if old_block != new_block:
                fields += _fields(f'{{"cluster":{old_block}}}', f'{{"cluster":{new_block}}}')
            yield ItemChange(resource, item_id, CHANGED, fields)


@lru_cache(maxsize=4096)
def _whole(resource: str, item_id: str, action: str, body: str) -> ItemChange:
    """Kept, since many clusters get or lose the same: then a plan has it only once."""
    return ItemChange(resource, item_id, action, body=body)


def _by_id(items: tuple[Item, ...]) -> dict[str, Item]:
    return {item.id: item for item in items}


# `patches` is the textual view of `values`: telling a change twice helps nobody.
UNTOLD = ("patches", "id")
# Where nothing is no value of its own.
OPTIONAL = {("values",), ("labels",), ("annotations",)}


@lru_cache(maxsize=4096)
def _fields(old_body: str, new_body: str) -> tuple[FieldChange, ...]:
    """Kept, since a change to the fleet makes the same difference on many clusters."""
    return tuple(field_changes(json.loads(old_body), json.loads(new_body)))


def field_changes(old: dict[str, Any], new: dict[str, Any]) -> list[FieldChange]:
    for name in UNTOLD:
        old.pop(name, None)
        new.pop(name, None)
    return [
        FieldChange(format_key(path), then, now)
        for path, then, now in sorted(_differences(old, new, ()), key=lambda found: found[0])
    ]


def _differences(old: Any, new: Any, path: Path) -> Iterator[tuple[Path, str | None, str | None]]:
    """Each leaf that differs, as JSON."""
    if old and new and isinstance(old, dict) and isinstance(new, dict):
        for name in old.keys() | new.keys():
            then, now = old.get(name, ABSENT), new.get(name, ABSENT)
            if not _plainly_same(then, now):
                yield from _differences(then, now, (*path, name))
        return
    before, after = dict(_leaves(old, path)), dict(_leaves(new, path))
    for leaf in before.keys() | after.keys():
        if before.get(leaf) != after.get(leaf):
            yield leaf, before.get(leaf), after.get(leaf)


def _plainly_same(old: Any, new: Any) -> bool:
    """Most are, and need not be spelled out. By `==` alone 1 and true would be one, and by their
    types too 0.0 and -0.0."""
    return type(old) is type(new) and old == new and isinstance(old, PLAIN)


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if value is ABSENT or (value == {} and path in OPTIONAL):
        return
    if isinstance(value, dict) and (value or not path):
        for name, child in value.items():
            yield from _leaves(child, (*path, name))
    else:
        yield path, to_json(value)
