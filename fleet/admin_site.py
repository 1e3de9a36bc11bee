"""The site of the admin: unfold's, with our search and the counted part of the home page.

Outside `fleet.admin`: it must exist before that package is imported, which registers its pages.
"""

from typing import Any

from django.apps import AppConfig
from django.contrib import admin
from django.contrib.admin import sites
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from unfold.sites import UnfoldAdminSite


class FleetSite(UnfoldAdminSite):
    index_title = "The fleet at a glance"

    def extra_urls(self) -> list[URLPattern]:
        return [path("census/", self.admin_view(self.census), name="census")]

    def census(self, request: HttpRequest) -> HttpResponse:
        from fleet.admin.home import counted

        return counted(request)

    def search(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Unfold's would load every row that matches, and keep what it found for minutes."""
        from fleet.admin.search import search

        return search(self, request)


class ThemeConfig(AppConfig):
    """Unfold, with our site in place of its own."""

    name = "unfold"

    def ready(self) -> None:
        admin.site = sites.site = FleetSite()
