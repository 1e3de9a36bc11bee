from typing import Any

from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from fleet.api.openapi.schema import FleetSchema
from fleet.desired_state.inputs import RESOURCES
from fleet.models import Cluster
from fleet.models.sections import SECTIONS


class ApiRoot(APIView):
    """Where the API begins. Log in to the admin to walk through it with a browser."""

    schema = FleetSchema()

    def get_view_name(self) -> str:
        return "Flux Fleet"

    def get(self, request: Request) -> Response:
        def address(name: str, *args: Any) -> str:
            return request.build_absolute_uri(reverse(name, args=args))

        links = {section: request.build_absolute_uri(f"/{section}") for section in SECTIONS}
        links |= {
            name: address(name)
            for name in ("revisions", "tokens", "batch", "apply", "docs", "openapi")
        }
        links["flux-clusters"] = address("flux:clusters")
        first = Cluster.objects.values_list("dns", flat=True).first()
        for resource in RESOURCES if first else ():
            links[f"flux-{resource}"] = address("flux:cluster-resource", first, resource)
        return Response(links)
