"""Tables that fit the terminal: what is flexible is cut, or left out, before anything else."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table
from rich.text import Text

GAP = 2
# Less of a text is not worth its place.
LEAST = 12
STATES = {"active": "green", "frozen": "cyan", "decommissioned": "red", "waiting": "yellow"}


@dataclass(frozen=True, slots=True)
class Column:
    title: str
    value: Callable[[dict[str, Any]], Any]
    # Only with -o wide.
    wide: bool = False
    flexible: bool = False
    is_state: bool = False


def cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ",".join(f"{key}={item}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)


def table_of(
    documents: Sequence[Any], columns: Sequence[Column], *, wide: bool, width: int
) -> Table:
    shown = [column for column in columns if wide or not column.wide]
    texts = [[cell(column.value(document)) for column in shown] for document in documents]
    lengths = [
        max(len(column.title), *(len(row[index]) for row in texts))
        for index, column in enumerate(shown)
    ]
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, GAP, 0, 0))
    kept = fitting_widths(shown, lengths, width)
    for index, chosen in kept.items():
        table.add_column(shown[index].title, no_wrap=True, overflow="ellipsis", width=chosen)
    for row in texts:
        table.add_row(*(Text(row[index], style=_style(shown[index], row[index])) for index in kept))
    return table


def fitting_widths(columns: Sequence[Column], lengths: Sequence[int], width: int) -> dict[int, int]:
    """The width of each column that is shown, by its index."""
    kept = {
        index: min(length, LEAST) if columns[index].flexible else length
        for index, length in enumerate(lengths)
    }
    for index in reversed(range(len(columns))):
        if _total(kept) > width and columns[index].flexible:
            del kept[index]
    for index in kept:
        left = max(width - _total(kept), 0)
        kept[index] += min(left, lengths[index] - kept[index])
    return kept


def _total(widths: dict[int, int]) -> int:
    return sum(widths.values()) + GAP * len(widths)


def _style(column: Column, text: str) -> str:
    return STATES.get(text, "") if column.is_state else ""
