"""Issue, rotate and revoke tokens. A secret is shown once, by whoever calls this."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils import timezone

from fleet import models
from fleet.errors import Conflict, NotFound
from fleet.history.change import change
from fleet.models import Token, TokenKey
from fleet.resources.problems import Problems, near, suggestion
from fleet.services.rows import is_plain

GRACE = timedelta(hours=24)
# Longer than any rotation takes; as good as for ever to whoever has got hold of an old secret.
MAX_GRACE = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Issued:
    token: Token
    # Not in a log, should this ever be printed.
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class EnrolmentDefaults:
    """What a cluster gets that registers itself with an enrolment token, and how many may."""

    labels: dict[str, str] = field(default_factory=dict)
    profiles: list[str] = field(default_factory=list)
    needs_approval: bool = False
    max_uses: int | None = None


def token_get(token_id: str) -> Token:
    found = Token.objects.filter(pk=token_id).first() if is_plain(token_id) else None
    if found is None:
        known = Token.objects.order_by().values_list("pk", flat=True)
        raise NotFound(f"There is no token {token_id!r}{near(token_id, known)}.")
    return found


def token_issue(
    *,
    id: str,
    kind: str,
    cluster: str | None = None,
    environments: list[str] | None = None,
    expires_at: datetime | None = None,
    enrolment_defaults: EnrolmentDefaults | None = None,
) -> Issued:
    with change():
        token = Token(id=id, kind=kind, environments=environments, expires_at=expires_at)
        problems = Problems()
        _check_cluster(token, cluster, problems)
        _check_environments(token, problems)
        _give(token, enrolment_defaults or EnrolmentDefaults(), problems)
        _check_expiry(expires_at, problems)
        try:
            token.full_clean(exclude={"cluster"}, validate_unique=False, validate_constraints=False)
        except ValidationError as error:
            problems.add_validation("", error, {})
        problems.raise_if_any()
        if Token.objects.filter(pk=id).exists():
            raise Conflict(f"There is a token {id!r} already.", {"id": ["is taken"]})
        token.save(force_insert=True)
        return Issued(token, _new_key(token))


def token_rotate(
    *, id: str, grace: timedelta = GRACE, expires_at: datetime | None = None
) -> Issued:
    """A new secret at once; those before it remain valid for the time of grace, at most."""
    with change():
        token = token_get(id)
        problems = Problems()
        _check_expiry(expires_at, problems)
        if not timedelta(0) <= grace <= MAX_GRACE:
            problems.add("grace_seconds", f"must be from 0 to {int(MAX_GRACE.total_seconds())}")
        problems.raise_if_any()
        now = timezone.now()
        if expires_at is None and token.has_expired:
            message = "is needed: the token has expired"
            raise Conflict(f"expires_at {message}.", {"expires_at": [message]})
        _shorten(token, until=now + grace)
        token.rotated_at = now
        token.expires_at = expires_at or token.expires_at
        token.save()
        return Issued(token, _new_key(token))


def token_revoke(*, id: str) -> None:
    with change():
        token_get(id).delete()


def _new_key(token: Token) -> str:
    _, secret = TokenKey.objects.create_key(token=token, name=token.pk[:50])
    return secret


def _shorten(token: Token, *, until: datetime) -> None:
    """Never longer than they had; and what has expired makes room."""
    keys = TokenKey.objects.filter(token=token)
    keys.filter(expiry_date__lte=timezone.now()).delete()
    keys.filter(Q(expiry_date=None) | Q(expiry_date__gt=until)).update(expiry_date=until)


def _check_cluster(token: Token, cluster: str | None, problems: Problems) -> None:
    if (cluster is None) == (token.kind == Token.Kind.CLUSTER):
        problems.add("cluster", "must be given for a cluster token, and for no other")
    elif cluster is not None:
        ids = models.Cluster.objects.order_by().values_list("pk", flat=True)
        if is_plain(cluster) and ids.filter(pk=cluster).exists():
            token.cluster_id = cluster
        else:
            problems.add("cluster", f"there is no cluster {cluster!r}{near(cluster, ids)}")


def _check_environments(token: Token, problems: Problems) -> None:
    given: Any = token.environments
    if token.kind == Token.Kind.ENROLMENT and (given is None or len(given) != 1):
        problems.add("environments", "must be the one that new clusters are in")
        return
    if given is None:
        return
    if token.kind not in {Token.Kind.OPERATOR, Token.Kind.ENROLMENT}:
        problems.add("environments", "can be given for an operator or enrolment token only")
    if not given:
        problems.add("environments", "must name one at least; leave it out to permit all")
    known = set(models.Environment.objects.values_list("pk", flat=True))
    for index, item in enumerate(given):
        if item not in known:
            problems.add(
                f"environments[{index}]",
                f"there is no environment {item!r}{suggestion(item, known)}",
            )
        elif item in given[:index]:
            problems.add(f"environments[{index}]", f"{item!r} is in the list twice")


def _give(token: Token, enrolment_defaults: EnrolmentDefaults, problems: Problems) -> None:
    for name in ("labels", "profiles", "needs_approval", "max_uses"):
        given = getattr(enrolment_defaults, name)
        setattr(token, name, given)
        if token.kind != Token.Kind.ENROLMENT and given not in ({}, [], False, None):
            problems.add(name, "can be given for an enrolment token only")
    lists = dict(models.Profile.objects.values_list("pk", "lists_clusters"))
    for index, item in enumerate(enrolment_defaults.profiles):
        if item not in lists:
            hint = suggestion(item, lists)
            problems.add(f"profiles[{index}]", f"there is no profile {item!r}{hint}")
        elif item in enrolment_defaults.profiles[:index]:
            problems.add(f"profiles[{index}]", f"{item!r} is in the list twice")
        elif not lists[item]:
            problems.add(
                f"profiles[{index}]",
                f"{item!r} has no list of clusters: it selects by environments and labels, so give "
                "the labels that it selects",
            )


def _check_expiry(expires_at: datetime | None, problems: Problems) -> None:
    if expires_at is not None and expires_at <= timezone.now():
        problems.add("expires_at", "must be in the future")
