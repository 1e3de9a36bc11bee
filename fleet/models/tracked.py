"""What every tracked model shares: its history, and that no write slips past it.

A write only has to be *noticed*: fleet/history/tracking.py registers what remembers a row before it
is written for the first time.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Protocol

from django.db import connection, models
from simple_history.models import HistoricalRecords

from fleet.errors import UnrecordedWrite

Row = Any  # a named tuple of all columns of a tracked table

INSERT_CHUNK = 2_000


def columns(model: type[models.Model]) -> tuple[str, ...]:
    return tuple(field.attname for field in model._meta.concrete_fields)


def same(old: Any, new: Any) -> bool:
    """Exactly: to `==` alone, 1, 1.0 and true in a JSON column are all one."""
    return old == new and _spelled(old) == _spelled(new)


def _spelled(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


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


class OpenChange(Protocol):
    """What is told of every row that is written."""

    def touch(self, model: type[models.Model], pks: Sequence[Any]) -> None: ...

    def touch_new(self, model: type[models.Model], pks: Sequence[Any]) -> None: ...


Noticing = Callable[[type[models.Model]], AbstractContextManager[OpenChange]]
_noticing: Noticing | None = None


def notice_writes_by(registered: Noticing) -> None:
    """The history knows the models, and they do not know it: so it registers itself here."""
    global _noticing
    _noticing = registered


def noticing(model: type[models.Model]) -> AbstractContextManager[OpenChange]:
    """Around each write to a tracked model."""
    if _noticing is None:
        raise UnrecordedWrite(f"{model._meta.label} is tracked, and nothing tracks it yet.")
    return _noticing(model)


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
