"""The tabs of a cluster's page, each with an address of its own, so that it can be shared."""

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any

from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from unfold.admin import ModelAdmin

from fleet.admin.pages import admin_page, redirect_missing
from fleet.desired_state.layers import ClusterRows, read_cluster_rows
from fleet.models import Cluster

ClusterView = Callable[[ModelAdmin, HttpRequest, Cluster], HttpResponse]
ObjectView = Callable[[ModelAdmin, HttpRequest, str], HttpResponse]


class Gone(Exception):
    """The cluster was deleted since the page looked for it."""


def cluster_view(permission: str) -> Callable[[ClusterView], ObjectView]:
    """For a cluster that is there, and people who have this permission: "view" or "change"."""

    def decorate(view: ClusterView) -> ObjectView:
        @wraps(view)
        def checked(model_admin: ModelAdmin, request: HttpRequest, object_id: str) -> HttpResponse:
            if not getattr(model_admin, f"has_{permission}_permission")(request):
                raise PermissionDenied
            cluster = model_admin.get_object(request, unquote(object_id))
            with suppress(Gone):
                if cluster is not None:
                    return view(model_admin, request, cluster)
            return redirect_missing(model_admin, request, object_id)

        return checked

    return decorate


def cluster_page(
    model_admin: ModelAdmin,
    request: HttpRequest,
    cluster: Cluster,
    name: str,
    title: str,
    **context: Any,
) -> TemplateResponse:
    return admin_page(
        model_admin,
        request,
        f"cluster/{name}",
        title,
        original=cluster,
        tab=name,
        actions_detail=_buttons(model_admin, request, cluster),
        may_change=model_admin.has_change_permission(request),
        **context,
    )


def _buttons(
    model_admin: ModelAdmin, request: HttpRequest, cluster: Cluster
) -> list[dict[str, Any]]:
    """As unfold's template takes them, which shows them above the form, too."""
    return [
        {
            "title": each.description,
            "icon": each.icon,
            "variant": each.variant,
            "attrs": each.attrs,
            "dialog": each.dialog,
            "path": reverse(f"admin:{each.action_name}", args=[cluster.pk]),
        }
        for each in model_admin.get_actions_detail(request, cluster.pk)
    ]


def rows_of(cluster: Cluster) -> ClusterRows:
    """Call it inside `snapshot()`."""
    for rows in read_cluster_rows([cluster.pk]):
        return rows
    raise Gone
