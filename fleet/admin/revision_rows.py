"""The rows of a revision for a page: by the object that they belong to, old beside new."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.urls import reverse

from fleet.api.revision_objects import ACTIONS, OBJECTS
from fleet.desired_state.values import to_json
from fleet.history.change import RowChange
from fleet.history.summaries import OWNERS

LONGEST = 500
SECTIONS = {model: section for section, model in OBJECTS.items()}


@dataclass(frozen=True, slots=True)
class Cell:
    """None: there was, or is, nothing."""

    field: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class ShownRow:
    name: str
    action: str
    cells: list[Cell]


@dataclass(frozen=True, slots=True)
class ShownObject:
    kind: str
    id: str
    # Where it is, and what the log has of it.
    url: str
    log: str
    rows: list[ShownRow] = field(default_factory=list)


def grouped_rows(changes: Sequence[RowChange]) -> list[ShownObject]:
    found: dict[tuple[Any, Any], ShownObject] = {}
    for change in changes:
        model = OWNERS.get(change.model, change.model)
        item_id = str(change.identity()[0])
        shown = found.setdefault((model, item_id), _object(model, item_id))
        shown.rows.append(_row(change))
    # A link to what is gone would lead nowhere; one query for each kind of object.
    return _linked(found)


def _object(model: Any, item_id: str) -> ShownObject:
    return ShownObject(str(model._meta.verbose_name), item_id, "", f"{SECTIONS[model]}/{item_id}")


def _linked(found: dict[tuple[Any, Any], ShownObject]) -> list[ShownObject]:
    there = {
        (model, key)
        for model in {model for model, _ in found}
        for key in model.objects.filter(
            pk__in=[key for other, key in found if other is model]
        ).values_list("pk", flat=True)
    }
    return [
        ShownObject(item.kind, item.id, _url(model, key), item.log, item.rows)
        if (model, key) in there
        else item
        for (model, key), item in found.items()
    ]


def _url(model: Any, key: Any) -> str:
    return reverse(f"admin:fleet_{model._meta.model_name}_change", args=[key])


def _row(change: RowChange) -> ShownRow:
    name = ""
    if change.model in OWNERS:
        rest = [str(part) for part in change.identity()[1:]]
        name = " ".join([str(change.model._meta.verbose_name), " / ".join(rest)])
    cells = [
        Cell(column.removesuffix("_id"), _text(change.old, old), _text(change.new, new))
        for column, old, new in change.fields()
    ]
    # Of a row that came or went, what it left empty says nothing.
    told = [cell for cell in cells if cell.old is not None or cell.new is not None]
    return ShownRow(name, ACTIONS[change.kind], told)


def _text(side: Any, value: Any) -> str | None:
    if side is None or value is None or value == "":
        return None
    text = value if isinstance(value, str) else to_json(value) if _is_json(value) else str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _is_json(value: Any) -> bool:
    return isinstance(value, bool | int | float | list | dict)
