from django.conf import settings
from django.db import models

from fleet.models.environment import Environment


class OperatorLimit(models.Model):
    """Where it exists, its user may change these environments only; with none, nothing at all."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="operator_limit",
    )
    environments = models.ManyToManyField(
        Environment,
        blank=True,
        help_text="The only environments whose clusters this person may change, be it by a "
        "cluster's own settings, the catalog or a profile.",
    )

    class Meta:
        verbose_name = "limit to environments"
        verbose_name_plural = "limit to environments"

    def __str__(self) -> str:
        return f"limit of {self.user}"
