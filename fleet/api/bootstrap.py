"""What a cluster needs to follow the fleet, as YAML for kubectl."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from fleet.access.authentication import ManagesTokens
from fleet.api.views import ON_WRITES, FleetView, refuse_body
from fleet.api.writes import Outcome, perform
from fleet.bootstrap import bootstrap_manifest
from fleet.history.snapshot import snapshot
from fleet.services.bootstrap import cluster_bootstrap
from fleet.services.clusters import cluster_get
from fleet.web.negotiation import JSONUnlessAskedOtherwise


def api_url(request: HttpRequest | Request) -> str:
    """Where clusters ask; unless it is set, they come the way that this request came."""
    return settings.PUBLIC_API_URL or request.build_absolute_uri("/").rstrip("/")


class ManifestRenderer(BaseRenderer):
    media_type = "application/yaml"
    format = "yaml"
    charset = "utf-8"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        return data.encode()


class ManifestView(FleetView):
    renderer_classes = [ManifestRenderer]
    content_negotiation_class = JSONUnlessAskedOtherwise

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Refusals and plans are JSON, as everywhere."""
        if not isinstance(response.data, str):
            request.accepted_renderer = JSONRenderer()
            request.accepted_media_type = JSONRenderer.media_type
        return super().finalize_response(request, response, *args, **kwargs)


class ClusterManifest(ManifestView):
    """Everything but a token."""

    def get(self, request: Request, item_id: str) -> Response:
        self.allow_parameters()
        with snapshot():
            manifest = bootstrap_manifest(cluster_get(item_id), api_url=api_url(request))
        return Response(manifest, headers=as_file(item_id))


class ClusterBootstrap(ManifestView):
    """Issues a token, and answers with everything that the cluster needs, the token included."""

    permission_classes = [ManagesTokens]

    def post(self, request: Request, item_id: str) -> Response:
        self.allow_parameters(*ON_WRITES)
        refuse_body(request)

        def act() -> Outcome:
            made = cluster_bootstrap(cluster=item_id, api_url=api_url(request))
            address = request.build_absolute_uri(f"/tokens/{made.token.pk}")
            headers = {"Location": address, "Cache-Control": "no-store", **as_file(item_id)}
            return Outcome(made.manifest, 201, headers)

        return perform(request, act)


def as_file(cluster_id: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{cluster_id}-bootstrap.yaml"'}
