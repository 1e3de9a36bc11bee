"""A new cluster registers itself, with a token that permits just that."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.utils import timezone

from fleet.bootstrap import bootstrap_manifest
from fleet.errors import Conflict, Forbidden
from fleet.history.change import change
from fleet.models import Cluster, Enrolment, Environment, Profile, ProfileCluster, Token, TokenKey
from fleet.resources.enrolment import EnrolmentSerializer
from fleet.resources.problems import Problems
from fleet.services.bootstrap import Bootstrap, cluster_bootstrap
from fleet.services.clusters import cluster_get
from fleet.services.objects import object_create
from fleet.services.tokens import token_rotate

# How long a cluster may ask again, should it have lost the answer.
REPEAT = timedelta(hours=1)
NEEDED = ("cluster_name", "cluster_dns")


@dataclass(frozen=True, slots=True)
class Enrolled:
    cluster: Cluster
    is_new: bool
    bootstrap: Bootstrap


def cluster_enrol(*, token: str, document: Mapping[str, Any], api_url: str) -> Enrolled:
    """Everything is looked at inside the change, so that two who ask at once are counted as two."""
    with change():
        by = _token(token)
        wanted = _read(document, by)
        known = Cluster.objects.filter(dns=wanted["cluster_dns"].lower()).first()
        if known is not None:
            return _repeated(known, by, wanted, api_url)
        return _new(by, wanted, api_url)


def _token(token_id: str) -> Token:
    found = Token.objects.filter(pk=token_id, kind=Token.Kind.ENROLMENT).first()
    if found is None or found.has_expired:
        raise Forbidden("This token is not valid any more.")
    if not found.environments or len(found.environments) != 1:
        raise Forbidden("This token does not say which environment new clusters are in.")
    return found


def _read(document: Mapping[str, Any], by: Token) -> dict[str, Any]:
    """As a document of a cluster, with what the token gives."""
    problems = Problems()
    values = EnrolmentSerializer(context={"token": by}).read_fields(document, "", problems)
    for name in NEEDED:
        if document.get(name) is None:
            problems.add(name, "is required")
    if document.get("cluster_name") is not None and "cluster_name" in values:
        _check_name(values["cluster_name"], problems)
    own = values.get("labels") or {}
    for key, value in own.items():
        if by.labels.get(key, value) != value:
            problems.add(f"labels.{key}", f"is {by.labels[key]!r} by the token")
    problems.raise_if_any()
    [environment] = by.environments
    return {**document, "environment": environment, "labels": {**own, **by.labels}}


def _check_name(name: str, problems: Problems) -> None:
    """It becomes the id, and is to be told as what it came as."""
    try:
        Cluster(name=name).clean_fields(exclude={"id", "dns", "environment"})
    except ValidationError as error:
        problems.add_validation("", error, {"name": "cluster_name"})


def _new(by: Token, wanted: Mapping[str, Any], api_url: str) -> Enrolled:
    if by.is_used_up:
        raise Forbidden(f"This token has registered as many clusters as it may: {by.max_uses}.")
    if not Environment.objects.filter(pk=wanted["environment"]).exists():
        raise Conflict(f"The environment of this token, {wanted['environment']!r}, is gone.")
    created = object_create(section="clusters", document={**wanted, "id": wanted["cluster_name"]})
    if by.needs_approval:
        created.state = Cluster.State.WAITING
        created.save()
    _list_in_profiles(created, by)
    by.uses += 1
    by.save()
    made = cluster_bootstrap(cluster=created.pk, api_url=api_url)
    Enrolment.objects.create(
        cluster=created, token=by, issued=made.token, created_at=timezone.now()
    )
    return Enrolled(created, True, made)


def _list_in_profiles(cluster: Cluster, by: Token) -> None:
    """One that is gone, or has no list any more, is an error, and not less for the cluster."""
    lists = set(
        Profile.objects.filter(pk__in=by.profiles, lists_clusters=True).values_list("pk", flat=True)
    )
    missing = sorted(set(by.profiles) - lists)
    if missing:
        raise Conflict(
            f"This token puts clusters on the list of {', '.join(missing)}, which is gone or has "
            "no list any more.",
            {"profiles": missing},
        )
    ProfileCluster.objects.bulk_create(
        ProfileCluster(profile_id=item, cluster=cluster) for item in sorted(lists)
    )


def _repeated(known: Cluster, by: Token, wanted: Mapping[str, Any], api_url: str) -> Enrolled:
    """Its secret is replaced: if somebody else has asked, the cluster is refused, and not copied.

    Whether it has asked for its answers yet is known only where the CRUD plane is polled; hence the
    limit of time.
    """
    record = Enrolment.objects.filter(cluster=known, token=by).first()
    if record is None or known.pk != wanted["cluster_name"]:
        raise Conflict(
            f"There is a cluster with the DNS name {known.dns!r} already.",
            {"cluster_dns": [f"{known.dns!r} exists already"]},
        )
    used = TokenKey.objects.filter(token=record.issued, last_used__isnull=False).exists()
    if used or record.created_at < timezone.now() - REPEAT:
        raise Conflict(
            f"{known} is registered already, and has used its token or had an hour to do so. "
            "Somebody who may issue tokens can connect it anew.",
            {"cluster_dns": [f"{known.dns!r} is registered already"]},
        )
    issued = token_rotate(id=record.issued_id, grace=timedelta(0))
    manifest = bootstrap_manifest(known, api_url=api_url, token=issued.secret)
    return Enrolled(cluster_get(known.pk), False, Bootstrap(issued.token, issued.secret, manifest))
