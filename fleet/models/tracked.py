"""What every tracked model shares: its history, and that no write slips past it.

A write only has to be *noticed*: the first time that a change touches a row, the row is read and
remembered as it was. When the change ends, the rows are read again, and the difference is what the
history records (fleet/history/change.py). So it does not matter how a row was written.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from django.apps import apps
from django.db import connection, models
from django.db.models import signals
from simple_history.models import HistoricalRecords

from fleet.errors import UnrecordedWrite

if TYPE_CHECKING:
    from fleet.history.change import Change

Row = Any  # a named tuple of all columns of a tracked table

INSERT_CHUNK = 2_000


def columns(model: type[models.Model]) -> tuple[str, ...]:
    return tuple(field.attname for field in model._meta.concrete_fields)


def key_of(model: type[models.Model], pk: Any) -> Any:
    """A key as the database gives it back, whether it was given as 5 or as "5"."""
    if hasattr(pk, "resolve_expression"):
        raise UnrecordedWrite(f"{model._meta.label}: the database may not compute a key.")
    return model._meta.pk.to_python(pk)


def same(old: Any, new: Any) -> bool:
    """Exactly: to `==` alone, 1, 1.0 and true in a JSON column are all one."""
    return old == new and _spelled(old) == _spelled(new)


def _spelled(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def history_model(model: type[models.Model]) -> Any:
    """The history table, from the same registry: in a migration, as the migration knows it."""
    return model._meta.apps.get_model("fleet", f"historical{model._meta.model_name}")


def copy_to_history(
    model: type[models.Model], pks: Sequence[Any], kind: str, revision: Any
) -> None:
    """INSERT … SELECT: 250,000 rows in a second or two, instead of half a minute by the ORM."""
    quote = connection.ops.quote_name
    table, key = quote(model._meta.db_table), quote(str(model._meta.pk.column))
    own = ", ".join(quote(str(field.column)) for field in model._meta.concrete_fields)
    marks = ", ".join(["%s"] * len(pks))
    sql = (
        f"INSERT INTO {quote(history_model(model)._meta.db_table)} "  # noqa: S608
        f"({own}, revision_id, history_date, history_type) "
        f"SELECT {own}, %s, %s, %s FROM {table} WHERE {key} IN ({marks}) ORDER BY {key}"
    )
    date = connection.ops.adapt_datetimefield_value(revision.created_at)
    with connection.cursor() as cursor:
        cursor.execute(sql, [revision.number, date, kind, *pks])


def insert_rows(model: type[models.Model], rows: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Inserts texts and truths as they are, and gives back the generated keys, in any order.

    The ORM makes an instance of each row and prepares each value: five times the work.
    """
    quote = connection.ops.quote_name
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    names = [field.attname for field in fields]
    own = ", ".join(quote(str(field.column)) for field in fields)
    marks = f"({', '.join(['%s'] * len(names))})"
    sql = (
        f"INSERT INTO {quote(model._meta.db_table)} ({own}) "  # noqa: S608
        f"VALUES {', '.join([marks] * len(rows))} RETURNING {quote(str(model._meta.pk.column))}"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, [row[name] for row in rows for name in names])
        return [key for (key,) in cursor.fetchall()]


def is_tracked(model: type[models.Model]) -> bool:
    """By the model's own registry: in an old migration, it may have a name of then."""
    return (
        model._meta.app_label == "fleet"
        and f"historical{model._meta.model_name}" in model._meta.apps.all_models["fleet"]
    )


@contextmanager
def noticing(model: type[models.Model]) -> Iterator["Change"]:
    """The open change, or one of its own for a write outside any."""
    from fleet.history.change import change, current_change

    if current_change() is None and model._meta.apps is apps:
        with change() as own_change:
            yield own_change
    else:
        yield _open_change(model)


def _open_change(model: type[models.Model]) -> "Change":
    """The one that a write of this model belongs to: a migration has models of its own."""
    from fleet.history.change import current_change

    change = current_change()
    if change is None or (change.registry is apps) != (model._meta.apps is apps):
        raise UnrecordedWrite(
            f"{model._meta.label} is tracked: write it inside fleet.history.change, and in "
            "a migration, as the migration has it, inside its migration_change()."
        )
    return change


