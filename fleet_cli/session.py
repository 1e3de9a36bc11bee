"""What a command works with: the server, the terminal, and how it was asked to go about it."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from rich.console import Console

from fleet_cli.api import Api, Progress
from fleet_cli.contexts import Connection, choose

# What goes into a pipe is not for a width: grep wants whole lines.
PIPE_WIDTH = 10_000


class Output(StrEnum):
    TABLE = "table"
    WIDE = "wide"
    JSON = "json"
    YAML = "yaml"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Where:
    """The options before the command: which server, and whether to show what is said to it."""

    given: Connection
    context: str | None = None
    debug: bool = False


@dataclass(frozen=True, slots=True)
class Watching:
    watch: bool = False
    interval: float = 2.0


@dataclass(frozen=True, slots=True)
class Writing:
    dry_run: bool = False
    yes: bool = False
    confirm: str | None = None
    reason: str = ""


@dataclass
class Session:
    where: Where
    output: Output = Output.TABLE
    watching: Watching = field(default_factory=Watching)
    writing: Writing = field(default_factory=Writing)

    @cached_property
    def connection(self) -> Connection:
        return choose(self.where.given, self.where.context)

    @cached_property
    def api(self) -> Api:
        return Api(self.connection, show_exchange=self.where.debug)

    @cached_property
    def out(self) -> Console:
        return console(sys.stdout.isatty())

    @cached_property
    def err(self) -> Console:
        return console(sys.stderr.isatty(), stderr=True)

    def close(self) -> None:
        if "api" in self.__dict__:
            self.api.close()

    @property
    def for_people(self) -> bool:
        return self.output in (Output.TABLE, Output.WIDE)

    def tell(self, line: str) -> None:
        """A sentence about what was done. A program reads standard output, and not sentences."""
        target = self.out if self.for_people else self.err
        target.print(line, highlight=False, soft_wrap=True)

    @contextmanager
    def progress(self, what: str) -> Iterator[Progress]:
        """Seen only on a terminal, and gone when it is done."""
        with self.err.status(f"{what} …") as status:
            yield lambda done, total: status.update(f"{what} … {done} of {total}")


def console(terminal: bool, *, stderr: bool = False) -> Console:
    width = None if terminal or "COLUMNS" in os.environ else PIPE_WIDTH
    return Console(stderr=stderr, width=width, highlight=False, emoji=False)
