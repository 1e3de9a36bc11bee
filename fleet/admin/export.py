"""The list as CSV: all that the filters and the search match, by a link that can be shared."""

import csv
from collections.abc import Iterator
from typing import Any

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import label_for_field, lookup_field
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import strip_tags
from django.utils.safestring import SafeString
from unfold.enums import ActionVariant

# A spreadsheet takes a cell that begins so for a formula, and runs it.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
CHUNK = 1_000


class ExportMixin:
    """A page `export/` beside the list, and the button that leads there."""

    model: Any
    opts: Any
    admin_site: Any

    @property
    def _names(self) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}"

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.export_view)
        own = path("export/", view, name=f"{self._names}_export")
        return [own, *super().get_urls()]  # type: ignore[misc]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        response = super().changelist_view(request, extra_context)  # type: ignore[misc]
        if isinstance(response, TemplateResponse) and "cl" in (response.context_data or {}):
            context: Any = response.context_data
            if not context.get("is_popup"):
                context["actions_list"] = [*context["actions_list"], self._button(request)]
        return response

    def _button(self, request: HttpRequest) -> dict[str, Any]:
        query = request.GET.copy()
        query.pop("p", None)
        address = reverse(f"admin:{self._names}_export")
        return {
            "title": "CSV",
            "icon": "download",
            "variant": ActionVariant.DEFAULT,
            "attrs": {"title": "Download what this list matches as CSV"},
            "dialog": None,
            "path": f"{address}?{query.urlencode()}" if query else address,
        }

    def export_view(self, request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
        if not self.has_view_permission(request):  # type: ignore[attr-defined]
            raise PermissionDenied
        try:
            matching = self.get_changelist_instance(request).queryset  # type: ignore[attr-defined]
        except IncorrectLookupParameters:
            return HttpResponseRedirect(reverse(f"admin:{self._names}_changelist") + "?e=1")
        response = StreamingHttpResponse(
            self._lines(request, matching), content_type="text/csv; charset=utf-8"
        )
        name = f"{self.opts.verbose_name_plural}.csv".replace(" ", "-")
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return response

    def _lines(self, request: HttpRequest, matching: Any) -> Iterator[str]:
        columns = self._columns(request)
        writer = csv.writer(_Echo())
        yield writer.writerow(_heading(column, self) for column in columns)
        for row in matching.iterator(chunk_size=CHUNK):
            yield writer.writerow(_cell(column, row, self) for column in columns)

    def _columns(self, request: HttpRequest) -> list[Any]:
        """Those of the list, after the key that tells one row from another."""
        key = self.opts.pk.name
        shown = self.get_list_display(request)  # type: ignore[attr-defined]
        return [key, *(column for column in shown if column != key)]


class _Echo:
    """A file that gives back what is written to it."""

    def write(self, text: str) -> str:
        return text


def _heading(column: Any, page: Any) -> str:
    return str(label_for_field(column, page.model, model_admin=page))


def _cell(column: Any, row: Any, page: Any) -> str:
    _, _, value = lookup_field(column, row, page)
    if isinstance(value, tuple):
        value = value[0]  # a label: what it stands for, then how it is spelled
    if isinstance(value, SafeString):
        value = strip_tags(value)
    return _harmless("" if value is None else str(value))


def _harmless(text: str) -> str:
    """With an apostrophe before it, a spreadsheet shows it as text."""
    return f"'{text}" if text.startswith(FORMULA) else text
