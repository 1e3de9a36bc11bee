from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from fleet.models import Cluster


class ApiRoot(APIView):
    """Where the API begins. Log in to the admin to walk through it with a browser."""

    def get_view_name(self) -> str:
        return "Flux Fleet"

    def get(self, request: Request) -> Response:
        links = {"flux-clusters": request.build_absolute_uri(reverse("flux:clusters"))}
        first = Cluster.objects.values_list("dns", flat=True).first()
        for resource in ("platform-components", "namespaces", "rolebindings") if first else ():
            path = reverse("flux:cluster-resource", args=[first, resource])
            links[f"flux-{resource}"] = request.build_absolute_uri(path)
        return Response(links)
