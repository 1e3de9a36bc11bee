"""The fields of resources. Each reads a value exactly, shows it, and knows its place in a
specification. What is wrong is raised as DRF's ValidationError, all of it, by the path below the
field."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, NamedTuple

from django.utils.dateparse import parse_datetime
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.fields import SkipField

from fleet.desired_state.values import to_json
from fleet.models.tracked import Row
from fleet.resources.known_ids import KnownIds
from fleet.resources.problems import Problems, describe, suggestion
from fleet.resources.specs import NO_ATTRIBUTES, Replace, tail_of

# What every database has in an integer column; SQLite alone would take more.
INT32 = range(-(2**31), 2**31)


class StoredObject(NamedTuple):
    """An object as it is in the database: its row, and by their table the rows that belong to
    it."""

    row: Row
    children: Mapping[Any, Sequence[Row]]


class Entry(NamedTuple):
    """One item of a list of ids or of objects with an id, and its place in the list."""

    place: str
    id: str
    given: Mapping[str, Any]


def whole(value: Any) -> Any:
    """To JSON, 3.0 is as whole a number as 3."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def must_be(wanted: str, value: Any) -> ValidationError:
    return ValidationError(f"must be {wanted}, not {describe(value)}")


class ExactField(serializers.Field):
    """A field that takes one type and converts nothing. `null` stands for what `empty` is."""

    # Set by DRF when the serializer makes its fields.
    parent: Any
    source: str
    empty: Any = None

    def run_validation(self, data: Any = None) -> Any:
        return self.empty if data is None else self.to_internal_value(data)


class ColumnField(ExactField):
    """A column of the model; `null` stands for its default.

    Which values are right is for the model to say. `apply_specs` asks it once for the object as a
    whole, so the validators here serve the OpenAPI schema alone.
    """

    @cached_property
    def column(self) -> Any:
        return self.parent.Meta.model._meta.get_field(self.source)

    @property
    def empty(self) -> Any:
        return self.column.get_default()

    def get_attribute(self, instance: StoredObject) -> Any:
        return getattr(instance.row, self.source)


class TextField(ColumnField, serializers.CharField):
    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise must_be("text", data)
        return data

    def to_representation(self, value: str) -> str:
        return value


class DescriptionField(TextField):
    """Left out of a seed where there is none: most objects have none."""

    def get_attribute(self, instance: StoredObject) -> str:
        description: str = super().get_attribute(instance)
        if not description and self.context.get("seed"):
            raise SkipField
        return description


class WholeNumberField(ColumnField, serializers.IntegerField):
    def to_internal_value(self, data: Any) -> int:
        number = whole(data)
        if not isinstance(number, int) or isinstance(number, bool):
            raise must_be("a whole number", number)
        if number not in INT32:
            raise ValidationError(f"{describe(number)} is beyond 32 bits")
        return number

    def to_representation(self, value: int | None) -> int | None:
        return value


class TrueOrFalseField(ColumnField, serializers.BooleanField):
    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            raise must_be("true or false", data)
        return data

    def to_representation(self, value: bool | None) -> bool | None:
        return value


class ChosenField(ColumnField, serializers.ChoiceField):
    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise must_be("text", data)
        if data not in self.choices:
            raise ValidationError(f"{describe(data)} must be one of: {', '.join(self.choices)}")
        return data

    def to_representation(self, value: str) -> str:
        return value


class JSONColumnField(ColumnField, serializers.JSONField):
    """An object or a list, as the column's default is."""

    def to_internal_value(self, data: Any) -> Any:
        wanted, name = (list, "a list") if self.column.default is list else (dict, "an object")
        if not isinstance(data, wanted):
            raise must_be(name, data)
        return data

    def to_representation(self, value: Any) -> Any:
        """With its keys in order, whatever the database made of it."""
        return json.loads(to_json(value))


