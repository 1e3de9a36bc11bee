"""What commands that change the fleet share: their options, and how they tell of a plan."""

import getpass
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from fleet.errors import ConfirmationRequired, FleetError, Invalid
from fleet.history.change import Actor, Change, change
from fleet.models import Revision
from fleet.plans.formats import plan_text

DETAILS_SHOWN = 50


class ChangeCommand(BaseCommand):
    source: str = Revision.Source.SHELL

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--dry-run", action="store_true", help="Show the plan and change nothing."
        )
        parser.add_argument(
            "--confirm", default="", metavar="DIGEST", help="Go ahead with a plan that removes."
        )
        parser.add_argument("--reason", default="", help="Why, for the log of revisions.")

    @contextmanager
    def changing(self, options: dict[str, Any], *, reason: str = "") -> Iterator[Change]:
        """Refusals become one clear message, never a traceback."""
        if settings.READ_ONLY and not settings.MEMORY_STORE:
            raise CommandError("API_MODE is read-only: this command may not change the fleet.")
        try:
            with change(
                actor=operator(),
                source=self.source,
                reason=options["reason"] or reason,
                confirm=options["confirm"],
                dry_run=options["dry_run"],
            ) as opened:
                yield opened
        except ConfirmationRequired as refusal:
            self.stdout.write(plan_text(refusal.plan), ending="")
            raise CommandError(f"{refusal.message} Add --confirm {refusal.plan.digest}") from None
        except FleetError as refusal:
            raise CommandError(explain(refusal)) from None

    def tell(self, opened: Change, options: dict[str, Any]) -> None:
        if options["dry_run"]:
            assert opened.plan is not None  # noqa: S101
            self.stdout.write(plan_text(opened.plan), ending="")
            self.stdout.write("This was a dry run: nothing was changed.")
        elif opened.revision:
            self.stdout.write(f"Done, as revision {opened.revision.number}.")
        else:
            self.stdout.write("Nothing to change.")


def operator() -> Actor:
    """The person at the prompt, as far as the machine knows."""
    try:
        return Actor(getpass.getuser(), Revision.ActorKind.SYSTEM)
    except (KeyError, OSError):
        return Actor("system", Revision.ActorKind.SYSTEM)


def explain(refusal: FleetError) -> str:
    lines = [f"  {path}: {_spell(texts)}" for path, texts in refusal.details.items()]
    more = len(lines) - DETAILS_SHOWN
    if more > 0:
        lines = [*lines[:DETAILS_SHOWN], f"  … and {more} more"]
    # The message of what is invalid is made of the same lines.
    told = "" if lines and isinstance(refusal, Invalid) else f" {refusal.message}"
    return "\n".join([f"Nothing was changed.{told}", *lines])


def _spell(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    return "; ".join(
        " ".join(map(str, item.values())) if isinstance(item, dict) else str(item) for item in value
    )
