"""Who asks, and what they may: a token of the environment, an issued one, or a person."""

import base64
import binascii
import hmac
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from fleet.access import token_usage
from fleet.desired_state.queries import Reading, read, row_and_parents
from fleet.history.change import Actor
from fleet.models import Cluster, OperatorLimit, Revision, Token, TokenKey
from fleet.models.tracked import Row

REFUSAL = "A valid token is needed: Authorization: Bearer <token>."
# As djangorestframework-api-key makes them. Nothing else is worth a query.
KEY = re.compile(r"[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}")
READING_KINDS = frozenset({Token.Kind.READER, Token.Kind.OPERATOR})
# What a key is compared with where there is none of its prefix: that takes as long.
NO_KEY = TokenKey.objects.key_generator.hash("")


@dataclass(frozen=True, slots=True)
class TokenHolder:
    """Stands where Django's user stands, for a request that came with a token."""

    name: str
    kind: str
    # Of a cluster token: the one cluster whose answers it reads.
    cluster_dns: str = ""
    # Of an operator token: the environments that it may change; None for all.
    environments: frozenset[str] | None = None
    # The operator's token of the environment, which a small installation does everything with.
    is_root: bool = False
    is_authenticated: bool = True
    is_active: bool = True
    is_staff: bool = False

    def get_username(self) -> str:
        return self.name

    @property
    def may_read(self) -> bool:
        return self.kind in READING_KINDS

    def may_poll(self, dns: str) -> bool:
        """A cluster reads its own answers."""
        return self.may_read or (self.kind == Token.Kind.CLUSTER and self.cluster_dns == dns)

    @property
    def may_write(self) -> bool:
        return self.kind == Token.Kind.OPERATOR


READER = TokenHolder("AUTH_TOKEN", Token.Kind.READER)
ROOT = TokenHolder("CRUD_AUTH_TOKEN", Token.Kind.OPERATOR, is_root=True)


class TokenAuthentication(BaseAuthentication):
    """`Bearer <token>`, or basic authentication with the token as the password."""

    def authenticate(self, request: Request) -> tuple[TokenHolder, None] | None:
        header = request.META.get("HTTP_AUTHORIZATION", "")
        if not header:
            return None
        holder = holder_of(token_in(header))
        if holder is None:
            raise AuthenticationFailed(REFUSAL)
        return holder, None

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="flux-fleet"'


class BrowserSession(SessionAuthentication):
    """A person who is logged in, for the browsable API."""


class ReadsEverything(BasePermission):
    message = "This credential may not do this."

    def has_permission(self, request: Request, view: Any) -> bool:
        user: Any = request.user
        if isinstance(user, TokenHolder):
            return user.may_read
        return is_person(user) and user.has_perm("fleet.view_cluster")


class ReadsItsCluster(ReadsEverything):
    """As above; and a cluster reads what is its own, by the `dns` of the URL."""

    def has_permission(self, request: Request, view: Any) -> bool:
        user: Any = request.user
        if isinstance(user, TokenHolder):
            return user.may_poll(view.kwargs["dns"].lower())
        return super().has_permission(request, view)


class ReadsOrChanges(ReadsEverything):
    """Which clusters a change may concern is decided later, by its plan."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if request.method in SAFE_METHODS:
            return super().has_permission(request, view)
        user: Any = request.user
        if isinstance(user, TokenHolder):
            return user.may_write
        return is_person(user) and user.has_perm("fleet.change_fleet")


class ManagesTokens(ReadsEverything):
    """An operator's token cannot make another one: it could make one without its own limits."""

    def has_permission(self, request: Request, view: Any) -> bool:
        user: Any = request.user
        reading = request.method in SAFE_METHODS
        if isinstance(user, TokenHolder):
            return user.may_read if reading else user.is_root
        return is_person(user) and user.has_perm(
            "fleet.view_token" if reading else "fleet.change_token"
        )


class EnrolsClusters(BasePermission):
    message = "Only an enrolment token may do this."

    def has_permission(self, request: Request, view: Any) -> bool:
        user: Any = request.user
        return isinstance(user, TokenHolder) and user.kind == Token.Kind.ENROLMENT


def is_person(user: Any) -> bool:
    return bool(user and user.is_active and user.is_staff)


def actor_of(user: Any) -> Actor:
    """Who a change is recorded for, and what they may change."""
    if isinstance(user, TokenHolder):
        return Actor(user.name, Revision.ActorKind.TOKEN, user.environments)
    limit = OperatorLimit.objects.filter(user=user).first()
    if limit is None:
        return Actor(user.get_username(), Revision.ActorKind.USER)
    environments = frozenset(limit.environments.values_list("pk", flat=True))
    return Actor(user.get_username(), Revision.ActorKind.USER, environments)


def holder_of(token: str) -> TokenHolder | None:
    return configured_holder(token) or (_holder_of_key(token) if KEY.fullmatch(token) else None)


def configured_holder(token: str) -> TokenHolder | None:
    """Of a token of the environment."""
    # Both comparisons always run, so that the time tells nothing.
    writes = _matches(token, settings.CRUD_AUTH_TOKENS)
    reads = _matches(token, settings.AUTH_TOKENS)
    if writes:
        return ROOT
    return READER if reads else None


def _holder_of_key(secret: str) -> TokenHolder | None:
    key = usable_key(secret)
    if key is None:
        return None
    token_usage.note(key.pk)
    return holder_by(key)


def usable_key(secret: str) -> TokenKey | None:
    """One query and one hash, whether the key is unknown, wrong, expired or right."""
    [found] = read(key_of(secret))
    return verified(secret, found)


def key_of(secret: str) -> Reading:
    """Its row, that of its token, and that of the token's cluster."""
    prefix, above = secret.partition(".")[0], ((Token, "token_id"), (Cluster, "cluster_id"))
    return row_and_parents(TokenKey, "prefix", prefix, *above)


def verified(secret: str, found: Sequence[Row | None]) -> TokenKey | None:
    """Of what `key_of` found, the key that the secret opens, while it may be used."""
    key, token, cluster = map(_from_row, (TokenKey, Token, Cluster), found)
    generator = TokenKey.objects.key_generator
    matches = generator.verify(secret, key.hashed_key if key else NO_KEY)
    if key is None or not matches:
        return None
    key.token = token
    token.cluster = cluster
    return key if key.is_usable else None


def _from_row(model: Any, row: Row | None) -> Any:
    return row and model.from_db(DEFAULT_DB_ALIAS, row._fields, row)


def holder_by(key: TokenKey) -> TokenHolder:
    token = key.token
    return TokenHolder(
        name=token.pk,
        kind=token.kind,
        cluster_dns=token.cluster.dns if token.cluster else "",
        environments=None if token.environments is None else frozenset(token.environments),
    )


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
