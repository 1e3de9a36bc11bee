from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone
from rest_framework_api_key.models import AbstractAPIKey

from fleet.kubernetes import labels_validator
from fleet.models.cluster import Cluster
from fleet.models.fields import (
    MAX_INTEGER,
    CheckedJSONField,
    NameField,
    choice_constraint,
    name_constraint,
)
from fleet.models.tracked import TrackedModel


class TokenKind(models.TextChoices):
    CLUSTER = "cluster"
    READER = "reader"
    OPERATOR = "operator"
    ENROLMENT = "enrolment"


class Token(TrackedModel):
    """A credential by its name: what it permits, and until when. Its secrets are its keys.

    It is tracked, so that the log of revisions says who issued, rotated or revoked it; its keys are
    not, so that no history holds even the hash of a secret.
    """

    Kind = TokenKind

    id = NameField("ID", primary_key=True)
    kind = models.CharField(
        max_length=16,
        choices=TokenKind.choices,
        help_text="cluster: its own Flux answers. reader: reads everything. "
        "operator: changes the fleet. enrolment: lets new clusters register.",
    )
    cluster = models.ForeignKey(
        Cluster,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="tokens",
        help_text="Whose answers a cluster token reads.",
    )
    # A list of ids, and not rows: as a list, one that has been emptied permits nothing.
    environments = CheckedJSONField(
        null=True,
        blank=True,
        help_text="Only these may be changed by an operator token; without, all. "
        "New clusters of an enrolment token are in its one.",
    )
    # What an enrolment token gives to a cluster that registers itself, and what it asks for.
    labels = CheckedJSONField(default=dict, blank=True, validators=[labels_validator])
    # Ids, as above. One that is gone makes an enrolment fail, where a row would have gone silently.
    profiles = CheckedJSONField(default=list, blank=True)
    needs_approval = models.BooleanField(
        default=False, help_text="A new cluster gets nothing until a person has approved it."
    )
    max_uses = models.PositiveIntegerField(
        "limit of uses",
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_INTEGER)],
        help_text="How many clusters an enrolment token can register; without, any number.",
    )
    uses = models.PositiveIntegerField(default=0, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    rotated_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta(TrackedModel.Meta):
        ordering = ["id"]
        constraints = [
            name_constraint(),
            choice_constraint("kind", TokenKind),
            models.CheckConstraint(
                condition=models.Q(kind=TokenKind.CLUSTER, cluster__isnull=False)
                | models.Q(~models.Q(kind=TokenKind.CLUSTER), cluster__isnull=True),
                name="fleet_token_cluster_of_cluster_token",
                violation_error_message="A cluster token, and no other, needs a cluster.",
            ),
            models.CheckConstraint(
                condition=models.Q(max_uses__isnull=True)
                | models.Q(uses__lte=models.F("max_uses")),
                name="fleet_token_uses_within_limit",
            ),
        ]

    def __str__(self) -> str:
        return self.id

    @property
    def is_used_up(self) -> bool:
        return self.max_uses is not None and self.uses >= self.max_uses

    @property
    def has_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()


class TokenKey(AbstractAPIKey):
    """A secret of a token, hashed. There are two while it is being rotated."""

    token = models.ForeignKey(Token, on_delete=models.CASCADE, related_name="keys")
    last_used = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["token_id", "-created"]
        verbose_name = "key"

    def __str__(self) -> str:
        return f"{self.token_id}: {self.prefix}…"

    @property
    def is_usable(self) -> bool:
        return not (self.revoked or self.has_expired or self.token.has_expired)
