"""What every write has: a dry run, a confirmation, a reason, and the revision in the answer."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from rest_framework.request import Request
from rest_framework.response import Response

from fleet.access.authentication import actor_of
from fleet.errors import Invalid
from fleet.history.change import Change, change, current_change, head_number
from fleet.models import Revision
from fleet.models.revision import MAX_REASON
from fleet.plans.formats import plan_document


@dataclass(slots=True)
class Outcome:
    """What a write answers, unless it was a dry run."""

    data: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    # What a dry run tells beside the plan.
    beside_plan: dict[str, Any] = field(default_factory=dict)
    # Whether the answer has the number of the revision, or null where nothing changed.
    tells_revision: bool = False


def perform(request: Request, act: Callable[[], Outcome], reason: str = "") -> Response:
    """Runs an act as one change; `reason` is for where none is given. As a dry run, the answer is
    its plan."""
    if current_change() is not None:
        return _perform_in_batch(request, act)
    dry_run = flag(request, "dry_run")
    with changing(request, dry_run=dry_run, reason=reason) as opened:
        outcome = act()
    number = opened.revision.number if opened.revision else None
    headers = {"X-Fleet-Revision": str(number or head_number())}
    if dry_run:
        return Response(plan_document(_plan(opened)) | outcome.beside_plan, headers=headers)
    if outcome.tells_revision:
        outcome.data["revision"] = number
    return Response(outcome.data, outcome.status, headers={**outcome.headers, **headers})


def _perform_in_batch(request: Request, act: Callable[[], Outcome]) -> Response:
    """A part of a larger change, which is planned, confirmed and recorded as a whole."""
    for name in ("dry_run", "confirm", "expect"):
        if name in request.query_params:
            message = "belongs to the batch, not to an operation in it"
            raise Invalid(f"{name} {message}.", {name: [message]})
    outcome = act()
    return Response(outcome.data, outcome.status)


@contextmanager
def changing(request: Request, *, dry_run: bool, reason: str = "") -> Iterator[Change]:
    with change(
        actor=actor_of(request.user),
        source=Revision.Source.API,
        reason=reason_of(request) or reason,
        confirm=request.query_params.get("confirm", ""),
        expect=request.query_params.get("expect", ""),
        dry_run=dry_run,
    ) as opened:
        yield opened


def _plan(opened: Change) -> Any:
    assert opened.plan is not None  # noqa: S101  (made when the change ended)
    return opened.plan


def reason_of(request: Request) -> str:
    """Headers are Latin-1 on the wire; other text comes percent-encoded, or as UTF-8 bytes."""
    given = request.headers.get("X-Change-Reason", "")
    try:
        reason = given.encode("latin-1").decode()
    except UnicodeError:
        reason = given
    reason = unquote(reason)
    if len(reason) > MAX_REASON or "\x00" in reason:
        message = f"must be at most {MAX_REASON} characters of text"
        raise Invalid(f"X-Change-Reason {message}.", {"X-Change-Reason": [message]})
    return reason


def flag(request: Request, name: str) -> bool:
    text = request.query_params.get(name, "false").lower()
    if text not in {"true", "false"}:
        raise Invalid(f"{name} must be true or false.", {name: ["must be true or false"]})
    return text == "true"
