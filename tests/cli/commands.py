"""Every command of the program, by its path."""

from collections.abc import Iterator
from typing import Any

import typer

from fleet_cli.app import app


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, child in command.commands.items():
        if hasattr(child, "commands"):
            yield from commands(child, (*path, name))
        else:
            yield (*path, name), child


COMMANDS = dict(commands(typer.main.get_command(app)))
