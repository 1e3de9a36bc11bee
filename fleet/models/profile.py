from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from fleet.kubernetes import labels_validator
from fleet.models.cluster import Cluster
from fleet.models.environment import Environment
from fleet.models.fields import (
    CheckedJSONField,
    DescriptionField,
    NameField,
    name_constraint,
    unique_constraint,
)
from fleet.models.tracked import TrackedModel

MAX_WEIGHT = 1_000_000


class Profile(TrackedModel):
    """A layer that lies on every cluster it selects: how one edit reaches 500 clusters."""

    id = NameField("ID", primary_key=True)
    description = DescriptionField()
    weight = models.IntegerField(
        default=100,
        validators=[MinValueValidator(-MAX_WEIGHT), MaxValueValidator(MAX_WEIGHT)],
        help_text="Profiles are stacked by weight, then by id; the heavier one wins.",
    )
    labels = CheckedJSONField(
        "label selector",
        default=dict,
        blank=True,
        validators=[labels_validator],
        help_text="A cluster must have all of these labels.",
    )
    # A flag of its own, so that an empty list selects nothing: taking the last cluster off a
    # list must not put the profile on the whole fleet.
    lists_clusters = models.BooleanField(
        "only listed clusters",
        default=False,
        help_text="Select only clusters of the list below; an empty list selects none.",
    )

    class Meta(TrackedModel.Meta):
        ordering = ["weight", "id"]
        constraints = [name_constraint()]

    def __str__(self) -> str:
        return self.id


class ProfileEnvironment(TrackedModel):
    """One of the environments that a profile selects; they are alternatives."""

    identity = ("profile_id", "environment_id")

    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="environments")
    environment = models.ForeignKey(Environment, on_delete=models.PROTECT, related_name="profiles")

    class Meta(TrackedModel.Meta):
        ordering = ["profile_id", "environment_id"]
        constraints = [unique_constraint("profile", "environment")]

    def __str__(self) -> str:
        return f"{self.profile_id}: {self.environment_id}"


class ProfileCluster(TrackedModel):
    """A cluster on a profile's explicit list."""

    identity = ("profile_id", "cluster_id")

    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="clusters")
    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="listed_in")

    class Meta(TrackedModel.Meta):
        ordering = ["profile_id", "cluster_id"]
        constraints = [unique_constraint("profile", "cluster")]

    def __str__(self) -> str:
        return f"{self.profile_id}: {self.cluster_id}"
