from django.db import models

from fleet.kubernetes import annotations_validator, labels_validator
from fleet.models.fields import NameField, name_constraint
from fleet.models.tracked import TrackedModel


class Namespace(TrackedModel):
    id = NameField(primary_key=True)
    labels = models.JSONField(default=dict, blank=True, validators=[labels_validator])
    annotations = models.JSONField(default=dict, blank=True, validators=[annotations_validator])

    class Meta(TrackedModel.Meta):
        ordering = ["id"]
        constraints = [name_constraint()]

    def __str__(self) -> str:
        return self.id
