"""Whether a write was recorded, or refused with nothing changed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import transaction

from fleet.errors import UnrecordedWrite
from fleet.models import TRACKED_MODELS, Effect, Revision
from fleet.models.tracked import columns
from fleet.revisions import head_number


def everything() -> dict[Any, Any]:
    """The fleet and its log, row by row."""
    tables = [*TRACKED_MODELS, *(model.history.model for model in TRACKED_MODELS), Revision, Effect]
    rows = {model: sorted(model._base_manager.values_list(), key=repr) for model in tables}
    return {"head": head_number(), **rows}


@contextmanager
def refused(error: type[Exception] = UnrecordedWrite) -> Iterator[None]:
    before = everything()
    with pytest.raises(error), transaction.atomic():
        yield
    assert everything() == before


def row_of(model: Any, pk: Any) -> tuple[Any, ...]:
    return model._base_manager.values_list(*columns(model)).get(pk=pk)


def history_of(model: Any, pk: Any, number: int) -> list[tuple[Any, ...]]:
    """What a revision has on the row: the kind of change, and the row's values."""
    rows = model.history.model.objects.filter(
        **{model._meta.pk.attname: pk}, revision_id=number
    ).values_list("history_type", *columns(model))
    return list(rows)


@contextmanager
def one_more_revision() -> Iterator[None]:
    before = head_number()
    yield
    assert head_number() == before + 1
    assert Revision.objects.filter(number=before + 1).exists()
