from argparse import ArgumentParser
from typing import Any

from fleet.management.changes import ChangeCommand
from fleet.services.undo import revision_revert


class Command(ChangeCommand):
    help = "Take a revision back, as a new revision."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("number", type=int, metavar="N")
        parser.add_argument(
            "--skip-conflicts",
            action="store_true",
            help="Take back what later changes did not touch, and leave the rest.",
        )
        super().add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        number = options["number"]
        with self.changing(options, reason=f"Revert of revision {number}") as opened:
            revision_revert(number=number, skip_conflicts=options["skip_conflicts"])
        self.tell(opened, options)
