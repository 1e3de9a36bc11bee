from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.utils import timezone

from fleet.management.changes import ChangeCommand
from fleet.models import Token
from fleet.services.tokens import (
    GRACE,
    MAX_GRACE,
    EnrolmentDefaults,
    Issued,
    token_issue,
    token_revoke,
    token_rotate,
)

HOURS = int(GRACE.total_seconds() // 3600)
MOST_HOURS = int(MAX_GRACE.total_seconds() // 3600)
MOST_DAYS = 36_500


def whole(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 6) or not (
            least <= int(text) <= most
        ):
            raise ArgumentTypeError(f"{text!r} must be a whole number from {least} to {most}")
        return int(text)

    return read


def label(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not sign:
        raise ArgumentTypeError(f"{text!r} must be KEY=VALUE")
    return key, value


def _add_gifts(group: Any) -> None:
    group.add_argument(
        "--label",
        dest="labels",
        type=label,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="A label of new clusters; may be repeated.",
    )
    group.add_argument(
        "--profile",
        dest="profiles",
        action="append",
        default=[],
        metavar="ID",
        help="A profile with a list, to put new clusters on; may be repeated.",
    )
    group.add_argument(
        "--needs-approval", action="store_true", help="New clusters wait to be approved."
    )
    group.add_argument(
        "--max-uses", type=whole(1, 999_999), metavar="N", help="How many may register."
    )


class Command(ChangeCommand):
    help = "List, issue, rotate and revoke tokens. A secret is printed once, when it is made."

    def add_arguments(self, parser: ArgumentParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        acts.add_parser("list", help="All tokens, without their secrets.")
        issue = acts.add_parser("issue", help="Make a token.")
        issue.add_argument("id")
        issue.add_argument("--kind", required=True, choices=Token.Kind.values)
        issue.add_argument("--cluster", help="Of a cluster token: the id of the cluster.")
        issue.add_argument(
            "--environment",
            action="append",
            dest="environments",
            help="Of an operator token: the only environment that it may change; may be repeated. "
            "Of an enrolment token: the one that new clusters are in.",
        )
        _add_gifts(issue.add_argument_group("enrolment", "What an enrolment token gives."))
        rotate = acts.add_parser("rotate", help="Make a new secret; the old one stays for a while.")
        rotate.add_argument("id")
        rotate.add_argument(
            "--grace-hours", type=whole(0, MOST_HOURS), default=HOURS, help=f"By default {HOURS}."
        )
        for making in (issue, rotate):
            making.add_argument("--expires-in-days", type=whole(1, MOST_DAYS), metavar="DAYS")
        revoke = acts.add_parser("revoke", help="Make a token invalid, at once and for good.")
        revoke.add_argument("id")
        for writing in (issue, rotate, revoke):
            super().add_arguments(writing)

    def handle(self, *args: Any, **options: Any) -> None:
        act = options["act"]
        if act == "list":
            self.print_list()
            return
        with self.changing(options, reason=f"{act.capitalize()} token {options['id']}") as opened:
            issued = ACTS[act](options)
        if issued and not options["dry_run"]:
            self.stdout.write(f"The secret, which is not shown again:\n{issued.secret}")
        self.tell(opened, options)

    def print_list(self) -> None:
        tokens = Token.objects.prefetch_related("keys")
        for token in tokens:
            used = max((key.last_used for key in token.keys.all() if key.last_used), default=None)
            about = [
                token.cluster_id or ", ".join(token.environments or ()),
                f"{token.uses} of {token.max_uses or 'any number of'} uses" if token.uses else "",
                f"expires {token.expires_at:%Y-%m-%d %H:%M}" if token.expires_at else "",
                f"last used {used:%Y-%m-%d %H:%M}" if used else "",
            ]
            line = f"{token.pk:<30}  {token.kind:<9}  {'  '.join(filter(None, about))}"
            self.stdout.write(line.rstrip())
        if not tokens:
            self.stdout.write("No tokens.")


def _expiry(options: dict[str, Any]) -> Any:
    days = options["expires_in_days"]
    return None if days is None else timezone.now() + timedelta(days=days)


def _issue(options: dict[str, Any]) -> Issued:
    given = {name: options[name] for name in ("id", "kind", "cluster", "environments")}
    enrolment_defaults = EnrolmentDefaults(
        labels=dict(options["labels"]),
        profiles=options["profiles"],
        needs_approval=options["needs_approval"],
        max_uses=options["max_uses"],
    )
    return token_issue(**given, expires_at=_expiry(options), enrolment_defaults=enrolment_defaults)


def _rotate(options: dict[str, Any]) -> Issued:
    grace = timedelta(hours=options["grace_hours"])
    return token_rotate(id=options["id"], grace=grace, expires_at=_expiry(options))


def _revoke(options: dict[str, Any]) -> None:
    token_revoke(id=options["id"])


ACTS: dict[str, Any] = {"issue": _issue, "rotate": _rotate, "revoke": _revoke}
