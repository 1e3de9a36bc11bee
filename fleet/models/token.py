from django.db import models
from django.utils import timezone
from rest_framework_api_key.models import AbstractAPIKey

from fleet.models.cluster import Cluster
from fleet.models.fields import CheckedJSONField, NameField, choice_constraint, name_constraint
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
        help_text="Only these may be changed by an operator token; without, all.",
    )
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
        ]

    def __str__(self) -> str:
        return self.id

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
