from typing import Any

from fleet.kubernetes import complete_subject, role_validator, subjects_validator
from fleet.models.fields import (
    CheckedJSONField,
    DescriptionField,
    NameField,
    PlainTextField,
    name_constraint,
)
from fleet.models.tracked import TrackedModel


class RoleBinding(TrackedModel):
    """Becomes a ClusterRoleBinding."""

    id = NameField("ID", primary_key=True)
    description = DescriptionField()
    role = PlainTextField(validators=[role_validator], help_text="Name of a ClusterRole.")
    subjects = CheckedJSONField(default=list, blank=True, validators=[subjects_validator])

    class Meta(TrackedModel.Meta):
        ordering = ["id"]
        constraints = [name_constraint()]

    def __str__(self) -> str:
        return self.id

    def clean_fields(self, exclude: Any = None) -> None:
        if isinstance(self.subjects, list):
            self.subjects = [complete_subject(subject) for subject in self.subjects]
        super().clean_fields(exclude=exclude)
