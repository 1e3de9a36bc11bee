"""Which objects a revision changed, and which revisions changed an object."""

from collections.abc import Sequence
from typing import Any

from fleet import models
from fleet.errors import Invalid
from fleet.history.change import RowChange
from fleet.models.sections import SECTION_MODELS
from fleet.resources.problems import suggestion

# By the first part of their addresses.
OBJECTS: dict[str, Any] = {**SECTION_MODELS, "tokens": models.Token}
ACTIONS = {"+": "created", "~": "changed", "-": "deleted"}


def revisions_touching(text: str) -> set[int]:
    """By `section/id`: the object's own row and the rows that belong to it."""
    section, slash, item_id = text.partition("/")
    if not slash or section not in OBJECTS:
        hint = suggestion(section, OBJECTS)
        message = f"must be section/id, such as platform_components/podinfo{hint}"
        raise Invalid(f"object {message}.", {"object": [message]})
    model = OBJECTS[section]
    numbers = set(_numbers(model, "id", item_id))
    for table in models.children_of(model):
        numbers |= set(_numbers(table, table.identity[0], item_id))
    return numbers


def _numbers(model: Any, column: str, item_id: str) -> Any:
    history = model.history.model.objects.filter(**{column: item_id})
    return history.order_by().values_list("revision_id", flat=True)


def object_changes(changes: Sequence[RowChange]) -> list[dict[str, Any]]:
    return [_document(change) for change in changes]


def _document(change: RowChange) -> dict[str, Any]:
    names = [name.removesuffix("_id") for name in change.model.identity]
    return {
        "kind": change.model._meta.model_name,
        "object": dict(zip(names, change.identity(), strict=True)),
        "action": ACTIONS[change.kind],
        "fields": [
            {"field": name.removesuffix("_id"), **_sides(change, old, new)}
            for name, old, new in change.fields()
        ],
    }


def _sides(change: RowChange, old: Any, new: Any) -> dict[str, Any]:
    """A side that was not there is left out."""
    sides = {}
    if change.old is not None:
        sides["old"] = old
    if change.new is not None:
        sides["new"] = new
    return sides


def concerned(revision: models.Revision) -> list[str]:
    return list(revision.effects.values_list("cluster_id", flat=True))
