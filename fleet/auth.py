"""Who asks: a token of the environment, or a person logged in to the admin."""

import base64
import binascii
import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

REFUSAL = "A valid token is needed: Authorization: Bearer <token>."


@dataclass(frozen=True, slots=True)
class TokenHolder:
    """Stands where Django's user stands, for a request that came with a token."""

    name: str
    may_write: bool
    is_authenticated: bool = True
    is_active: bool = True
    is_staff: bool = False

    def get_username(self) -> str:
        return self.name


class TokenAuthentication(BaseAuthentication):
    """`Bearer <token>`, or basic authentication with the token as the password."""

    def authenticate(self, request: Request) -> tuple[TokenHolder, None] | None:
        header = request.META.get("HTTP_AUTHORIZATION", "")
        if not header:
            return None
        token = token_in(header)
        # Both comparisons always run, so that the time tells nothing.
        writes = _matches(token, settings.CRUD_AUTH_TOKENS)
        reads = _matches(token, settings.AUTH_TOKENS)
        if writes:
            return TokenHolder("CRUD_AUTH_TOKEN", may_write=True), None
        if reads:
            return TokenHolder("AUTH_TOKEN", may_write=False), None
        raise AuthenticationFailed(REFUSAL)

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="flux-fleet"'


class BrowserSession(SessionAuthentication):
    """A person who is logged in, for the browsable API."""


class MayRead(BasePermission):
    message = "This needs a token that may read, or a login to the admin."

    def has_permission(self, request: Request, view: Any) -> bool:
        user = request.user
        return isinstance(user, TokenHolder) or bool(user and user.is_active and user.is_staff)


class MayReadOrWrite(MayRead):
    """Reading as above; changing the fleet needs a token, or a person, that may."""

    message = "This credential may not do this."

    def has_permission(self, request: Request, view: Any) -> bool:
        if request.method in SAFE_METHODS:
            return super().has_permission(request, view)
        user = request.user
        if isinstance(user, TokenHolder):
            return user.may_write
        return super().has_permission(request, view) and user.has_perm("fleet.change_cluster")


def token_in(header: str) -> str:
    """The token of an Authorization header; empty where there is none to be found."""
    scheme, _, rest = header.partition(" ")
    if scheme.lower() == "bearer":
        return rest.strip()
    if scheme.lower() == "basic":
        try:
            decoded = base64.b64decode(rest.strip(), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            return ""
        return decoded.partition(":")[2]
    return ""


def _matches(token: str, accepted: Iterable[str]) -> bool:
    given = token.encode("utf-8", "surrogatepass")
    found = [hmac.compare_digest(given, known.encode()) for known in accepted]
    return any(found) and bool(token)