class TrackedQuerySet(models.QuerySet):
    def rows(self) -> Any:
        """Whole rows as named tuples: cheap to make, and of one shape with those of history."""
        return self.values_list(*columns(self.model), named=True)

    def update(self, **values: Any) -> int:
        key = self.model._meta.pk
        if not values.keys().isdisjoint({key.name, key.attname}):
            raise UnrecordedWrite(f"{self.model._meta.label}: a key cannot change.")
        with noticing(self.model) as change:
            change.touch(self.model, list(self.order_by().values_list("pk", flat=True)))
            return super().update(**values)

    update.alters_data = True  # type: ignore[attr-defined]

    def bulk_create(self, objs: Iterable[Any], *args: Any, **options: Any) -> list[Any]:
        if options.get("ignore_conflicts") or options.get("update_conflicts") or len(args) > 1:
            raise UnrecordedWrite("bulk_create() with conflict handling cannot be recorded.")
        with noticing(self.model) as change:
            created = super().bulk_create(objs, *args, **options)
            change.touch_new(self.model, [instance.pk for instance in created])
            return created

    def insert_rows(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """As `bulk_create`, for rows that are checked and complete but for their generated key."""
        with noticing(self.model) as change:
            for start in range(0, len(rows), INSERT_CHUNK):
                keys = insert_rows(self.model, rows[start : start + INSERT_CHUNK])
                change.touch_new(self.model, keys)

    insert_rows.alters_data = True  # type: ignore[attr-defined]

    def bulk_update(self, *args: Any, **options: Any) -> int:
        with noticing(self.model):  # One change for all batches.
            return super().bulk_update(*args, **options)

    bulk_update.alters_data = True  # type: ignore[attr-defined]

    def update_or_create(self, *args: Any, **options: Any) -> tuple[Any, bool]:
        with noticing(self.model):  # As everywhere, the head is locked before the row.
            return super().update_or_create(*args, **options)

    def delete(self) -> tuple[int, dict[str, int]]:
        with noticing(self.model):
            return super().delete()

    delete.alters_data = True  # type: ignore[attr-defined]
    delete.queryset_only = True  # type: ignore[attr-defined]

    def _raw_delete(self, using: str | None) -> int:
        raise UnrecordedWrite("_raw_delete() cannot be recorded.")


class TrackedManager(models.Manager.from_queryset(TrackedQuerySet)):  # type: ignore[misc]
    # Migrations get it too: there it refuses what would not be recorded.
    use_in_migrations = True


class HistoryRow(models.Model):
    """Beside the columns of the tracked model, each history row names its revision."""

    revision = models.ForeignKey("fleet.Revision", on_delete=models.PROTECT, related_name="+")

    class Meta:
        abstract = True


class FleetHistory(HistoricalRecords):
    """simple-history's tables, written once per change instead of once per save.

    Who, when and why are the revision's, so the rows have no columns for them.
    """

    def __init__(self) -> None:
        super().__init__(
            inherit=True,
            bases=[HistoryRow],
            history_id_field=models.BigAutoField(),
            # Rows are found by revision, by key or by cluster, not by what they refer to.
            no_db_index=["component", "namespace", "rolebinding", "environment", "dependency"],
        )

    def _get_history_user_fields(self) -> dict[str, Any]:
        return {}

    def get_extra_fields(self, model: Any, fields: Any) -> dict[str, Any]:
        extra: dict[str, Any] = super().get_extra_fields(model, fields)
        del extra["history_change_reason"]
        return extra

    def post_save(self, *args: Any, **kwargs: Any) -> None:
        """fleet.history.change writes the rows."""

    def post_delete(self, *args: Any, **kwargs: Any) -> None:
        """fleet.history.change writes the rows."""


class TrackedModel(models.Model):
    # The columns that say what a row is about. They never change in the life of a row.
    identity: ClassVar[tuple[str, ...]] = ("id",)

    objects = TrackedManager()
    history = FleetHistory()

    class Meta:
        abstract = True
        base_manager_name = "objects"

    def save(self, *args: Any, **kwargs: Any) -> None:
        with noticing(type(self)):
            super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        with noticing(type(self)):
            return super().delete(*args, **kwargs)


def notice_row(sender: type[models.Model], instance: models.Model, **kwargs: Any) -> None:
    """Before any save or delete, those of cascades and of `loaddata` included.

    `save()`, `delete()` and the manager have opened a change; what comes by another way has not.
    """
    if is_tracked(sender):
        pks = [] if instance.pk is None else [instance.pk]
        _open_change(sender).touch(sender, pks)


def notice_new_row(
    sender: type[models.Model], instance: models.Model, created: bool, **kwargs: Any
) -> None:
    """Only after its insert does a row with a generated key have one."""
    if created and is_tracked(sender):
        _open_change(sender).touch_new(sender, [instance.pk])


def connect_signals() -> None:
    signals.pre_save.connect(notice_row, dispatch_uid="fleet.notice_save")
    signals.pre_delete.connect(notice_row, dispatch_uid="fleet.notice_delete")
    signals.post_save.connect(notice_new_row, dispatch_uid="fleet.notice_new")
