from django.db import models

from fleet.models.fields import NameField, name_constraint
from fleet.models.tracked import TrackedModel


class Environment(TrackedModel):
    """A tier, such as dev or prod; `rank` orders them, lowest first."""

    id = NameField("ID", primary_key=True)
    rank = models.PositiveIntegerField(default=0)

    class Meta(TrackedModel.Meta):
        ordering = ["rank", "id"]
        constraints = [name_constraint()]

    def __str__(self) -> str:
        return self.id
