from django.http import HttpResponse
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from fleet.access.authentication import ReadsEverything
from fleet.web.metrics import exposition
from fleet.web.negotiation import JSONUnlessAskedOtherwise
from flux_api.openapi import FluxSchema


class Metrics(APIView):
    """For Prometheus, which sends a token as any client does, and for a person who is logged in."""

    schema = FluxSchema()
    http_method_names = ["get", "head"]
    permission_classes = [ReadsEverything]
    # For refusals; the numbers have a format of their own.
    renderer_classes = [JSONRenderer]
    content_negotiation_class = JSONUnlessAskedOtherwise

    def get(self, request: Request) -> HttpResponse:
        return HttpResponse(exposition(), content_type=CONTENT_TYPE_PLAIN_0_0_4)

    def head(self, request: Request) -> HttpResponse:
        return self.get(request)
