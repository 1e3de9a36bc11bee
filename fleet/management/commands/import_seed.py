import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import Progress

from fleet.errors import ConfirmationRequired, FleetError
from fleet.models import Revision
from fleet.revisions import change
from fleet.services.seeds import seed_import


class Command(BaseCommand):
    help = "Load a seed file (JSON): all of it or, where anything is wrong, nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--reason", default="", help="Why, for the log of revisions.")
        parser.add_argument("--confirm", default="", help="The digest of a plan that removes.")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        documents = read_json(file)
        reason = options["reason"] or f"Import of {file.name}"
        quiet = options["verbosity"] == 0
        console = Console(stderr=True, quiet=quiet)
        try:
            with Progress(console=console) as bar:
                steps = bar.add_task(f"Importing {file.name}", total=_steps(documents))
                with change(
                    source=Revision.Source.IMPORT, reason=reason, confirm=options["confirm"]
                ) as opened:
                    specs = seed_import(
                        documents=documents, progress=lambda done: bar.advance(steps, done)
                    )
                    bar.update(steps, description="Checking the effect")
                bar.update(steps, completed=bar.tasks[0].total)
        except ConfirmationRequired as refusal:
            raise CommandError(f"{refusal.message} Add --confirm {refusal.plan.digest}") from None
        except FleetError as refusal:
            raise CommandError(_explain(refusal)) from None
        if not quiet:
            done = f"revision {opened.revision.number}" if opened.revision else "nothing to change"
            self.stdout.write(f"Imported {len(specs)} objects from {file.name}: {done}.")


def read_json(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise CommandError(f"{file} is not UTF-8 text.") from None
    except json.JSONDecodeError as error:
        raise CommandError(
            f"{file} is not JSON: {error.msg} in line {error.lineno}, column {error.colno}."
        ) from None
    except RecursionError:
        raise CommandError(f"{file} is nested too deeply.") from None


def _steps(documents: Any) -> int:
    """Each object is written once, and its children of up to five kinds after it."""
    if not isinstance(documents, dict):
        return 1
    return sum(len(section) * 5 for section in documents.values() if isinstance(section, list))


def _explain(refusal: FleetError) -> str:
    lines = [f"  {path}: {' '.join(texts)}" for path, texts in refusal.details.items()]
    return "\n".join(["Nothing was imported.", *lines]) if lines else refusal.message
