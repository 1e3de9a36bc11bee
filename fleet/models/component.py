from typing import Any

from django.core.exceptions import ValidationError
from django.db import models

from fleet.kubernetes import json_schema_validator, text_validator, url_validator
from fleet.models.fields import (
    CheckedJSONField,
    DescriptionField,
    NameField,
    PlainTextField,
    choice_constraint,
    name_constraint,
    unique_constraint,
)
from fleet.models.patch import PatchRow
from fleet.models.tracked import TrackedModel


class ComponentKind(models.TextChoices):
    HELM = "helm", "Helm chart"
    KUSTOMIZE = "kustomize", "Kustomize path"


class Component(TrackedModel):
    """A catalog entry: what can be assigned, and the lowest layer of its settings."""

    Kind = ComponentKind

    id = NameField("ID", primary_key=True)
    description = DescriptionField()
    kind = models.CharField(
        max_length=16, choices=ComponentKind.choices, default=ComponentKind.HELM
    )
    component_path = PlainTextField(help_text="Name of the chart, or path in the OCI artifact.")
    component_version = PlainTextField(
        max_length=128, default="latest", help_text="“latest” pins nothing."
    )
    cluster_env_enabled = models.BooleanField(
        default=False, help_text="The path has one folder for each environment."
    )
    oci_url = PlainTextField(
        "OCI or chart URL",
        max_length=2048,
        validators=[text_validator, url_validator],
        help_text="https://… or oci://… of the chart repository or artifact.",
    )
    oci_tag = PlainTextField("OCI tag", max_length=128, default="latest")
    values_schema = CheckedJSONField(
        null=True,
        blank=True,
        validators=[json_schema_validator],
        help_text="An optional JSON Schema that the merged values of every cluster must meet.",
    )

    class Meta(TrackedModel.Meta):
        ordering = ["id"]
        constraints = [name_constraint(), choice_constraint("kind", ComponentKind)]

    def __str__(self) -> str:
        return self.id


class ComponentDependency(TrackedModel):
    """One entry of a component's `depends_on`."""

    identity = ("component_id", "dependency_id")

    component = models.ForeignKey(Component, on_delete=models.CASCADE, related_name="dependencies")
    dependency = models.ForeignKey(Component, on_delete=models.PROTECT, related_name="dependents")

    class Meta(TrackedModel.Meta):
        ordering = ["component_id", "dependency_id"]
        verbose_name_plural = "component dependencies"
        constraints = [
            unique_constraint("component", "dependency"),
            models.CheckConstraint(
                condition=~models.Q(component=models.F("dependency")),
                name="fleet_componentdependency_not_itself",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.component_id} → {self.dependency_id}"


class ComponentPatch(PatchRow):
    """A default value of the catalog."""

    identity = ("component_id", "key")

    component = models.ForeignKey(Component, on_delete=models.CASCADE, related_name="patches")

    class Meta(PatchRow.Meta):
        ordering = ["component_id", "key"]
        verbose_name_plural = "component patches"
        constraints = [*PatchRow.Meta.constraints, unique_constraint("component", "key")]

    def clean_fields(self, exclude: Any = None) -> None:
        super().clean_fields(exclude=exclude)
        if self.unset:
            raise ValidationError({"value": "there is nothing below the catalog to unset"})

    def __str__(self) -> str:
        return f"{self.component_id}: {self.key}"
