"""What was measured, as tables: for the terminal, and as Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table as RichTable

PASS, MISS = "pass", "miss"


@dataclass
class Table:
    title: str
    columns: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)

    def markdown(self) -> str:
        marks = ["---"] + ["---:"] * (len(self.columns) - 1)
        lines = [self.columns, marks, *self.rows]
        return "\n".join([f"### {self.title}", "", *(f"| {' | '.join(line)} |" for line in lines)])

    def show(self, console: Console) -> None:
        table = RichTable(title=self.title, title_justify="left")
        for number, column in enumerate(self.columns):
            table.add_column(column, justify="right" if number else "left")
        for row in self.rows:
            table.add_row(*row)
        console.print(table)


@dataclass
class Report:
    tables: dict[str, Table] = field(default_factory=dict)
    errors: int = 0

    def add(self, title: str, row: dict[str, str]) -> None:
        table = self.tables.setdefault(title, Table(title, list(row)))
        table.rows.append(list(row.values()))
        print("  " + ", ".join(f"{name} {value}" for name, value in row.items()), flush=True)

    def show(self) -> None:
        # As wide as they are: a table that is cut tells nothing.
        console = Console(width=160)
        for table in self.tables.values():
            table.show(console)

    def markdown(self) -> str:
        return "\n\n".join(table.markdown() for table in self.tables.values())


def verdict(reached: bool) -> str:
    return PASS if reached else MISS
