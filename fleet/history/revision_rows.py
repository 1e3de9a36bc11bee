"""The rows that revisions wrote, a few at a time: an import writes a quarter of a million."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Min, OuterRef, QuerySet, Subquery, Value

from fleet import models
from fleet.history.change import RowChange
from fleet.models.tracked import columns

# Up to 900 KiB in a row, and nothing that a person reads.
UNREAD = {models.FrozenAnswers: {"answers"}}


@dataclass(frozen=True, slots=True)
class Written:
    """How many rows of a table a revision wrote, and where they begin in its history."""

    model: Any
    count: int
    first: int


def written_by(numbers: Sequence[int]) -> dict[int, list[Written]]:
    """By revision, in the order of the tables. One query; it reads indexes rather than rows."""
    counts = [_counts(index, model, numbers) for index, model in enumerate(models.TRACKED_MODELS)]
    found: dict[int, list[Written]] = {number: [] for number in numbers}
    rows = counts[0].union(*counts[1:], all=True) if numbers else ()
    for index, number, count, first in sorted(rows):
        found[number].append(Written(models.TRACKED_MODELS[index], count, first))
    return found


def _counts(index: int, model: Any, numbers: Sequence[int]) -> QuerySet:
    history = model.history.model.objects.filter(revision_id__in=numbers).order_by()
    counted = history.values("revision_id").annotate(
        table=Value(index), rows=Count("history_id"), first=Min("history_id")
    )
    return counted.values_list("table", "revision_id", "rows", "first")


def first_rows(written: Mapping[int, Sequence[Written]], most: int) -> dict[int, list[RowChange]]:
    """Up to so many of each table and revision, in two queries for each table.

    A revision is written by one writer at a time, so its rows lie one after the other.
    """
    wanted: dict[Any, list[int]] = defaultdict(list)
    for tables in written.values():
        for table in tables:
            wanted[table.model] += range(table.first, table.first + min(table.count, most))
    found: dict[int, list[RowChange]] = {number: [] for number in written}
    for model, keys in wanted.items():
        history = model.history.model.objects.filter(
            history_id__in=keys, revision_id__in=list(written)
        )
        for number, change in _read(model, history.order_by("history_id")):
            found[number].append(change)
    return found


def alike_rows(model: Any, numbers: Sequence[int]) -> set[int]:
    """The revisions whose rows of this table of clusters differ in nothing but the cluster.

    One query, but over all of these rows.
    """
    names = ["history_type", *columns(model)]
    names = [name for name in names if name not in {"cluster_id", model._meta.pk.attname}]
    kinds = {f"{name}_kinds": Count(name, distinct=True) for name in names}
    filled = {f"{name}_filled": Count(name) for name in names}
    history = model.history.model.objects.filter(revision_id__in=numbers).order_by()
    rows = history.values("revision_id").annotate(rows=Count("history_id"), **kinds, **filled)
    return {
        row["revision_id"]
        for row in rows
        if all(
            row[f"{name}_kinds"] <= 1 and row[f"{name}_filled"] in {0, row["rows"]}
            for name in names
        )
    }


def page_of_rows(number: int, tables: Sequence[Written], start: int, size: int) -> list[RowChange]:
    """A part of all that a revision wrote, table by table."""
    found: list[RowChange] = []
    for table in tables:
        if start < table.count and len(found) < size:
            history = table.model.history.model.objects.filter(revision_id=number)
            part = history.order_by("history_id")[start : start + size - len(found)]
            found += [change for _, change in _read(table.model, part)]
        start = max(0, start - table.count)
    return found


def _read(model: Any, history: QuerySet) -> Iterator[tuple[int, RowChange]]:
    key = model._meta.pk.attname
    table = model.history.model.objects
    names = [name for name in columns(model) if name not in UNREAD.get(model, ())]
    before = table.filter(**{key: OuterRef(key)}, history_id__lt=OuterRef("history_id"))
    newest = Subquery(before.order_by("-history_id").values("history_id")[:1])
    rows = list(
        history.annotate(earlier=newest).values_list(
            "revision_id", "history_type", "earlier", *names, named=True
        )
    )
    changed = [row.earlier for row in rows if row.history_type == "~"]
    old = {}
    if changed:
        earlier = table.filter(history_id__in=changed).order_by()
        old = {row.history_id: row for row in earlier.values_list("history_id", *names, named=True)}
    for row in rows:
        gone = row.history_type == "-"
        yield (
            row.revision_id,
            RowChange(
                model,
                getattr(row, key),
                row if gone else old.get(row.earlier) if row.history_type == "~" else None,
                None if gone else row,
            ),
        )
