"""Tokens. A secret is in the answer to its making, and nowhere else."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.http import HttpResponseBase
from django.utils.dateparse import parse_datetime
from rest_framework.request import Request
from rest_framework.response import Response

from fleet.access.authentication import ManagesTokens
from fleet.api.filters import TokenFilters, apply_filters
from fleet.api.pagination import PAGING, paginate
from fleet.api.views import ON_WRITES, FleetView, body_of, refuse_body
from fleet.api.writes import Outcome, perform
from fleet.documents.fields import Reader
from fleet.documents.problems import Problems
from fleet.history.snapshot import snapshot
from fleet.models import Token
from fleet.services.tokens import (
    GRACE,
    EnrolmentGifts,
    Issued,
    token_get,
    token_issue,
    token_revoke,
    token_rotate,
)

GIFTS = ("labels", "profiles", "needs_approval", "max_uses")
FIELDS = ("id", "kind", "cluster", "environments", "expires_at", *GIFTS)
ON_ROTATE = ("grace_seconds", "expires_at")


def token_document(token: Token) -> dict[str, Any]:
    return {
        "id": token.pk,
        "kind": token.kind,
        "cluster": token.cluster_id,
        "environments": token.environments,
        **{name: getattr(token, name) for name in GIFTS},
        "uses": token.uses,
        "expires_at": _spell(token.expires_at),
        "rotated_at": _spell(token.rotated_at),
        "keys": [
            {
                "prefix": key.prefix,
                "created_at": _spell(key.created),
                "expires_at": _spell(key.expiry_date),
                "last_used": _spell(key.last_used),
            }
            for key in token.keys.all()
        ],
    }


def _spell(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


class TokenView(FleetView):
    permission_classes = [ManagesTokens]

    def get_queryset(self) -> Any:
        return Token.objects.prefetch_related("keys")


class TokenList(TokenView):
    """`GET` lists, `POST` issues."""

    filterset_class = TokenFilters

    def get(self, request: Request) -> Response:
        with snapshot():
            chosen = apply_filters(TokenFilters, request, self.get_queryset(), *PAGING)
            page = paginate(request, chosen)
            return Response([token_document(item) for item in page.items], headers=page.headers)

    def post(self, request: Request) -> Response:
        self.allow_parameters(*ON_WRITES)
        given = read_token(body_of(request))

        def act() -> Outcome:
            issued = token_issue(**given)
            address = request.build_absolute_uri(f"/tokens/{issued.token.pk}")
            return with_secret(issued, 201, Location=address)

        return perform(request, act)


class TokenDetail(TokenView):
    """`GET` shows a token without its secret, `DELETE` revokes it."""

    def get(self, request: Request, item_id: str) -> HttpResponseBase:
        self.allow_parameters()
        with snapshot():
            return self.answer(token_document(token_get(item_id)))

    def delete(self, request: Request, item_id: str) -> Response:
        self.allow_parameters(*ON_WRITES)
        refuse_body(request)

        def act() -> Outcome:
            document = token_document(token_get(item_id))
            token_revoke(id=item_id)
            return Outcome(document)

        return perform(request, act)


class TokenRotate(TokenView):
    """A new secret; the one before it stays valid for a time of grace."""

    def post(self, request: Request, item_id: str) -> Response:
        self.allow_parameters(*ON_WRITES)
        given = read_rotation({} if request.stream is None else body_of(request))
        return perform(request, lambda: with_secret(token_rotate(id=item_id, **given), 200))


def with_secret(issued: Issued, status: int, **headers: str) -> Outcome:
    document = {**token_document(issued.token), "token": issued.secret}
    return Outcome(document, status, {"Cache-Control": "no-store", **headers})


def read_token(document: Mapping[str, Any]) -> dict[str, Any]:
    problems = Problems()
    reader = Reader(document, "", problems, {})
    reader.reject_unknown(FIELDS)
    found: dict[str, Any] = {
        name: reader.typed(name, "text")
        for name in ("id", "kind", "cluster")
        if document.get(name) is not None
    }
    for name in ("id", "kind"):
        if document.get(name) is None:
            reader.problem(name, "is required")
    if found.get("kind") is not None:
        reader.chosen("kind", found["kind"], Token.Kind.values)
    if document.get("environments") is not None:
        found["environments"] = _texts(reader, "environments")
    found["expires_at"] = _moment(reader, "expires_at")
    found["gifts"] = _read_gifts(reader)
    problems.raise_if_any()
    return found


def _read_gifts(reader: Reader) -> EnrolmentGifts:
    given = {name for name in GIFTS if reader.document.get(name) is not None}
    found: dict[str, Any] = {}
    if "labels" in given:
        found["labels"] = reader.typed("labels", "object")
    if "profiles" in given:
        found["profiles"] = _texts(reader, "profiles")
    if "needs_approval" in given:
        found["needs_approval"] = reader.typed("needs_approval", "true or false")
    if "max_uses" in given:
        found["max_uses"] = reader.typed("max_uses", "whole number")
    return EnrolmentGifts(**found)


def read_rotation(document: Mapping[str, Any]) -> dict[str, Any]:
    problems = Problems()
    reader = Reader(document, "", problems, {})
    reader.reject_unknown(ON_ROTATE)
    grace = GRACE
    if document.get("grace_seconds") is not None:
        grace = timedelta(seconds=reader.typed("grace_seconds", "whole number") or 0)
    expires_at = _moment(reader, "expires_at")
    problems.raise_if_any()
    return {"grace": grace, "expires_at": expires_at}


def _texts(reader: Reader, name: str) -> list[str]:
    given = reader.typed(name, "list") or []
    for index, item in enumerate(given):
        if not isinstance(item, str):
            reader.problem(f"{name}[{index}]", "must be text")
    return given


def _moment(reader: Reader, name: str) -> datetime | None:
    if reader.document.get(name) is None:
        return None
    text = reader.typed(name, "text")
    try:
        moment = parse_datetime(text) if text is not None else None
        if moment is not None and moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    if text is not None:
        reader.problem(name, "must be a moment with its zone, such as 2030-01-31T12:00:00Z")
    return None
