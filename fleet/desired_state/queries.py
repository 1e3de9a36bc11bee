"""Reads of whole rows whose SQL is built once: for a poll, Django would take longer to write the
query than the database to answer it."""

from collections import defaultdict, namedtuple
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from typing import Any, NamedTuple

import psycopg
from django.db import NotSupportedError, connection

from fleet.history.snapshot import snapshot
from fleet.models.tracked import Row, columns

Converter = Callable[[Any], Any]
Found = Sequence[Any]
STREAM_CHUNK = 5_000
VALUES_AT_ONCE, OWNERS_AT_ONCE = 2_000, 1_000
# Around statements of which each has to see the same moment.
BEGIN, COMMIT = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", "COMMIT"


class Statement(NamedTuple):
    sql: str
    parameters: Sequence[Any] = ()
    # Whether its text is one of a few, so that it is worth preparing.
    is_fixed: bool = True


@dataclass(frozen=True, slots=True)
class Reading:
    """Statements, and what is made of the rows that each of them finds."""

    statements: Sequence[Statement]
    made_of: Callable[..., Any]


def read(*readings: Reading) -> list[Any]:
    """What each of them gives, all as of one moment."""
    statements = [statement for reading in readings for statement in reading.statements]
    found = iter(_fetch(statements))
    return [reading.made_of(*(next(found) for _ in reading.statements)) for reading in readings]


def _fetch(statements: Sequence[Statement]) -> list[Found]:
    # Inside a transaction it is for that to be of one moment: `snapshot()` by its isolation, and a
    # change by its lock on the head.
    needs_transaction = len(statements) > 1 and not connection.in_atomic_block
    if connection.vendor == "postgresql":
        return _fetch_in_pipeline(statements, needs_transaction)
    with snapshot() if needs_transaction else nullcontext(), connection.cursor() as cursor:
        found = []
        for statement in statements:
            cursor.execute(statement.sql, statement.parameters)
            found.append(cursor.fetchall())
        return found


def _fetch_in_pipeline(statements: Sequence[Statement], needs_transaction: bool) -> list[Found]:
    """In one round trip: to wait for every single statement would take most of the time of a poll.
    Django's cursor around it times it and counts it, as one query."""
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    batch: Any = Batch(connection.connection, statements, needs_transaction)
    wrap = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
    try:
        with wrap(batch) as cursor:
            text = "; ".join(statement.sql for statement in statements)
            cursor.executemany(text, [statement.parameters for statement in statements])
    except NotSupportedError:
        # A migration has changed what was prepared on this connection.
        if not connection.in_atomic_block:
            connection.close()
        raise
    return batch.found


class Batch:
    """Several statements in psycopg's pipeline mode, as Django's cursor asks for many at once."""

    def __init__(self, raw: Any, statements: Sequence[Statement], needs_transaction: bool) -> None:
        self._raw = raw
        self._statements = statements
        self._needs_transaction = needs_transaction
        self.found: list[Found] = []

    def executemany(self, sql: str, parameters: Any) -> None:
        if not self._needs_transaction:
            with self._raw.pipeline():
                cursors = self._send_all()
        else:
            cursors = self._send_transaction()
        self.found = [cursor.fetchall() for cursor in cursors]

    def _send_transaction(self) -> list[psycopg.Cursor[Any]]:
        """By statements of its own: psycopg's `transaction()` waits for BEGIN and for COMMIT."""
        try:
            with self._raw.pipeline():
                self._raw.execute(BEGIN)
                cursors = self._send_all()
                self._raw.execute(COMMIT)
        except psycopg.Error:
            if not self._raw.closed:
                self._raw.rollback()
            raise
        return cursors

    def _send_all(self) -> list[psycopg.Cursor[Any]]:
        """Prepared: PostgreSQL takes longer to plan one of these than to carry it out."""
        return [
            psycopg.Cursor(self._raw).execute(
                statement.sql, statement.parameters or None, prepare=statement.is_fixed
            )
            for statement in self._statements
        ]

    def close(self) -> None:
        """Its cursors are read to their end."""


def all_rows(wanted: Sequence[Any]) -> Reading:
    """A list of rows for each of these models."""
    tables = [_table(model) for model in wanted]
    return Reading([Statement(table.select) for table in tables], partial(_rows_of, tables))


def rows_in(wanted: Sequence[tuple[Any, str]], values: Sequence[Any]) -> Reading:
    """A list for each model: the rows that have one of these values, of which there are some, in
    the column beside it."""
    tables = [_table(model) for model, _ in wanted]
    marks = ", ".join(["%s"] * len(values))
    statements = [
        Statement(f"{table.select} WHERE {_quoted(column)} IN ({marks})", values, is_fixed=False)
        for table, (_, column) in zip(tables, wanted, strict=True)
    ]
    return Reading(statements, partial(_rows_of, tables))


def rows_with(model: Any, column: str, values: Sequence[Any]) -> list[Row]:
    """However many values there are."""
    rows: list[Row] = []
    for start in range(0, len(values), VALUES_AT_ONCE):
        chosen = values[start : start + VALUES_AT_ONCE]
        [[found]] = read(rows_in([(model, column)], chosen))
        rows += found
    return rows


def rows_by_key(model: Any, keys: Sequence[Any]) -> dict[Any, Row]:
    key = model._meta.pk
    return {getattr(row, key.attname): row for row in rows_with(model, key.column, keys)}


