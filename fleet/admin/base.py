"""What every page over tracked data shares: one save of a page is one change, or none."""

from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import ShowFacets
from django.contrib.admin.utils import unquote
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from unfold.admin import ModelAdmin

from fleet.admin.export import ExportMixin
from fleet.admin.fields import FleetFields
from fleet.admin.meanwhile import NoticesOthers
from fleet.admin.refusals import shorten


class TrackedForm(forms.ModelForm):
    """Invalid once its change was refused, so that Django shows it again as it was filled in."""

    refusal = ""

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if self.refusal:
            self.add_error(None, self.refusal)
        return cleaned


class TrackedAdmin(NoticesOthers, FleetFields, ExportMixin, ModelAdmin):
    form = TrackedForm
    show_full_result_count = False
    show_facets = ShowFacets.ALWAYS
    list_per_page = 50
    warn_unsaved_form = True

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """The id is what a row is about: it never changes."""
        fields = list(super().get_readonly_fields(request, obj))
        return fields if obj is None else [*fields, "id"]

    def get_form(self, request: HttpRequest, obj: Any = None, **options: Any) -> Any:
        # Made anew for each request, so that the refusal stays within this one.
        form = super().get_form(request, obj, **options)
        form.refusal = getattr(request, "refusal", "")
        return form

    def get_formset_kwargs(
        self, request: HttpRequest, obj: Any, inline: Any, prefix: str
    ) -> dict[str, Any]:
        options = super().get_formset_kwargs(request, obj, inline, prefix)
        return {**options, "request": request, "per_page": inline.page_size}

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        context = {**(extra_context or {}), "seen": self.seen(request, object_id)}
        show = partial(super().changeform_view, request, object_id, form_url, context)

        def act() -> HttpResponse:
            self.require_unedited(request, object_id)
            return show()

        def show_again(refusal: str) -> HttpResponse:
            request.refusal = refusal  # type: ignore[attr-defined]
            return show()

        reason = self.reason("Add" if object_id is None else "Change", request, object_id)
        if object_id is not None and self.edited_meanwhile(request, object_id):
            return self.meanwhile_page(request, object_id, reason, show)
        return self.write(request, reason, act, show_again)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        show = partial(super().delete_view, request, object_id, extra_context)
        return self.write(
            request,
            self.reason("Delete", request, object_id),
            show,
            lambda refusal: refuse(request, refusal, request.get_full_path()),
        )

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        show = partial(super().changelist_view, request, extra_context)
        return self.write(
            request,
            self.action_reason(request),
            show,
            lambda refusal: refuse(request, refusal, request.get_full_path()),
        )

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


def refuse(request: HttpRequest, refusal: str, url: str) -> HttpResponse:
    messages.error(request, refusal)
    return HttpResponseRedirect(url)


def as_text(labels: dict[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in sorted(labels.items()))
