"""What every resource shares: documents are read into specifications, and shown from rows."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import models as django_models
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.fields import SkipField

from fleet.models import fields
from fleet.resources.fields import (
    ChosenField,
    ColumnField,
    DescriptionField,
    JSONColumnField,
    ReferenceField,
    RowsField,
    StoredObject,
    TextField,
    TrueOrFalseField,
    WholeNumberField,
    id_of,
)
from fleet.resources.problems import Problems, describe, join, suggestion
from fleet.resources.specs import Spec

IDS = ("id", "_id")


class ExactFields(serializers.Serializer):
    """Exact about names and types, with all problems told at once."""

    def read_fields(
        self,
        document: Mapping[str, Any],
        path: str,
        problems: Problems,
        beside: Collection[str] = (),
    ) -> dict[str, Any]:
        """The values of the fields that are given and can be read, but for those `beside` them."""
        writable = {name: field for name, field in self.fields.items() if not field.read_only}
        allowed = {*writable, *beside}
        for name in document:
            if name not in allowed:
                message = "is not a field here" + suggestion(str(name), allowed)
                problems.add(join(path, str(name)), message)
        values = {}
        for name, field in writable.items():
            if name not in document or name in beside:
                continue
            try:
                values[name] = field.run_validation(document[name])
            except ValidationError as error:
                problems.add_detail(join(path, name), error.detail)
        return values

    def to_representation(self, instance: StoredObject) -> dict[str, Any]:
        shown = {}
        for name, field in self.fields.items():
            try:
                shown[name] = field.to_representation(field.get_attribute(instance))
            except SkipField:
                continue
        return shown


class ExactSerializer(ExactFields, serializers.ModelSerializer):
    """Fields of a model."""

    serializer_field_mapping = {
        django_models.CharField: TextField,
        fields.DescriptionField: DescriptionField,
        django_models.IntegerField: WholeNumberField,
        django_models.PositiveIntegerField: WholeNumberField,
        django_models.BooleanField: TrueOrFalseField,
        django_models.JSONField: JSONColumnField,
    }
    serializer_choice_field = ChosenField

    @property
    def columns(self) -> dict[str, ColumnField]:
        """By their names on the wire."""
        return {
            name: field
            for name, field in self.fields.items()
            if isinstance(field, ColumnField) and name != "id"
        }


class FleetSerializer(ExactSerializer):
    """One kind of object: the only place that says which fields it has.

    `Meta.rows` names the tables behind the fields that are lists or values.

    The context has `known`, the ids that may be referred to; `together`, how `patches` and `values`
    go together; `id`, that of the address, where there is one; and, to show an object, `seed`.
    """

    def to_internal_value(self, document: Any) -> Spec:
        problems = Problems()
        spec = self.read(document, "", problems)
        if spec is None or problems.by_path:
            raise ValidationError(problems.by_path)
        return spec

    def read(self, document: Any, path: str, problems: Problems) -> Spec | None:
        """What can be read of it: where many objects are read, all problems are told at once."""
        if not isinstance(document, Mapping):
            problems.add(path or "body", f"must be an object, not {describe(document)}")
            return None
        item_id = self._read_id(document, path, problems)
        if item_id is None:
            return None
        spec = Spec(self.Meta.model, item_id, path)
        values = self.read_fields(document, path, problems, IDS)
        for name, value in values.items():
            field = self.fields[name]
            if isinstance(field, ColumnField | ReferenceField):
                spec.attributes[field.source] = value
            elif isinstance(field, RowsField):
                spec.children[field.rows] = value
        self.complete(spec, values, problems)
        return spec

    def prepare(self, objects: Sequence[StoredObject]) -> None:
        """Before these are shown: for what is read once for all of them."""

    def complete(self, spec: Spec, values: dict[str, Any], problems: Problems) -> None:
        """What takes more than one field, or is neither a column nor a list of rows."""

    def _read_id(self, document: Mapping[str, Any], path: str, problems: Problems) -> str | None:
        given, wanted = id_of(document), self.context.get("id")
        if document.get("_id", given) != given:
            message = f"is {describe(document['_id'])}, but id is {describe(given)}"
            problems.add(join(path, "_id"), message)
        if wanted is not None and given not in (None, wanted):
            message = f"is {describe(given)}, but the address says {wanted!r}"
            problems.add(join(path, "id"), message)
            return None
        item_id = given if wanted is None else wanted
        if not isinstance(item_id, str) or not item_id:
            problems.add(join(path, "id"), "is required, and must be text")
            return None
        return item_id

    def completed(self, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """With null, which stands for the default, for what it leaves out. Of `patches` and
        `values` one says everything; and a state that is not named stays."""
        needless = {"id", "state", "frozen_answers", "values"}
        if "values" in document:
            needless.add("patches")
        left_out: dict[str, Any] = dict.fromkeys(self.fields.keys() - needless)
        return {**left_out, **document}