class PlainTextField(ExactField):
    """Text that is not a column of its own."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise must_be("text", data)
        return data

    def get_attribute(self, instance: StoredObject) -> Any:
        return getattr(instance.row, self.source)

    def to_representation(self, value: str) -> str:
        return value


class TextsField(ColumnField):
    def to_internal_value(self, data: Any) -> list[str]:
        if not isinstance(data, list):
            raise must_be("a list", data)
        problems = Problems()
        for index, item in enumerate(data):
            if not isinstance(item, str):
                problems.add(f"[{index}]", "must be text")
        raise_if_any(problems)
        return data

    def to_representation(self, value: list[str]) -> list[str]:
        return value


class MomentField(ExactField):
    def to_internal_value(self, data: Any) -> datetime:
        if not isinstance(data, str):
            raise must_be("text", data)
        try:
            moment = parse_datetime(data)
            if moment is not None and moment.tzinfo is not None:
                return moment.astimezone(UTC)
        except (ValueError, OverflowError):
            pass
        raise ValidationError("must be a moment with its zone, such as 2030-01-31T12:00:00Z")

    def get_attribute(self, instance: StoredObject) -> Any:
        return getattr(instance.row, self.source)

    def to_representation(self, value: datetime | None) -> str | None:
        return value.isoformat() if value else None


class ReferenceField(ExactField):
    """The id of an existing object of another kind."""

    def __init__(self, target: str, **options: Any) -> None:
        super().__init__(**options)
        self.target = target

    def to_internal_value(self, data: Any) -> str:
        problem = known_ids(self).problem(self.target, data)
        if problem:
            raise ValidationError(problem)
        return data

    def get_attribute(self, instance: StoredObject) -> str:
        return getattr(instance.row, self.source)

    def to_representation(self, value: str) -> str:
        return value


class RowsField(ExactField):
    """A list of ids, or of objects with an id, for each of which the object has a row of its own.

    `rows` is their table, `column` the one in it that has the id.
    """

    def __init__(self, target: str, **options: Any) -> None:
        super().__init__(**options)
        self.target = target

    @property
    def rows(self) -> Any:
        """The table, by the name that the model has for it."""
        return self.parent.Meta.rows[self.field_name]

    @cached_property
    def column(self) -> str:
        return self.rows.identity[1]

    @property
    def empty(self) -> Replace | None:
        return Replace({})

    def to_internal_value(self, data: Any) -> Replace:
        problems = Problems()
        entries = read_entries(data, problems)
        self.check_references(entries, problems)
        for entry in entries:
            reject_unknown(entry, ("id", "_id"), problems)
        raise_if_any(problems)
        return only(entry.id for entry in entries)

    def check_references(self, entries: Iterable[Entry], problems: Problems) -> None:
        known = known_ids(self)
        for entry in entries:
            problem = known.problem(self.target, entry.id)
            if problem:
                problems.add(f"{entry.place}.id", problem)

    def get_attribute(self, instance: StoredObject) -> Sequence[Row]:
        return instance.children[self.rows]

    def to_representation(self, value: Sequence[Row]) -> list[Any]:
        return sorted(getattr(row, self.column) for row in value)


def known_ids(field: serializers.Field) -> KnownIds:
    return field.context["known"]


def read_entries(given: Any, problems: Problems) -> list[Entry]:
    """Those that can be read."""
    if not isinstance(given, list):
        raise must_be("a list", given)
    found: dict[str, Entry] = {}
    for index, item in enumerate(given):
        place = f"[{index}]"
        entry = {"id": item} if isinstance(item, str) else item
        if not isinstance(entry, Mapping):
            problems.add(place, "must be an id, or an object with an id")
            continue
        item_id = id_of(entry)
        if not isinstance(item_id, str):
            problems.add(f"{place}.id", "is required, and must be text")
        elif item_id in found:
            problems.add(f"{place}.id", f"{item_id!r} is in the list twice")
        else:
            found[item_id] = Entry(place, item_id, entry)
    return list(found.values())


def reject_unknown(entry: Entry, allowed: Iterable[str], problems: Problems) -> None:
    for name in entry.given:
        if name not in allowed:
            message = "is not a field here" + suggestion(str(name), allowed)
            problems.add(f"{entry.place}.{name}", message)


def id_of(document: Mapping[str, Any]) -> Any:
    """The reference service spells it `_id`."""
    return document.get("id", document.get("_id"))


def only(ids: Iterable[str]) -> Replace:
    """Rows that have nothing but an id."""
    return Replace({tail_of(item_id): NO_ATTRIBUTES for item_id in ids})


def raise_if_any(problems: Problems) -> None:
    """Their paths go on from the field's own."""
    if problems.by_path:
        raise ValidationError(problems.by_path)
