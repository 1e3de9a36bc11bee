"""Rows below a cluster, a profile or a component."""

from typing import Any

from unfold.admin import TabularInline
from unfold.forms import PaginationInlineFormSet

from fleet.admin.fields import FleetFields
from fleet.admin.inherits import InheritedByPage
from fleet.desired_state.inherited import Below


class TrackedFormSet(PaginationInlineFormSet):
    """What a row is about never changes: a row edited to be about something else is another one."""

    def __init__(
        self, *args: Any, inherited: InheritedByPage, refusal: str, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.inherited_by_page = inherited
        # Why the change as a whole was refused, where it was.
        self.refusal = refusal

    def below(self) -> Below:
        return self.inherited_by_page.below(self.instance)

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
    # Set by the page, which makes its inlines for each request.
    inherited: InheritedByPage

    class Media:
        js = ["inline-rows.js"]


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
