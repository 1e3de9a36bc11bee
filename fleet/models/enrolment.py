from django.db import models

from fleet.models.cluster import Cluster
from fleet.models.token import Token


class Enrolment(models.Model):
    """That a cluster registered itself: by which token, and what it was given for it.

    It goes with any of the three, so that what was purged or revoked has no say any more.
    """

    cluster = models.OneToOneField(
        Cluster, on_delete=models.CASCADE, primary_key=True, related_name="enrolment"
    )
    token = models.ForeignKey(Token, on_delete=models.CASCADE, related_name="enrolments")
    issued = models.OneToOneField(Token, on_delete=models.CASCADE, related_name="enrolled")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["cluster_id"]

    def __str__(self) -> str:
        return f"{self.cluster_id} by {self.token_id}"
