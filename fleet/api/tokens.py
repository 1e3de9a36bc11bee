"""Tokens. A secret is in the answer to its making, and nowhere else."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from fleet.access.authentication import ManagesTokens
from fleet.api.filters import TokenFilters, apply_filters
from fleet.api.pagination import PAGING, paginate
from fleet.api.views import ON_WRITES, FleetView, body_of, refuse_body
from fleet.api.writes import Outcome, perform
from fleet.history.snapshot import snapshot
from fleet.models import Token
from fleet.resources.fields import StoredObject
from fleet.resources.problems import Problems
from fleet.resources.token import RotationSerializer, TokenSerializer
from fleet.services.tokens import (
    GRACE,
    EnrolmentDefaults,
    Issued,
    token_get,
    token_issue,
    token_revoke,
    token_rotate,
)

ENROLMENT_DEFAULTS = ("labels", "profiles", "needs_approval", "max_uses")


def token_document(token: Token) -> dict[str, Any]:
    return TokenSerializer().to_representation(StoredObject(token, {}))


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
    """The arguments of `token_issue`."""
    problems = Problems()
    found = TokenSerializer().read_fields(document, "", problems)
    for name in ("id", "kind"):
        if document.get(name) is None:
            problems.add(name, "is required")
    problems.raise_if_any()
    given = {name: found.pop(name) for name in ENROLMENT_DEFAULTS if name in found}
    return {**found, "enrolment_defaults": EnrolmentDefaults(**given)}


def read_rotation(document: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `token_rotate`."""
    problems = Problems()
    found = RotationSerializer().read_fields(document, "", problems)
    problems.raise_if_any()
    seconds = found.get("grace_seconds")
    grace = GRACE if seconds is None else timedelta(seconds=seconds)
    return {"grace": grace, "expires_at": found.get("expires_at")}
