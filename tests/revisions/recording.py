"""Whether a write was recorded, or refused with nothing changed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import transaction

from fleet.errors import UnrecordedWrite
from fleet.history.change import head_number
from fleet.models import Revision
from fleet.models.tracked import columns


def table_and_log(model: Any) -> list[Any]:
    tables = (model, model.history.model, Revision)
    return [head_number(), *(list(table.objects.order_by("pk").values_list()) for table in tables)]


@contextmanager
def refused(model: Any, error: type[Exception] = UnrecordedWrite) -> Iterator[None]:
    before = table_and_log(model)
    with pytest.raises(error), transaction.atomic():
        yield
    assert table_and_log(model) == before


@contextmanager
def one_more_revision() -> Iterator[None]:
    before = head_number()
    yield
    assert head_number() == before + 1
    assert Revision.objects.filter(number=before + 1).exists()


def row_of(model: Any, pk: Any) -> tuple[Any, ...]:
    return model.objects.values_list(*columns(model)).get(pk=pk)


def newest_history(model: Any, pk: Any) -> list[tuple[Any, ...]]:
    """What the newest revision has on the row: the kind of change, and the row's values."""
    of_row = {model._meta.pk.attname: pk, "revision_id": head_number()}
    history = model.history.model.objects.filter(**of_row)
    return list(history.values_list("history_type", *columns(model)))
