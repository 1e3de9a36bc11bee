"""Where a component is in use: a page beside its form."""

from typing import Any

from django.contrib.admin.utils import unquote
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from unfold.admin import ModelAdmin
from unfold.decorators import action

from fleet import models
from fleet.admin.pages import admin_page, redirect_missing
from fleet.history.snapshot import snapshot
from fleet.reports.dependency_graph import draw
from fleet.reports.usage import clusters_with, matrix_of, overrides_in_use, versions_of
from fleet.services.rows import is_plain

CLUSTERS_PER_PAGE = 25
MOST_PROFILES = 50


@action(  # type: ignore[untyped-decorator]
    description="Usage", url_path="usage", icon="account_tree", permissions=["view"]
)
def usage(model_admin: ModelAdmin, request: HttpRequest, object_id: str) -> HttpResponse:
    component = model_admin.get_object(request, unquote(object_id))
    if component is None:
        return redirect_missing(model_admin, request, object_id)
    with snapshot():
        page = admin_page(
            model_admin,
            request,
            "component/usage",
            f"Usage of {component}",
            original=component,
            **used(component, request.GET.get("version"), request.GET.get("page")),
        )
        return page.render()


def used(component: Any, version: str | None, page: str | None) -> dict[str, Any]:
    name = component.pk
    chosen = version if version and is_plain(version) else None
    clusters = clusters_with(name)
    narrowed = clusters if chosen is None else clusters.filter(version=chosen)
    paginator = Paginator(narrowed.values_list("pk", flat=True), CLUSTERS_PER_PAGE)
    shown = paginator.get_page(page)
    profiles = models.ProfileComponent.objects.filter(component_id=name).order_by("profile_id")
    edges = models.ComponentDependency.objects.order_by()
    return {
        "component": component,
        "version": chosen,
        "versions": versions_of(clusters),
        "profiles": list(profiles[: MOST_PROFILES + 1]),
        "most_profiles": MOST_PROFILES,
        "layers": [
            ("Catalog", "", overrides_in_use(models.ComponentPatch, "component_id", name)),
            ("Profiles", "profile", overrides_in_use(models.ProfilePatch, "profile_id", name)),
            ("Clusters", "cluster", overrides_in_use(models.ClusterPatch, "cluster_id", name)),
        ],
        "page": shown,
        "pages": paginator.get_elided_page_range(shown.number),
        "matrix": matrix_of(name, list(shown)),
        "graph": draw(name, edges.values_list("component_id", "dependency_id")),
    }
