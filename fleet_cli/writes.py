"""How every change goes: plan it, show it where it is wide, ask, and only then do it."""

import sys
from collections.abc import Callable

from rich.prompt import Confirm

from fleet_cli.api import Answer, Rejected, Request
from fleet_cli.errors import Refused
from fleet_cli.plans import Plan, clusters_text, is_wide, plan_lines, show_plan
from fleet_cli.session import Output, Session

Make = Callable[[], Request]
ATTEMPTS = 5


def carry_out(session: Session, make: Make) -> Answer | None:
    """None after a dry run. Only the plan that was made here goes ahead: if the fleet has changed
    since, `make` is asked again, since lists that were read before could undo what others did."""
    writing = session.writing
    request, plan = _planned(session, make)
    if writing.dry_run:
        show_plan(session, plan)
        session.err.print("This was a dry run: nothing was changed.")
        return None
    for _ in range(ATTEMPTS):
        _approve(session, plan)
        digest = plan["digest"]
        try:
            return session.api.send(request, reason=writing.reason, confirm=digest, expect=digest)
        except Rejected as error:
            if error.code != "plan_changed":
                raise
        session.err.print("The fleet has changed since the plan was made.", style="bold")
        request, plan = _planned(session, make)
    raise Refused("The fleet changes faster than it can be planned; nothing was changed.")


def _approve(session: Session, plan: Plan) -> None:
    """By the digest that was given, by --yes, or by whoever sits there."""
    writing = session.writing
    if writing.confirm is not None:
        if writing.confirm == plan["digest"]:
            return
        _show(session, plan)
        raise Refused(
            "This is not the plan that you confirmed; nothing was changed.",
            f"If it is right, give --confirm {plan['digest']}",
        )
    if is_wide(plan) and not writing.yes:
        _show(session, plan)
        _ask(session, plan)


def _planned(session: Session, make: Make) -> tuple[Request, Plan]:
    request = make()
    with session.progress("Planning"):
        answer = session.api.send(request, dry_run="true")
    return request, answer.data


def _show(session: Session, plan: Plan) -> None:
    for line in plan_lines(plan, whole=session.output is Output.WIDE):
        session.err.print(line, soft_wrap=True)


def _ask(session: Session, plan: Plan) -> None:
    count = clusters_text(plan["totals"]["clusters"] + len(plan["purged"]))
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Refused(
            f"This changes {count}, and there is nobody to ask; nothing was changed.",
            f"Look at the plan, then give --confirm {plan['digest']} (or --yes).",
        )
    if not Confirm.ask(f"Change {count}?", default=False, console=session.err):
        raise Refused("Nothing was changed.")


def carry_out_directly(session: Session, request: Request) -> Answer | None:
    """For what no cluster gets to see: tokens."""
    if session.writing.dry_run:
        show_plan(session, session.api.send(request, dry_run="true").data)
        return None
    return session.api.send(request, reason=session.writing.reason)
