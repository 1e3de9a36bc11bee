"""The read plane serves Flux and the probes; everything else exists only where API_MODE is crud."""

from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path, re_path

from fleet.api.docs import OpenApiYAML
from flux_api.health import health, ready
from flux_api.metrics import Metrics

handler400 = "fleet.web.errors.bad_request"
handler403 = "fleet.web.errors.permission_denied"
handler404 = "fleet.web.errors.page_not_found"
handler500 = "fleet.web.errors.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("health", health, name="health"),
    path("ready", ready, name="ready"),
    path("metrics", Metrics.as_view(), name="metrics"),
    path("api/v2/flux/", include("flux_api.urls")),
    path("openapi.yaml", OpenApiYAML.as_view(), name="openapi"),
]

if not settings.READ_ONLY:
    from django.contrib import admin
    from django.views.generic import RedirectView

    from fleet.api.docs import Docs, OpenApiJSON
    from fleet.api.root import ApiRoot

    urlpatterns += [
        path("", RedirectView.as_view(pattern_name="admin:index"), name="home"),
        path("admin/", admin.site.urls),
        path("admin", RedirectView.as_view(pattern_name="admin:index")),
        path("openapi.json", OpenApiJSON.as_view(), name="openapi-json"),
        path("docs", Docs.as_view(), name="docs"),
        re_path(r"^api/?$", ApiRoot.as_view(), name="api-root"),
        path("api/auth/", include("fleet.api.sessions")),
        path("", include("fleet.api.urls")),
    ]
