"""No write to a tracked table slips past the history.

The first time that a change touches a row, the row is read and remembered as it was. When the
change ends, the rows are read again, and the difference is what the history records
(fleet/history/change.py). So it does not matter how a row was written.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models import signals

from fleet.errors import UnrecordedWrite
from fleet.history.change import Change, change, current_change
from fleet.history.tables import is_tracked
from fleet.models.tracked import notice_writes_by


@contextmanager
def noticing(model: type[models.Model]) -> Iterator[Change]:
    """The open change, or one of its own for a write outside any."""
    if current_change() is None and model._meta.apps is apps:
        with change() as own_change:
            yield own_change
    else:
        yield open_change(model)


def open_change(model: type[models.Model]) -> Change:
    """The one that a write of this model belongs to: a migration has models of its own."""
    found = current_change()
    if found is None or (found.registry is apps) != (model._meta.apps is apps):
        raise UnrecordedWrite(
            f"{model._meta.label} is tracked: write it inside fleet.history.change, and in "
            "a migration, as the migration has it, inside its migration_change()."
        )
    return found


def notice_row(sender: type[models.Model], instance: models.Model, **kwargs: Any) -> None:
    """Before any save or delete, those of cascades and of `loaddata` included.

    `save()`, `delete()` and the manager have opened a change; what comes by another way has not.
    """
    if is_tracked(sender):
        pks = [] if instance.pk is None else [instance.pk]
        open_change(sender).touch(sender, pks)


def notice_new_row(
    sender: type[models.Model], instance: models.Model, created: bool, **kwargs: Any
) -> None:
    """Only after its insert does a row with a generated key have one."""
    if created and is_tracked(sender):
        open_change(sender).touch_new(sender, [instance.pk])


def start_tracking() -> None:
    notice_writes_by(noticing)
    signals.pre_save.connect(notice_row, dispatch_uid="fleet.notice_save")
    signals.pre_delete.connect(notice_row, dispatch_uid="fleet.notice_delete")
    signals.post_save.connect(notice_new_row, dispatch_uid="fleet.notice_new")
