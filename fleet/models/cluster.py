from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models.functions import Lower

from fleet.kubernetes import DNS_NAME, dns_validator, labels_validator
from fleet.models.environment import Environment
from fleet.models.fields import (
    MAX_INTEGER,
    CheckedJSONField,
    DescriptionField,
    NameField,
    PlainTextField,
    choice_constraint,
    name_constraint,
)
from fleet.models.tracked import TrackedModel


class ClusterState(models.TextChoices):
    # Registered itself, and nobody has approved it yet: unknown to Flux.
    WAITING = "waiting"
    ACTIVE = "active"
    FROZEN = "frozen"
    DECOMMISSIONED = "decommissioned"


class Cluster(TrackedModel):
    State = ClusterState

    id = NameField("ID", primary_key=True)
    description = DescriptionField()
    name = NameField()
    dns = models.CharField("DNS name", max_length=253, unique=True, validators=[dns_validator])
    environment = models.ForeignKey(Environment, on_delete=models.PROTECT, related_name="clusters")
    labels = CheckedJSONField(default=dict, blank=True, validators=[labels_validator])
    state = models.CharField(
        max_length=16, choices=ClusterState.choices, default=ClusterState.ACTIVE
    )
    # What provisioning needs to know; Flux Fleet itself only hands it on.
    node_count = models.PositiveIntegerField(
        null=True, blank=True, validators=[MaxValueValidator(MAX_INTEGER)]
    )
    vm_image = PlainTextField("VM image", blank=True)
    k0s_version = PlainTextField("k0s version", blank=True)

    class Meta(TrackedModel.Meta):
        ordering = ["id"]
        constraints = [
            name_constraint(),
            name_constraint("name"),
            choice_constraint("state", ClusterState),
            models.CheckConstraint(
                condition=models.Q(dns__regex=DNS_NAME), name="fleet_cluster_valid_dns"
            ),
            models.CheckConstraint(
                condition=models.Q(dns=Lower("dns")), name="fleet_cluster_lower_dns"
            ),
        ]

    def __str__(self) -> str:
        return self.id

    def clean_fields(self, exclude: object = None) -> None:
        """DNS names are compared without regard to case, so they are kept in lower case."""
        if isinstance(self.dns, str):
            self.dns = self.dns.lower()
        super().clean_fields(exclude=exclude)  # type: ignore[arg-type]


class FrozenAnswers(TrackedModel):
    """What a frozen cluster goes on getting, exactly as it was when it was frozen."""

    identity = ("cluster_id",)

    cluster = models.OneToOneField(
        Cluster, on_delete=models.CASCADE, primary_key=True, related_name="frozen_answers"
    )
    # `Answers` as a document. Text and not JSON: its bytes and order must stay.
    answers = models.TextField()

    class Meta(TrackedModel.Meta):
        verbose_name_plural = "frozen answers"

    def __str__(self) -> str:
        return f"frozen answers of {self.cluster_id}"
