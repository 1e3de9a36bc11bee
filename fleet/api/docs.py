"""The OpenAPI schema and a page to try it on. Neither holds data: they need no credential."""

from functools import cache
from typing import Any, ClassVar

from django.http import HttpResponse
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from fleet.api.openapi.schema import FleetSchema, openapi
from fleet.web.negotiation import JSONUnlessAskedOtherwise


class OpenApi(APIView):
    schema = FleetSchema()
    authentication_classes = []
    permission_classes = []
    renderer_classes = [JSONRenderer]
    content_negotiation_class = JSONUnlessAskedOtherwise

    http_method_names = ["get", "head"]

    renderer: ClassVar[Any]
    content_type: ClassVar[str]

    def get(self, request: Request) -> HttpResponse:
        return HttpResponse(rendered(self.renderer), content_type=self.content_type)


@cache
def rendered(renderer: Any) -> bytes:
    return renderer().render(openapi(), renderer_context={})


class OpenApiYAML(OpenApi):
    renderer = OpenApiYamlRenderer
    content_type = "application/yaml"


class OpenApiJSON(OpenApi):
    renderer = OpenApiJsonRenderer
    content_type = "application/json"


class Docs(SpectacularSwaggerSplitView):
    schema = FleetSchema()
    authentication_classes = []
    permission_classes = []
    content_negotiation_class = JSONUnlessAskedOtherwise
    http_method_names = ["get", "head"]
    url_name = "openapi"
    # As theirs, but with no style in the page: a strict Content-Security-Policy forbids that.
    template_name = "docs.html"

    def get(self, request: Request) -> Response:
        """Their own is marked as not to be described."""
        return super().get(request)  # type: ignore[no-untyped-call]

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Response:
        """Errors have the one shape also here."""
        if getattr(response, "exception", False):
            request.accepted_renderer = JSONRenderer()
            request.accepted_media_type = JSONRenderer.media_type
        return super().finalize_response(request, response, *args, **kwargs)
