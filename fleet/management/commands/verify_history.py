from typing import Any

from django.core.management.base import BaseCommand, CommandError

from fleet.history.change import head_number
from fleet.history.snapshot import snapshot
from fleet.history.time_travel import rows_at
from fleet.models import TRACKED_MODELS, Revision
from fleet.services.rows import spell

SHOWN = 20


class Command(BaseCommand):
    help = "Check that the fleet is what its history says, and that no revision is missing."

    def handle(self, *args: Any, **options: Any) -> None:
        with snapshot():
            head = head_number()
            problems = [*missing_revisions(head), *differing_rows(head)]
        if problems:
            raise CommandError("\n".join([f"{len(problems)} problem(s):", *problems[:SHOWN]]))
        self.stdout.write(f"The fleet is as revision {head} left it; no revision is missing.")


def missing_revisions(head: int) -> list[str]:
    known = set(Revision.objects.values_list("number", flat=True))
    expected = set(range(1, head + 1))
    return [
        *(f"Revision {number} is missing." for number in sorted(expected - known)),
        *(f"Revision {number} is beyond the head." for number in sorted(known - expected)),
    ]


def differing_rows(head: int) -> list[str]:
    problems = []
    for model in TRACKED_MODELS:
        pk = model._meta.pk.attname
        present = {getattr(row, pk): row for row in model.objects.order_by().rows()}
        recorded = {getattr(row, pk): row for row in rows_at(model, head)}
        problems += [
            f"{spell(model, [key])} is not as its history says."
            for key in sorted(present.keys() | recorded.keys(), key=str)
            if present.get(key) != recorded.get(key)
        ]
    return problems
