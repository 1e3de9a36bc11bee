"""How the answers of a cluster differ, item by item and field by field. Pure."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fleet.inputs import COMPONENTS, RESOURCES, Answers, Item
from fleet.values import format_key, to_json

ADDED, CHANGED, REMOVED = "added", "changed", "removed"


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
            yield ItemChange(resource, item_id, ADDED, body=new[item_id].body)
        elif new_item is None:
            yield ItemChange(resource, item_id, REMOVED, body=old_item.body)
        elif old_item.body != new_item.body or old_block != new_block:
            fields = _fields(old_item.body, new_item.body)
            if old_block != new_block:
                fields += _fields(f'{{"cluster":{old_block}}}', f'{{"cluster":{new_block}}}')
            yield ItemChange(resource, item_id, CHANGED, fields)


def _by_id(items: tuple[Item, ...]) -> dict[str, Item]:
    return {item.id: item for item in items}


@lru_cache(maxsize=4096)
def _fields(old_body: str, new_body: str) -> tuple[FieldChange, ...]:
    """Kept, since a change to the fleet makes the same difference on many clusters."""
    old, new = json.loads(old_body), json.loads(new_body)
    # Most fields stay, and need not be taken apart. By `==`, 1, 1.0 and true would be one.
    for name in [name for name in old if name in new and repr(old[name]) == repr(new[name])]:
        del old[name], new[name]
    return tuple(field_changes(old, new))


def field_changes(old: Any, new: Any) -> Iterator[FieldChange]:
    old_leaves, new_leaves = dict(_leaves(old)), dict(_leaves(new))
    for path in sorted(old_leaves.keys() | new_leaves.keys()):
        # `patches` is the textual view of `values`: telling a change twice helps nobody.
        if path[0] in {"patches", "id"}:
            continue
        old_value, new_value = old_leaves.get(path), new_leaves.get(path)
        if old_value != new_value:
            yield FieldChange(format_key(path), old_value, new_value)


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, Mapping) and (value or not path):
        for key, child in value.items():
            yield from _leaves(child, (*path, key))
    elif not (value == {} and path in {("values",), ("patches",), ("labels",), ("annotations",)}):
        yield path, to_json(value)
