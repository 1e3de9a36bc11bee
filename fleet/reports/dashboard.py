"""The fleet at a glance: numbers that need no merge. What needs one is in `versions`."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from fleet.models import (
    Cluster,
    Component,
    Effect,
    Environment,
    FrozenAnswers,
    Profile,
    Revision,
    Token,
)

FROZEN_LONG = timedelta(days=14)
EXPIRES_SOON = timedelta(days=14)
RECENT = 8


@dataclass(frozen=True, slots=True)
class EnvironmentCount:
    environment: str
    states: dict[str, int]

    @property
    def clusters(self) -> int:
        return sum(self.states.values())


@dataclass(frozen=True, slots=True)
class ClusterCounts:
    """All environments, those without clusters too, by rank."""

    environments: tuple[EnvironmentCount, ...]

    @property
    def clusters(self) -> int:
        return sum(row.clusters for row in self.environments)

    def of_state(self, state: str) -> int:
        return sum(row.states.get(state, 0) for row in self.environments)


@dataclass(frozen=True, slots=True)
class CatalogCounts:
    components: int
    profiles: int


@dataclass(frozen=True, slots=True)
class RecentRevision:
    number: int
    created_at: datetime
    actor: str
    source: str
    reason: str
    clusters: int


@dataclass(frozen=True, slots=True)
class TokenCounts:
    expired: int
    expiring: int


def count_clusters() -> ClusterCounts:
    rows = (
        Environment.objects.order_by("rank", "id")
        .values_list("id", "clusters__state")
        .annotate(count=Count("clusters"))
    )
    found: dict[str, dict[str, int]] = {}
    for environment, state, count in rows:
        states = found.setdefault(environment, {})
        if state is not None:
            states[state] = count
    return ClusterCounts(tuple(EnvironmentCount(*row) for row in found.items()))


def count_catalog() -> CatalogCounts:
    return CatalogCounts(Component.objects.count(), Profile.objects.count())


def recent_revisions(most: int = RECENT) -> list[RecentRevision]:
    effects = (
        Effect.objects.filter(revision=OuterRef("pk"))
        .order_by()
        .values("revision")
        .annotate(count=Count("pk"))
        .values("count")
    )
    rows = Revision.objects.order_by("-number").annotate(clusters=Coalesce(Subquery(effects), 0))
    fields = ("number", "created_at", "actor", "source", "reason", "clusters")
    return [RecentRevision(*row) for row in rows.values_list(*fields)[:most]]


def count_waiting() -> int:
    return Cluster.objects.filter(state=Cluster.State.WAITING).count()


def frozen_for_long() -> Q:
    """Clusters that have been frozen for more than two weeks: none of their freezes is younger."""
    history = FrozenAnswers.history.model.objects
    lately = history.filter(
        cluster_id=OuterRef("pk"),
        history_type="+",
        revision__created_at__gte=timezone.now() - FROZEN_LONG,
    )
    return Q(state=Cluster.State.FROZEN) & ~Q(Exists(lately))


def count_frozen_for_long() -> int:
    return Cluster.objects.filter(frozen_for_long()).count()


def expired() -> Q:
    return Q(expires_at__lte=timezone.now())


def expiring() -> Q:
    now = timezone.now()
    return Q(expires_at__gt=now, expires_at__lte=now + EXPIRES_SOON)


def count_tokens() -> TokenCounts:
    counted = Token.objects.aggregate(
        expired=Count("pk", filter=expired()), expiring=Count("pk", filter=expiring())
    )
    return TokenCounts(**counted)
