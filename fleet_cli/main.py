"""The program: runs the app, and turns what went wrong into one line and an exit code."""

import sys
from collections.abc import Sequence

import typer
from rich.text import Text

from fleet_cli.app import app
from fleet_cli.errors import CliError
from fleet_cli.session import console

PROGRAM = "flux-fleet"
INTERRUPTED = 130


def main() -> None:
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    try:
        return app(arguments, prog_name=PROGRAM, standalone_mode=False) or 0
    except CliError as error:
        tell(error.message, error.hint, error.problems)
        return error.exit_code
    except typer.TyperException as error:
        tell(*usage(error))
        return error.exit_code
    except (typer.Abort, KeyboardInterrupt):
        tell("Interrupted; nothing more was done.")
        return INTERRUPTED
    except Exception as error:
        if "--debug" in arguments:
            raise
        what = f"{type(error).__name__}: {error}"
        tell(f"This should not happen ({what}).", "With --debug, it tells where.")
        return CliError.exit_code


def usage(error: typer.TyperException) -> tuple[str, str]:
    """One line and where to look. A group without a command has shown its help already."""
    context = getattr(error, "ctx", None)
    where = context.command_path if context else PROGRAM
    return error.format_message().strip(), f"Look at: {where} --help"


def tell(message: str, hint: str = "", problems: Sequence[str] = ()) -> None:
    if not message:
        return
    err = console(sys.stderr.isatty(), stderr=True)
    err.print(Text("error: ", style="bold red").append(message, style="default"), soft_wrap=True)
    for problem in problems:
        err.print(Text(f"  {problem}"), soft_wrap=True)
    if hint:
        err.print(Text(hint, style="dim"), soft_wrap=True)
