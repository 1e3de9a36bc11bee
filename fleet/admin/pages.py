"""Pages of our own beside those that Django's admin has for a model."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from unfold.admin import ModelAdmin


def admin_path(
    model_admin: ModelAdmin, route: str, view: Callable[..., Any], name: str
) -> URLPattern:
    """For `get_urls`. A view is called with the model's admin, which it asks for permission."""
    opts = model_admin.opts
    bound = model_admin.admin_site.admin_view(partial(view, model_admin))
    return path(route, bound, name=f"{opts.app_label}_{opts.model_name}_{name}")


def admin_page(
    model_admin: ModelAdmin, request: HttpRequest, template: str, title: str, **context: Any
) -> TemplateResponse:
    shared = {
        **model_admin.admin_site.each_context(request),
        "opts": model_admin.opts,
        "title": title,
    }
    return TemplateResponse(request, f"admin/fleet/{template}.html", {**shared, **context})


def redirect_missing(model_admin: ModelAdmin, request: HttpRequest, object_id: str) -> HttpResponse:
    """As Django does it where there is no such object."""
    messages.warning(
        request,
        f"{model_admin.opts.verbose_name} with ID “{unquote(object_id)}” doesn’t exist. "
        "Perhaps it was deleted?",
    )
    return HttpResponseRedirect(reverse("admin:index"))
