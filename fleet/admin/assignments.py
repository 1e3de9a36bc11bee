"""The rows of components below a cluster or a profile: what is left blank there is inherited."""

from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils.functional import lazy

from fleet.admin.inherits import inherited_field, inherited_switch
from fleet.admin.inlines import TrackedFormSet, TrackedInline

TEXTS = ("component_version", "component_path", "oci_tag")
ANSWERS = (("true", "Yes"), ("false", "No"))


class AssignmentFormSet(TrackedFormSet):
    def add_fields(self, form: Any, index: int | None) -> None:
        """Asked for only when it is shown: what is sent needs none of it."""
        super().add_fields(form, index)
        said = lazy(self.inherited, str)
        for name in TEXTS:
            form.fields[name].widget.attrs["placeholder"] = said(form, name)
        form.fields["enabled"].widget.choices = [("unknown", said(form, "enabled")), *ANSWERS]

    def inherited(self, form: Any, name: str) -> str:
        component = str(form["component"].value() or "")
        if name == "enabled":
            return inherited_switch(self.below(), component) if component else "Inherit"
        return inherited_field(self.below(), component, name) if component else ""


class ComponentInline(TrackedInline):
    formset: Any = AssignmentFormSet
    fields = ["component", "enabled", "component_version", "component_path", "oci_tag"]
    autocomplete_fields = ["component"]
    verbose_name = "component"
    verbose_name_plural = "components"

    def formfield_for_nullboolean_field(
        self, db_field: Any, request: HttpRequest, **options: Any
    ) -> forms.Field:
        field = super().formfield_for_nullboolean_field(db_field, request, **options)
        field.widget.attrs["style"] = "min-width: 7rem"
        return field
