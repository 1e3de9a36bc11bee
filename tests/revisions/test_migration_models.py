"""Models as a migration has them: they record inside `migration_change()`, and refuse elsewhere."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ModelState, ProjectState

from fleet.history.change import change, head_number, migration_change
from fleet.models import TRACKED_MODELS, Cluster, Environment, Head, Revision
from tests.factories import make_cluster
from tests.revisions.recording import newest_history, one_more_revision, refused, row_of
from tests.revisions.samples import EDITS, saved, unsaved, values_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("only_history")]

every_model = pytest.mark.parametrize("model", TRACKED_MODELS, ids=lambda model: model.__name__)
every_editable_model = pytest.mark.parametrize("model", EDITS, ids=lambda model: model.__name__)


def ways(table: dict[str, Callable[..., Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("write", table.values(), ids=table.keys())


@pytest.fixture(scope="module")
def registry() -> Any:
    loader = MigrationLoader(None)
    return loader.project_state(loader.graph.leaf_nodes("fleet")).apps


def migration_model(registry: Any, model: Any) -> Any:
    return registry.get_model("fleet", model.__name__)


CREATING: dict[str, Callable[[Any], Any]] = {
    "save": lambda instance: instance.save(),
    "create": lambda instance: type(instance).objects.create(**values_of(instance)),
    "bulk_create": lambda instance: type(instance).objects.bulk_create([instance]),
}


@every_model
@ways(CREATING)
def test_creating_is_refused(registry: Any, model: Any, write: Callable[[Any], Any]) -> None:
    instance = migration_model(registry, model)(**values_of(unsaved(model)))
    with refused(model):
        write(instance)


@every_model
def test_creating_in_a_migration_change_is_recorded(registry: Any, model: Any) -> None:
    values = values_of(unsaved(model))
    with one_more_revision(), migration_change(registry, "Some data"):
        row = migration_model(registry, model).objects.create(**values)
    assert newest_history(model, row.pk) == [("+", *row_of(model, row.pk))]


def test_creating_in_bulk_in_a_migration_change_is_recorded(registry: Any) -> None:
    environment = registry.get_model("fleet", "Environment")
    with one_more_revision(), migration_change(registry, "Some data"):
        environment.objects.bulk_create([environment(id="extra")])
    assert newest_history(Environment, "extra") == [("+", *row_of(Environment, "extra"))]


def save(row: Any, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(row, name, value)
    row.save()


def bulk_update(row: Any, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(row, name, value)
    type(row).objects.bulk_update([row], list(values))


CHANGING: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
    "save": save,
    "update": lambda row, values: type(row).objects.filter(pk=row.pk).update(**values),
    "bulk_update": bulk_update,
}


@every_editable_model
@ways(CHANGING)
def test_changing_is_refused(
    registry: Any, model: Any, write: Callable[[Any, dict[str, Any]], Any]
) -> None:
    row = migration_model(registry, model).objects.get(pk=saved(model).pk)
    name, value = EDITS[model]
    with refused(model):
        write(row, {name: value})


@every_editable_model
def test_changing_in_a_migration_change_is_recorded(registry: Any, model: Any) -> None:
    pk = saved(model).pk
    name, value = EDITS[model]
    with one_more_revision(), migration_change(registry, "Some data"):
        migration_model(registry, model).objects.filter(pk=pk).update(**{name: value})
    assert newest_history(model, pk) == [("~", *row_of(model, pk))]


DELETING: dict[str, Callable[[Any], Any]] = {
    "delete": lambda row: row.delete(),
    "queryset": lambda row: type(row).objects.filter(pk=row.pk).delete(),
}


@every_model
@ways(DELETING)
def test_deleting_is_refused(registry: Any, model: Any, write: Callable[[Any], Any]) -> None:
    row = migration_model(registry, model).objects.get(pk=saved(model).pk)
    with refused(model):
        write(row)


@every_model
def test_deleting_in_a_migration_change_is_recorded(registry: Any, model: Any) -> None:
    pk = saved(model).pk
    values = row_of(model, pk)
    with one_more_revision(), migration_change(registry, "Some data"):
        migration_model(registry, model).objects.filter(pk=pk).delete()
    assert newest_history(model, pk) == [("-", *values)]


def test_a_migration_tells_who_and_why(registry: Any) -> None:
    with migration_change(registry, "Some data"):
        registry.get_model("fleet", "Environment").objects.create(id="extra")
    newest = Revision.objects.get(number=head_number())
    assert (newest.source, newest.actor_kind, newest.actor, newest.reason) == (
        "migration",
        "system",
        "system",
        "Some data",
    )


def test_a_migration_that_alters_nothing_takes_no_revision(registry: Any) -> None:
    before = head_number()
    with migration_change(registry, "Nothing"):
        registry.get_model("fleet", "Environment").objects.get(id="dev").save()
    assert head_number() == before


def test_a_migration_that_fails_leaves_nothing(registry: Any) -> None:
    with refused(Environment, ZeroDivisionError), migration_change(registry, "Some data"):
        registry.get_model("fleet", "Environment").objects.create(id="extra")
        raise ZeroDivisionError


def test_an_ordinary_change_refuses_models_of_a_migration(registry: Any) -> None:
    """It would make no plan of them, so guards and effects would miss them."""
    cluster = make_cluster()
    old = registry.get_model("fleet", "Cluster").objects
    with refused(Cluster), change():
        old.filter(pk=cluster.pk).update(node_count=9)


def test_a_migration_change_refuses_models_of_today(registry: Any) -> None:
    """The tables may not fit them yet."""
    with refused(Environment), migration_change(registry, "Some data"):
        Environment.objects.create(id="extra")


def test_a_model_that_got_another_name_since_is_recorded() -> None:
    state = ProjectState()
    for model in (Revision, Head, Environment, Environment.history.model):
        old = ModelState.from_model(model)
        old.name = old.name.replace("Environment", "Tier")
        old.options["db_table"] = model._meta.db_table
        state.add_model(old)
    with one_more_revision(), migration_change(state.apps, "Some data"):
        state.apps.get_model("fleet", "Tier").objects.create(id="extra")
    assert newest_history(Environment, "extra") == [("+", *row_of(Environment, "extra"))]
