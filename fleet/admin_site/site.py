"""Unfold's site, with our search and the counted part of the home page.

Nothing here may import `fleet.admin`, which registers its pages with this site.
"""

from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import URLPattern, path
from unfold.sites import UnfoldAdminSite

from fleet.admin_site.home import counted
from fleet.admin_site.search import search
from fleet.models import Cluster
from fleet.web import long_work

# From here on a plan takes long enough for a person to wonder.
MANY_CLUSTERS = 500


def many_clusters() -> bool:
    return Cluster.objects.order_by("pk")[MANY_CLUSTERS:].exists()


class FleetSite(UnfoldAdminSite):
    index_title = "The fleet at a glance"

    def extra_urls(self) -> list[URLPattern]:
        return [path("census/", self.admin_view(counted), name="census")]

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Any page may be the result of long work, kept until the browser asks for it."""

        @wraps(view)
        def kept_or_view(request: HttpRequest, *args: Any, **options: Any) -> HttpResponseBase:
            if long_work.RESULT not in request.GET:
                return view(request, *args, **options)
            if request.method == "GET":
                return long_work.kept(request) or HttpResponseRedirect(request.path)
            long_work.forget(request)
            return view(request, *args, **options)

        return super().admin_view(kept_or_view, cacheable)

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        # Only where a template asks for it does it cost a query.
        return {**super().each_context(request), "many_clusters": many_clusters}

    def search(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Unfold's would load every row that matches, and keep what it found for minutes."""
        return search(self, request)
