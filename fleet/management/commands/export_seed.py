import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from fleet.history.snapshot import snapshot
from fleet.resources.showing import seed_documents


class Command(BaseCommand):
    help = "Write the whole fleet as a seed (JSON), to a file or to standard output."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path | None = options["file"]
        if file is None:
            self.stdout.write("".join(export_lines()), ending="")
        else:
            file.write_text("".join(export_lines()), encoding="utf-8")
            print(f"Wrote {file}.", file=sys.stderr)  # noqa: T201


def export_lines() -> Iterator[str]:
    """Same fleet, same bytes."""
    with snapshot():
        documents = {section: list(items) for section, items in seed_documents()}
    yield json.dumps(documents, ensure_ascii=False, allow_nan=False, indent=2)
    yield "\n"
