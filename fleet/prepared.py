"""Reads of whole rows whose SQL is made once: for a poll, Django would take longer to write the
query than the database to answer it."""

from collections import namedtuple
from collections.abc import Callable
from functools import cache
from typing import Any

from django.db import connection

from fleet.models.tracked import Row, columns

Converter = Callable[[Any], Any]


def all_rows(model: Any) -> list[Row]:
    return _Table.of(model).read()


def rows_where(model: Any, column: str, value: Any) -> list[Row]:
    return _Table.of(model).read(f" WHERE {connection.ops.quote_name(column)} = %s", [value])


class _Table:
    """What is the same for every read of a model on one kind of database."""

    def __init__(self, model: Any) -> None:
        quote, fields = connection.ops.quote_name, model._meta.concrete_fields
        names = ", ".join(quote(field.column) for field in fields)
        self.select = f"SELECT {names} FROM {quote(model._meta.db_table)}"  # noqa: S608
        self.row: Any = namedtuple("Row", columns(model))  # type: ignore[misc]
        self.converters = [
            (index, convert)
            for index, field in enumerate(fields)
            if (convert := _converter(field)) is not None
        ]

    @classmethod
    def of(cls, model: Any) -> "_Table":
        return _tables(model, connection.vendor)

    def read(self, condition: str = "", parameters: Any = None) -> list[Row]:
        with connection.cursor() as cursor:
            cursor.execute(self.select + condition, parameters)
            found = cursor.fetchall()
        if not self.converters:
            return [self.row._make(values) for values in found]
        return [self._converted(values) for values in found]

    def _converted(self, values: Any) -> Row:
        values = list(values)
        for index, convert in self.converters:
            values[index] = convert(values[index])
        return self.row._make(values)


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