def values_by_key(model: Any, column: str, keys: Sequence[Any]) -> dict[Any, Any]:
    """One column of these rows, as the database gives it: far less to read than whole rows."""
    table = _table(model)
    select = f"SELECT {table.key}, {_quoted(column)} FROM {table.name}"  # noqa: S608
    values: dict[Any, Any] = {}
    for start in range(0, len(keys), VALUES_AT_ONCE):
        chosen = keys[start : start + VALUES_AT_ONCE]
        sql = f"{select} WHERE {table.key} IN ({', '.join(['%s'] * len(chosen))})"
        [found] = read(Reading([Statement(sql, chosen, is_fixed=False)], dict))
        values.update(found)
    return values


def rows_and_children(
    model: Any, keys: Sequence[Any], children: Sequence[Any], reference: str
) -> Iterator[tuple[Row, dict[Any, list[Row]]]]:
    """In the order of the keys, those that are there, each with a list for every model that refers
    to it. A fixed number of queries for some hundreds of them."""
    wanted = [(model, model._meta.pk.column), *((child, reference) for child in children)]
    for start in range(0, len(keys), OWNERS_AT_ONCE):
        chosen = keys[start : start + OWNERS_AT_ONCE]
        [[own, *below]] = read(rows_in(wanted, chosen))
        owners = {getattr(row, model._meta.pk.attname): row for row in own}
        found: defaultdict[Any, dict[Any, list[Row]]] = defaultdict(
            lambda: {child: [] for child in children}
        )
        for child, rows in zip(children, below, strict=True):
            for row in rows:
                found[getattr(row, reference)][child].append(row)
        yield from ((owners[key], found[key]) for key in chosen if key in owners)


def _rows_of(tables: Sequence["_Table"], *found: Found) -> list[list[Row]]:
    return [table.rows(values) for table, values in zip(tables, found, strict=True)]


def stream(model: Any, order: str) -> Iterator[Row]:
    """All rows, in the order of a column; only some of them are in memory."""
    table = _table(model)
    with connection.chunked_cursor() as cursor:
        cursor.execute(f"{table.select} ORDER BY {_quoted(order)}")
        while found := cursor.fetchmany(STREAM_CHUNK):
            yield from table.rows(found)


def row_and_children(
    model: Any, column: str, value: Any, children: Sequence[Any], reference: str
) -> Reading:
    """The row that has this unique value, or None; and a list for each model that refers to it."""
    table, below = _table(model), [_table(child) for child in children]
    key = f"(SELECT {table.key} FROM {table.name} WHERE {_quoted(column)} = %s)"  # noqa: S608

    def made_of(own: Found, *found: Found) -> tuple[Row | None, list[list[Row]]]:
        rows = [child.rows(values) for child, values in zip(below, found, strict=True)]
        return (table.row_of(own[0]) if own else None), rows

    statements = [
        f"{table.select} WHERE {_quoted(column)} = %s",
        *(f"{child.select} WHERE {_quoted(reference)} = {key}" for child in below),
    ]
    return Reading([Statement(sql, [value]) for sql in statements], made_of)


def row_and_parents(model: Any, column: str, value: Any, *parents: tuple[Any, str]) -> Reading:
    """The row that has this unique value, the one that it refers to, the one that this refers to,
    and so on, each by the given column; None for what is not there."""
    tables = [_table(model), *(_table(parent) for parent, _ in parents)]
    joins = (
        f" LEFT JOIN {above.name} ON {above.name}.{above.key} = {below.name}.{_quoted(reference)}"
        for below, above, (_, reference) in zip(tables, tables[1:], parents, strict=False)
    )
    sql = (
        f"SELECT {', '.join(table.columns for table in tables)} FROM {tables[0].name}"  # noqa: S608
        f"{''.join(joins)} WHERE {tables[0].name}.{_quoted(column)} = %s"
    )

    def made_of(found: Found) -> list[Row | None]:
        values = iter(found[0] if found else ())
        parts = (tuple(islice(values, len(table.row._fields))) for table in tables)
        # A row that is there has a key.
        return [
            table.row_of(part) if any(value is not None for value in part) else None
            for table, part in zip(tables, parts, strict=True)
        ]

    return Reading([Statement(sql, [value])], made_of)


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)


class _Table:
    """What is the same for every read of a model on one kind of database."""

    def __init__(self, model: Any) -> None:
        fields = model._meta.concrete_fields
        self.name = _quoted(model._meta.db_table)
        self.key = _quoted(model._meta.pk.column)
        self.columns = ", ".join(f"{self.name}.{_quoted(field.column)}" for field in fields)
        self.select = f"SELECT {self.columns} FROM {self.name}"  # noqa: S608
        self.row: Any = namedtuple("Row", columns(model))  # type: ignore[misc]
        self.converters = [
            (index, convert)
            for index, field in enumerate(fields)
            if (convert := _converter(field)) is not None
        ]

    def rows(self, found: Found) -> list[Row]:
        if not self.converters:
            return list(map(self.row._make, found))
        rows = [list(values) for values in found]
        for index, convert in self.converters:
            for values in rows:
                values[index] = convert(values[index])
        return list(map(self.row._make, rows))

    def row_of(self, values: Sequence[Any]) -> Row:
        [row] = self.rows([values])
        return row


def _table(model: Any) -> _Table:
    return _tables(model, connection.vendor)


@cache
def _tables(model: Any, vendor: str) -> _Table:
    return _Table(model)


def _converter(field: Any) -> Converter | None:
    """As the ORM converts what comes from this database: JSON, and truth in SQLite."""
    expression = field.cached_col
    steps = connection.ops.get_db_converters(expression) + expression.get_db_converters(connection)
    if not steps:
        return None

    def convert(value: Any) -> Any:
        for step in steps:
            value = step(value, expression, connection)
        return value

    return convert
