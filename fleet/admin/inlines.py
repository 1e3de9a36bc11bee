"""Rows below a cluster, a profile or a component."""

from typing import Any

from django import forms
from django.http import HttpRequest
from unfold.admin import TabularInline
from unfold.forms import PaginationInlineFormSet

from fleet.admin.fields import FleetFields

INHERIT = (("unknown", "Inherit"), ("true", "Yes"), ("false", "No"))


class TrackedFormSet(PaginationInlineFormSet):
    """What a row is about never changes: a row edited to be about something else is another one."""

    def save_existing_objects(self, commit: bool = True) -> list[Any]:
        """Rows that go are gone before others take their place, in whatever order they are."""
        going = [
            form.instance.pk
            for form in self.initial_forms
            if form in self.deleted_forms or is_another(form)
        ]
        self.model._default_manager.filter(pk__in=going).delete()
        return super().save_existing_objects(commit)

    def save_existing(self, form: Any, obj: Any, commit: bool = True) -> Any:
        if is_another(form):
            obj.pk = None
            obj._state.adding = True
        return super().save_existing(form, obj, commit)


def is_another(form: Any) -> bool:
    fields = [form.instance._meta.get_field(name) for name in form.instance.identity]
    return any(
        form.initial[field.name] != getattr(form.instance, field.attname)
        for field in fields
        if field.name in form.initial
    )


class TrackedInline(FleetFields, TabularInline):
    formset = TrackedFormSet
    extra = 0
    tab = True
    hide_title = True
    # A page of every inline at once stays below what Django takes in one form.
    page_size = 25
    template_after = "admin/fleet/inline_pages.html"


class ComponentInline(TrackedInline):
    fields = ["component", "enabled", "component_version", "component_path", "oci_tag"]
    autocomplete_fields = ["component"]
    verbose_name = "component"
    verbose_name_plural = "components"

    def formfield_for_nullboolean_field(
        self, db_field: Any, request: HttpRequest, **options: Any
    ) -> forms.Field:
        field = super().formfield_for_nullboolean_field(db_field, request, **options)
        field.widget.choices = INHERIT
        field.widget.attrs["style"] = "min-width: 7rem"
        return field


class PatchForm(forms.ModelForm):
    def _post_clean(self) -> None:
        """The model looks at key and value together, which takes a key and a value."""
        if not self.errors:
            super()._post_clean()  # type: ignore[misc]


class PatchInline(TrackedInline):
    form = PatchForm
    fields = ["component", "key", "value", "unset"]
    autocomplete_fields = ["component"]
    verbose_name = "patch"
    verbose_name_plural = "patches"


class NamespaceInline(TrackedInline):
    fields = ["namespace"]
    autocomplete_fields = ["namespace"]
    verbose_name = "namespace"
    verbose_name_plural = "namespaces"


class RoleBindingInline(TrackedInline):
    fields = ["rolebinding"]
    autocomplete_fields = ["rolebinding"]
    verbose_name = "rolebinding"
    verbose_name_plural = "rolebindings"
