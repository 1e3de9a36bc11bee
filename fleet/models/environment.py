from django.core.validators import MaxValueValidator
from django.db import models

from fleet.models.fields import MAX_INTEGER, DescriptionField, NameField, name_constraint
from fleet.models.tracked import TrackedModel


class Environment(TrackedModel):
    """A tier, such as dev or prod; `rank` orders them, lowest first."""

    id = NameField("ID", primary_key=True)
    description = DescriptionField()
    rank = models.PositiveIntegerField(default=0, validators=[MaxValueValidator(MAX_INTEGER)])

    class Meta(TrackedModel.Meta):
        ordering = ["rank", "id"]
        constraints = [name_constraint()]

    def __str__(self) -> str:
        return self.id
