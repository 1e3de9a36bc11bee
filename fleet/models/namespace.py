from fleet.kubernetes import annotations_validator, labels_validator
from fleet.models.fields import CheckedJSONField, DescriptionField, NameField, name_constraint
from fleet.models.tracked import TrackedModel


class Namespace(TrackedModel):
    id = NameField("ID", primary_key=True)
    description = DescriptionField()
    labels = CheckedJSONField(default=dict, blank=True, validators=[labels_validator])
    annotations = CheckedJSONField(default=dict, blank=True, validators=[annotations_validator])

    class Meta(TrackedModel.Meta):
        ordering = ["id"]
        constraints = [name_constraint()]

    def __str__(self) -> str:
        return self.id
