"""The tabs of a cluster's page, each with an address of its own, so that it can be shared."""

from collections.abc import Callable
from typing import Any

from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path

from fleet.admin.cluster_acts import ClusterActs
from fleet.desired_state.layers import ClusterRows, read_cluster_rows
from fleet.models import Cluster

Show = Callable[[Cluster], HttpResponse]


class Gone(Exception):
    """The cluster was deleted since the page looked for it."""


class ClusterPages(ClusterActs):
    # By the name of the page: the method that shows it.
    pages: dict[str, str] = {}

    def get_urls(self) -> list[URLPattern]:
        own = [
            path(
                f"<path:object_id>/{name}/",
                self.admin_site.admin_view(getattr(self, view)),
                name=f"fleet_cluster_{name}",
            )
            for name, view in self.pages.items()
        ]
        return [*own, *super().get_urls()]

    def show_cluster(
        self, request: HttpRequest, object_id: str, show: Show, *, changing: bool = False
    ) -> HttpResponse:
        """The page of a cluster that is there, for those who may see it, or change it."""
        may = self.has_change_permission if changing else self.has_view_or_change_permission
        if not may(request):
            raise PermissionDenied
        cluster = self.get_object(request, unquote(object_id))
        try:
            if cluster is not None:
                return show(cluster)
        except Gone:
            pass
        return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)

    def page(
        self, request: HttpRequest, cluster: Cluster, name: str, title: str, **context: Any
    ) -> TemplateResponse:
        offered = self.get_actions_detail(request, cluster.pk)
        shared = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": cluster,
            "title": title,
            "tab": name,
            "actions_detail": self._get_actions_navigation(
                self.actions_detail, offered, cluster.pk
            ),
            "may_change": self.has_change_permission(request),
        }
        template = f"admin/fleet/cluster/{name}.html"
        return TemplateResponse(request, template, {**shared, **context})


def rows_of(cluster: Cluster) -> ClusterRows:
    """Call it inside `snapshot()`."""
    for rows in read_cluster_rows([cluster.pk]):
        return rows
    raise Gone
