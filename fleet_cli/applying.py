"""`POST /apply`: makes the server match documents, and tells what that is about."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.text import Text

from fleet_cli.api import Answer, Rejected, Request
from fleet_cli.plans import SIGNS, plan_lines, show_lines
from fleet_cli.session import Session
from fleet_cli.writes import carry_out

Body = Mapping[str, Any]
Refusals = Callable[[Mapping[str, Any]], None]
ACTIONS = {
    "created": SIGNS["added"],
    "updated": SIGNS["changed"],
    "deleted": SIGNS["removed"],
    "decommissioned": SIGNS["removed"],
}


def apply_request(body: Body, *, prune: bool = False) -> Request:
    return Request("POST", "/apply", body, [("prune", "true")] if prune else [])


def apply_documents(
    session: Session, make: Callable[[], Request], refused: Refusals
) -> Answer | None:
    with placed(refused):
        return carry_out(session, make)


def dry_run(session: Session, request: Request, refused: Refusals) -> dict[str, Any]:
    with placed(refused), session.progress("Comparing"):
        found: dict[str, Any] = session.api.send(request, dry_run="true").data
    return found


@contextmanager
def placed(refused: Refusals) -> Iterator[None]:
    """`refused` gets what is wrong by its path in the body, and raises it by its place."""
    try:
        yield
    except Rejected as error:
        if error.code == "validation_error":
            refused(error.details)
        raise


def show_differences(session: Session, plan: dict[str, Any]) -> None:
    """The objects that differ, and what that means for clusters."""
    names = (f"{item['kind']}/{item['id']}" for item in plan["objects"])
    show_lines(session, plan, names, difference_lines)


def difference_lines(plan: dict[str, Any], *, whole: bool) -> Iterator[Text]:
    if not plan["objects"]:
        yield Text("Nothing differs.")
        return
    for item in plan["objects"]:
        sign, style = ACTIONS[item["action"]]
        yield Text(f"{sign} {item['kind']} {item['id']} {item['action']}", style=style)
    yield Text("")
    yield from plan_lines(plan, whole=whole)


def summary(applied: Mapping[str, Any]) -> str:
    counts = ", ".join(
        f"{applied[name]} {name}" for name in ("created", "updated", "deleted", "unchanged")
    )
    number = applied["revision"]
    return f"{counts}; {f'revision {number}' if number else 'nothing to change'}."
