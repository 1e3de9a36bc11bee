from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from fleet.errors import FleetError
from fleet.history.change import RowChange
from fleet.history.time_travel import changes_of, revision_get, revisions_of
from fleet.models import Revision
from fleet.services.rows import spell
from fleet.services.undo import reverted_by

SIGNS = {"+": "created", "~": "changed", "-": "deleted"}


class Command(BaseCommand):
    help = "The log of changes to the fleet: list it, or show one revision with all it changed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        acts = parser.add_subparsers(dest="act")
        listing = acts.add_parser("list", help="The newest revisions.")
        listing.add_argument("--limit", type=int, default=20)
        listing.add_argument("--cluster", help="Only those that changed what this cluster gets.")
        showing = acts.add_parser("show", help="One revision.")
        showing.add_argument("number", type=int)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["act"] == "show":
                self.show(options["number"])
            else:
                self.print_list(options.get("limit", 20), options.get("cluster"))
        except FleetError as refusal:
            raise CommandError(refusal.message) from None

    def print_list(self, limit: int, cluster: str | None) -> None:
        if limit < 1:
            raise CommandError("--limit must be at least 1.")
        chosen = revisions_of(cluster) if cluster else Revision.objects.order_by("-number")
        for revision in chosen[:limit]:
            self.stdout.write(_headline(revision))
        if not chosen:
            self.stdout.write("No revisions.")

    def show(self, number: int) -> None:
        revision = revision_get(number)
        self.stdout.write(_headline(revision))
        if revision.reverts_id:
            self.stdout.write(f"Reverts revision {revision.reverts_id}.")
        by = reverted_by(revision)
        if by:
            self.stdout.write(f"Was reverted by revision {by.number}.")
        concerned = revision.effects.count()
        self.stdout.write(f"Changed what {concerned} cluster(s) get.")
        for row_change in changes_of(number):
            for line in _change_lines(row_change):
                self.stdout.write(line)


def _headline(revision: Revision) -> str:
    when = revision.created_at.strftime("%Y-%m-%d %H:%M:%S")
    line = f"{revision.number:>6}  {when}  {revision.source:<9}  {revision.actor}"
    return f"{line}  {revision.reason}" if revision.reason else line


def _change_lines(row_change: RowChange) -> list[str]:
    name = spell(row_change.model, row_change.identity())
    lines = [f"  {row_change.kind} {name} {SIGNS[row_change.kind]}"]
    if row_change.kind == "~":
        lines += [f"      {field}: {old!r} → {new!r}" for field, old, new in row_change.fields()]
    return lines
