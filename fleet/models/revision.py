from django.db import models

from fleet.models.fields import choice_constraint

# Characters of a reason, by whichever door it comes.
MAX_REASON = 2_000


class Head(models.Model):
    """The one row that every writer locks: the number of the newest revision."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    number = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(id=1), name="fleet_head_single_row")
        ]

    def __str__(self) -> str:
        return f"revision {self.number}"


class RevisionSource(models.TextChoices):
    ADMIN = "admin"
    API = "api"
    CLI = "cli"
    SHELL = "shell"
    IMPORT = "import"
    MIGRATION = "migration"


class ActorKind(models.TextChoices):
    USER = "user"
    TOKEN = "token"  # noqa: S105
    SYSTEM = "system"


class Revision(models.Model):
    """One committed change to the fleet. Its history rows say what changed."""

    Source = RevisionSource
    ActorKind = ActorKind

    number = models.PositiveBigIntegerField(primary_key=True)
    created_at = models.DateTimeField(db_index=True)
    actor_kind = models.CharField(max_length=8, choices=ActorKind.choices)
    actor = models.CharField(max_length=255)
    source = models.CharField(max_length=16, choices=RevisionSource.choices)
    reason = models.TextField(blank=True)
    # Set on a revision that undoes another.
    reverts = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="reverted_by"
    )
    # Whether it changed what clusters have in common: the catalog, or a profile. For who keeps that
    # in memory; where nobody has said, it is so.
    is_shared = models.BooleanField(db_default=True, editable=False)
    # Whether it changed what most clusters get: then a poll worker forgets all that it keeps, and
    # need not read an effect for each of them.
    is_wide = models.BooleanField(default=False, db_default=False, editable=False)

    class Meta:
        ordering = ["-number"]
        permissions = [("change_fleet", "Can change the fleet by the API")]
        constraints = [
            choice_constraint("source", RevisionSource),
            choice_constraint("actor_kind", ActorKind),
        ]

    def __str__(self) -> str:
        return f"revision {self.number}"


class Effect(models.Model):
    """That a revision changed what a cluster gets: the catalog's and profiles' changes included."""

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="effects")
    # Not a foreign key: it stays when the cluster is purged.
    cluster_id = models.CharField(max_length=63)

    class Meta:
        ordering = ["revision_id", "cluster_id"]
        constraints = [
            models.UniqueConstraint(
                fields=["cluster_id", "revision"], name="fleet_effect_unique_cluster_revision"
            )
        ]

    def __str__(self) -> str:
        return f"revision {self.revision_id} on {self.cluster_id}"
