"""Every way to write to every tracked model is recorded, or refused with nothing changed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core import serializers
from django.core.management import call_command
from django.db.models import CASCADE, F, Value
from simple_history.utils import bulk_create_with_history, bulk_update_with_history

from fleet.history.change import change
from fleet.models import TRACKED_MODELS, Cluster, Environment, Profile
from fleet.models.tracked import TrackedModel
from tests.revisions.recording import newest_history, one_more_revision, refused, row_of
from tests.revisions.samples import BUILDERS, EDITS, another_identity, saved, unsaved, values_of

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.usefixtures("only_history")]

every_model = pytest.mark.parametrize("model", TRACKED_MODELS, ids=lambda model: model.__name__)
every_editable_model = pytest.mark.parametrize("model", EDITS, ids=lambda model: model.__name__)


def ways(table: dict[str, Callable[..., Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("write", table.values(), ids=table.keys())


def test_all_that_is_tracked_is_walked() -> None:
    tracked = [model for model in apps.get_models() if issubclass(model, TrackedModel)]
    assert set(tracked) == set(TRACKED_MODELS) == set(BUILDERS)


def test_models_without_an_edit_consist_of_their_identity() -> None:
    for model in set(TRACKED_MODELS) - set(EDITS):
        names = {field.attname for field in model._meta.concrete_fields}
        assert names == {"id", *model.identity}


def by_identity(instance: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    values = values_of(instance)
    return {name: values.pop(name) for name in type(instance).identity}, values


def get_or_create(instance: Any) -> Any:
    identity, values = by_identity(instance)
    return type(instance).objects.get_or_create(**identity, defaults=values)[0]


def update_or_create(instance: Any) -> Any:
    identity, values = by_identity(instance)
    return type(instance).objects.update_or_create(**identity, defaults=values)[0]


def create_by_owner(instance: Any) -> Any:
    """Through the manager of the first thing that it refers to, or of its own model."""
    for field in instance._meta.concrete_fields:
        if field.many_to_one:
            owner = getattr(instance, field.name)
            siblings = getattr(owner, field.remote_field.get_accessor_name())
            return siblings.create(**values_of(instance))
    return type(instance)._default_manager.create(**values_of(instance))


CREATING: dict[str, Callable[[Any], Any]] = {
    "save": lambda instance: instance.save(),
    "save_without_historical_record": lambda instance: instance.save_without_historical_record(),
    "create": lambda instance: type(instance).objects.create(**values_of(instance)),
    "base_manager": lambda instance: type(instance)._base_manager.create(**values_of(instance)),
    "bulk_create": lambda instance: type(instance).objects.bulk_create([instance]),
    "get_or_create": get_or_create,
    "update_or_create": update_or_create,
    "related_manager": create_by_owner,
}


@every_model
@ways(CREATING)
def test_creating_is_recorded(model: Any, write: Callable[[Any], Any]) -> None:
    instance = unsaved(model)
    with one_more_revision():
        write(instance)
    pk = model.objects.values_list("pk", flat=True).get(**by_identity(instance)[0])
    assert newest_history(model, pk) == [("+", *row_of(model, pk))]


def bulk_upsert(instance: Any) -> None:
    type(instance).objects.bulk_create(
        [instance],
        update_conflicts=True,
        unique_fields=[instance._meta.pk.name],
        update_fields=[instance._meta.concrete_fields[-1].name],
    )


CREATING_UNNOTICED: dict[str, Callable[[Any], Any]] = {
    "save_base_raw": lambda instance: instance.save_base(raw=True),
    "ignore_conflicts": lambda instance: type(instance).objects.bulk_create(
        [instance], ignore_conflicts=True
    ),
    "update_conflicts": bulk_upsert,
}


@every_model
@ways(CREATING_UNNOTICED)
def test_creating_is_refused(model: Any, write: Callable[[Any], Any]) -> None:
    instance = unsaved(model)
    with refused(model):
        write(instance)


@every_model
def test_creating_with_history_of_its_own_is_refused(model: Any) -> None:
    instance = unsaved(model)
    with refused(model, TypeError):
        bulk_create_with_history([instance], model)


def fixture_file(folder: Path, instance: Any) -> str:
    if instance.pk is None:
        instance.pk = 1_000_000
    file = folder / "fleet.json"
    file.write_text(serializers.serialize("json", [instance]))
    return str(file)


@every_model
def test_loaddata_is_refused(model: Any, tmp_path: Path) -> None:
    file = fixture_file(tmp_path, unsaved(model))
    with refused(model):
        call_command("loaddata", file, verbosity=0)


@every_model
def test_loaddata_inside_a_change_is_recorded(model: Any, tmp_path: Path) -> None:
    instance = unsaved(model)
    file = fixture_file(tmp_path, instance)
    with one_more_revision(), change():
        call_command("loaddata", file, verbosity=0)
    pk = instance.pk
    assert newest_history(model, pk) == [("+", *row_of(model, pk))]


def save(row: Any, values: dict[str, Any], **options: Any) -> None:
    for name, value in values.items():
        setattr(row, name, value)
    row.save(**options)


def save_unnoticed(row: Any, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(row, name, value)
    row.save_without_historical_record()


def bulk_update(row: Any, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(row, name, value)
    fields = [row._meta.get_field(name).name for name in values]
    type(row).objects.bulk_update([row], fields)


def update_by_owner(row: Any, values: dict[str, Any]) -> None:
    """Through the manager of the first thing that it refers to, or of its own model."""
    for field in row._meta.concrete_fields:
        if field.many_to_one:
            owner = getattr(row, field.name)
            getattr(owner, field.remote_field.get_accessor_name()).update(**values)
            return
    type(row)._default_manager.filter(pk=row.pk).update(**values)


CHANGING: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
    "save": save,
    "update_fields": lambda row, values: save(row, values, update_fields=list(values)),
    "save_expression": lambda row, values: save(
        row,
        {
            name: Value(value, output_field=row._meta.get_field(name))
            for name, value in values.items()
        },
    ),
    "save_without_historical_record": save_unnoticed,
    "update": lambda row, values: type(row).objects.filter(pk=row.pk).update(**values),
    "base_manager": lambda row, values: type(row)._base_manager.filter(pk=row.pk).update(**values),
    "bulk_update": bulk_update,
    "update_or_create": lambda row, values: type(row).objects.update_or_create(
        pk=row.pk, defaults=values
    ),
    "related_manager": update_by_owner,
}


@every_editable_model
@ways(CHANGING)
def test_changing_is_recorded(model: Any, write: Callable[[Any, dict[str, Any]], Any]) -> None:
    row = saved(model)
    name, value = EDITS[model]
    with one_more_revision():
        write(row, {name: value})
    assert getattr(model.objects.get(pk=row.pk), name) == value
    assert newest_history(model, row.pk) == [("~", *row_of(model, row.pk))]


@pytest.mark.parametrize(
    ("model", "field"), [(Environment, "rank"), (Cluster, "node_count"), (Profile, "weight")]
)
def test_saving_an_f_expression_is_recorded(model: Any, field: str) -> None:
    row = saved(model)
    expected = getattr(row, field) + 1
    setattr(row, field, F(field) + 1)
    with one_more_revision():
        row.save()
    assert getattr(model.objects.get(pk=row.pk), field) == expected
    assert newest_history(model, row.pk) == [("~", *row_of(model, row.pk))]


@every_editable_model
def test_raw_saving_of_a_change_is_refused(model: Any) -> None:
    row = saved(model)
    name, value = EDITS[model]
    setattr(row, name, value)
    with refused(model):
        row.save_base(raw=True)


@every_editable_model
def test_changing_with_history_of_its_own_is_refused(model: Any) -> None:
    row = saved(model)
    name, value = EDITS[model]
    setattr(row, name, value)
    with refused(model, TypeError):
        bulk_update_with_history([row], model, [name])


CHANGING_IDENTITY = {
    "update": CHANGING["update"],
    "related_manager": CHANGING["related_manager"],
}


@every_model
@ways(CHANGING_IDENTITY)
def test_changing_what_a_row_is_about_is_refused(
    model: Any, write: Callable[[Any, dict[str, Any]], Any]
) -> None:
    row = saved(model)
    values = another_identity(model)
    with refused(model):
        write(row, values)


@pytest.mark.parametrize(
    "model",
    [model for model in TRACKED_MODELS if model._meta.auto_field],
    ids=lambda model: model.__name__,
)
@ways({"save": save, "bulk_update": bulk_update})
def test_saving_a_row_about_something_else_is_refused(
    model: Any, write: Callable[[Any, dict[str, Any]], Any]
) -> None:
    row = saved(model)
    values = another_identity(model)
    with refused(model):
        write(row, values)


def delete_owner(row: Any) -> None:
    """By a cascade; what has no owner goes by itself."""
    for field in row._meta.concrete_fields:
        if field.remote_field and field.remote_field.on_delete is CASCADE:
            getattr(row, field.name).delete()
            return
    row.delete()


def delete_by_owner(row: Any) -> None:
    for field in row._meta.concrete_fields:
        if field.many_to_one:
            owner = getattr(row, field.name)
            getattr(owner, field.remote_field.get_accessor_name()).all().delete()
            return
    row.delete()


DELETING: dict[str, Callable[[Any], Any]] = {
    "delete": lambda row: row.delete(),
    "queryset": lambda row: type(row).objects.filter(pk=row.pk).delete(),
    "cascade": delete_owner,
    "related_manager": delete_by_owner,
}


@every_model
@ways(DELETING)
def test_deleting_is_recorded(model: Any, write: Callable[[Any], Any]) -> None:
    row = saved(model)
    pk, values = row.pk, row_of(model, row.pk)
    with one_more_revision():
        write(row)
    assert not model.objects.filter(pk=pk).exists()
    assert newest_history(model, pk) == [("-", *values)]


@every_model
def test_raw_deleting_is_refused(model: Any) -> None:
    rows = model.objects.filter(pk=saved(model).pk)
    with refused(model):
        rows._raw_delete(rows.db)
