"""The list as CSV: all that the filters and the search match, by a link that can be shared."""

import csv
from collections.abc import Iterator
from typing import Any

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import label_for_field, lookup_field
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, reverse
from django.utils.html import strip_tags
from django.utils.safestring import SafeString
from unfold.admin import ModelAdmin
from unfold.enums import ActionVariant

from fleet.admin.pages import admin_path

# A spreadsheet takes a cell that begins so for a formula, and runs it.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
CHUNK = 1_000


def list_columns(model_admin: ModelAdmin, request: HttpRequest) -> list[Any]:
    """Those of the list, after the key that tells one row from another."""
    key = model_admin.opts.pk.name
    shown = model_admin.get_list_display(request)
    return [key, *(column for column in shown if column != key)]


def export_path(model_admin: ModelAdmin) -> URLPattern:
    return admin_path(model_admin, "export/", export_view, "export")


def with_export_button(
    model_admin: ModelAdmin, request: HttpRequest, response: HttpResponse
) -> HttpResponse:
    """Above the list, where the response is one."""
    if isinstance(response, TemplateResponse) and "cl" in (response.context_data or {}):
        context: Any = response.context_data
        if not context.get("is_popup"):
            context["actions_list"] = [*context["actions_list"], _button(model_admin, request)]
    return response


def export_view(
    model_admin: ModelAdmin, request: HttpRequest
) -> HttpResponse | StreamingHttpResponse:
    """The columns are those that the admin's `export_columns` names."""
    if not model_admin.has_view_permission(request):
        raise PermissionDenied
    try:
        matching = model_admin.get_changelist_instance(request).queryset
    except IncorrectLookupParameters:
        return HttpResponseRedirect(_address(model_admin, "changelist") + "?e=1")
    response = StreamingHttpResponse(
        _lines(model_admin, model_admin.export_columns(request), matching),
        content_type="text/csv; charset=utf-8",
    )
    name = f"{model_admin.opts.verbose_name_plural}.csv".replace(" ", "-")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _button(model_admin: ModelAdmin, request: HttpRequest) -> dict[str, Any]:
    query = request.GET.copy()
    query.pop("p", None)
    address = _address(model_admin, "export")
    return {
        "title": "CSV",
        "icon": "download",
        "variant": ActionVariant.DEFAULT,
        "attrs": {"title": "Download what this list matches as CSV"},
        "dialog": None,
        "path": f"{address}?{query.urlencode()}" if query else address,
    }


def _address(model_admin: ModelAdmin, page: str) -> str:
    opts = model_admin.opts
    return reverse(f"admin:{opts.app_label}_{opts.model_name}_{page}")


def _lines(model_admin: ModelAdmin, columns: list[Any], matching: Any) -> Iterator[str]:
    writer = csv.writer(_Echo())
    yield writer.writerow(_heading(column, model_admin) for column in columns)
    for row in matching.iterator(chunk_size=CHUNK):
        yield writer.writerow(_cell(column, row, model_admin) for column in columns)


class _Echo:
    """A file that gives back what is written to it."""

    def write(self, text: str) -> str:
        return text


def _heading(column: Any, model_admin: ModelAdmin) -> str:
    return str(label_for_field(column, model_admin.model, model_admin=model_admin))


def _cell(column: Any, row: Any, model_admin: ModelAdmin) -> str:
    _, _, value = lookup_field(column, row, model_admin)
    if isinstance(value, tuple):
        value = value[0]  # a label: what it stands for, then how it is spelled
    if isinstance(value, SafeString):
        value = strip_tags(value)
    return _harmless("" if value is None else str(value))


def _harmless(text: str) -> str:
    """With an apostrophe before it, a spreadsheet shows it as text."""
    return f"'{text}" if text.startswith(FORMULA) else text
