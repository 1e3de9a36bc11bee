from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from rich.console import Console
from rich.progress import Progress

from fleet.gc_pause import without_garbage_collection
from fleet.management.changes import ChangeCommand
from fleet.models import Revision
from fleet.services.seeds import seed_import
from fleet.strict_json import BadJSON, parse_json

# Each object is written once, and its children of up to five kinds after it.
STEPS_PER_OBJECT = 5


class Command(ChangeCommand):
    help = "Load a seed file (JSON): all of it or, where anything is wrong, nothing."
    source = Revision.Source.IMPORT

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        super().add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        seed = [read_json(file)]
        quiet = options["verbosity"] == 0
        with Progress(console=Console(stderr=True, quiet=quiet)) as bar:
            task = bar.add_task(f"Importing {file.name}", total=_steps(seed[0]))
            with (
                without_garbage_collection(),
                self.changing(options, reason=f"Import of {file.name}") as opened,
            ):
                count = import_and_count(seed, lambda done: bar.advance(task, done))
                bar.update(task, description="Checking the effect", completed=bar.tasks[0].total)
        if not quiet:
            self.stdout.write(f"Read {count} objects from {file.name}.")
            self.tell(opened, options)


def import_and_count(seed: list[Any], progress: Callable[[int], None]) -> int:
    """Takes the documents out of the list, so that nobody holds them any longer: with 100,000
    clusters they would keep a gigabyte from the plan."""
    return len(seed_import(documents=seed.pop(), progress=progress))


def read_json(file: Path) -> Any:
    try:
        return parse_json(file.read_bytes())
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.") from None
    except BadJSON as problem:
        raise CommandError(f"{file} is not JSON that we can read: {problem}.") from None


def _steps(documents: Any) -> int:
    if not isinstance(documents, dict):
        return 1
    objects = sum(len(section) for section in documents.values() if isinstance(section, list))
    return max(objects * STEPS_PER_OBJECT, 1)
