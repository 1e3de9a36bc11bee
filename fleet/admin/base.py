"""What every page over tracked data shares: one save of a page is one change, or none."""

from copy import copy
from functools import partial
from typing import Any, Self

from django import forms
from django.contrib.admin import ShowFacets
from django.contrib.admin.utils import unquote
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from unfold.admin import ModelAdmin

from fleet.admin.edit_conflicts import SEEN, EditedObject, conflict_page
from fleet.admin.export import export_path, list_columns, with_export_button
from fleet.admin.fields import FleetFields
from fleet.admin.inherits import InheritedByPage
from fleet.admin.planned_write import PlannedWrite
from fleet.admin.refusals import refuse, shorten


class TrackedForm(forms.ModelForm):
    """Invalid once its change was refused, so that Django shows it again as it was filled in."""

    refusal = ""

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if self.refusal:
            self.add_error(None, self.refusal)
        return cleaned


class TrackedAdmin(FleetFields, ModelAdmin):
    form = TrackedForm
    show_full_result_count = False
    show_facets = ShowFacets.ALWAYS
    list_per_page = 50
    warn_unsaved_form = True
    # Inside of the form: it carries what the object was when the form was opened.
    change_form_before_template = "admin/fleet/seen.html"
    # Set on a copy alone, by `refused`.
    refusal = ""

    def get_urls(self) -> list[URLPattern]:
        return [export_path(self), *super().get_urls()]

    def export_columns(self, request: HttpRequest) -> list[Any]:
        return list_columns(self, request)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """The id is what a row is about: it never changes."""
        fields = list(super().get_readonly_fields(request, obj))
        return fields if obj is None else [*fields, "id"]

    def get_form(self, request: HttpRequest, obj: Any = None, **options: Any) -> Any:
        # Django makes the class for each request, so the refusal stays within this one.
        form = super().get_form(request, obj, **options)
        form.refusal = self.refusal
        return form

    def get_inline_instances(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        inlines = super().get_inline_instances(request, obj)
        inherited = InheritedByPage(request.POST)
        for inline in inlines:
            inline.inherited = inherited
        return inlines

    def get_formset_kwargs(
        self, request: HttpRequest, obj: Any, inline: Any, prefix: str
    ) -> dict[str, Any]:
        options = super().get_formset_kwargs(request, obj, inline, prefix)
        return {
            **options,
            "request": request,
            "per_page": inline.page_size,
            "inherited": inline.inherited,
            "refusal": self.refusal,
        }

    def refused(self, refusal: str) -> Self:
        """A copy for one answer, which knows why: Django makes the form and its rows in hooks
        that get nothing from the view but the request."""
        own = copy(self)
        own.refusal = refusal
        return own

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        if self.refusal:
            return super().changeform_view(request, object_id, form_url, extra_context)
        edited = EditedObject(self.model, object_id and unquote(object_id))
        seen = request.POST.get(SEEN, "")
        context = {**(extra_context or {}), "seen": seen or edited.etag()}
        show = partial(super().changeform_view, request, object_id, form_url, context)

        def act() -> HttpResponse:
            edited.require_unchanged_since(seen)
            return show()

        def show_again(refusal: str) -> HttpResponse:
            return self.refused(refusal).changeform_view(request, object_id, form_url, context)

        reason = self.reason("Add" if object_id is None else "Change", request, object_id)
        write = PlannedWrite(self, request, reason, act, show_again)
        if edited.has_changed_since(seen):
            return conflict_page(write, edited, show)
        return write.respond()

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        show = partial(super().delete_view, request, object_id, extra_context)
        refused = partial(refuse, request, url=request.get_full_path())
        reason = self.reason("Delete", request, object_id)
        return PlannedWrite(self, request, reason, show, refused).respond()

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        show = partial(super().changelist_view, request, extra_context)
        refused = partial(refuse, request, url=request.get_full_path())
        write = PlannedWrite(self, request, self.action_reason(request), show, refused)
        return with_export_button(self, request, write.respond())

    def action_reason(self, request: HttpRequest) -> str:
        """Of what is done from the list: there is one act for all kinds."""
        return f"Delete several {self.opts.verbose_name_plural}"

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[Any, ...]:
        """What is in the way may be thousands of assignments; a few say enough."""
        deletable, counts, perms_needed, protected = super().get_deleted_objects(objs, request)
        return deletable, counts, perms_needed, shorten(protected)

    def reason(self, verb: str, request: HttpRequest, object_id: str | None) -> str:
        name = request.POST.get("id", "") if object_id is None else unquote(object_id)
        return f"{verb} {self.opts.verbose_name} {name}"


def as_text(labels: dict[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in sorted(labels.items()))
