from typing import Any

from django.http import HttpResponseBase
from rest_framework.exceptions import NotFound
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from fleet.access.authentication import ReadsItsCluster
from fleet.desired_state.answers import answers_now, cluster_entries, rows_for_dns
from fleet.desired_state.inputs import RESOURCES, clusters_body
from fleet.history.change import head_number
from fleet.history.snapshot import snapshot
from fleet.web.etags import conditional
from fleet.web.metrics import count_poll
from fleet.web.negotiation import JSONUnlessAskedOtherwise
from flux_api.environments import environments_asked_for
from flux_api.openapi import FluxSchema
from flux_api.render import Answer, AnswerRenderer

# Clients may keep an answer, but must ask whether it still holds.
CACHE_CONTROL = "private, no-cache"


DEFAULT_RENDERERS: list[Any] = list(api_settings.DEFAULT_RENDERER_CLASSES)
# As everywhere, but for JSON.
RENDERERS = [AnswerRenderer if each is JSONRenderer else each for each in DEFAULT_RENDERERS]


class FluxView(APIView):
    """A read-only answer to Flux. Whatever goes wrong is an error: the cluster keeps its state."""

    schema = FluxSchema()
    http_method_names = ["get", "head", "options"]
    renderer_classes = RENDERERS
    content_negotiation_class = JSONUnlessAskedOtherwise

    # What is polled, for the metrics: the state is known once the cluster is.
    resource = "unknown"
    state = "unknown"

    def body(self, **kwargs: str) -> bytes:
        raise NotImplementedError

    def get(self, request: Request, **kwargs: str) -> HttpResponseBase:
        with snapshot():
            answer = Answer(self.body(**kwargs), head_number())
        response = Response(
            answer.body,
            headers={"ETag": answer.etag, "X-Fleet-Revision": str(answer.revision)},
        )
        response["Cache-Control"] = CACHE_CONTROL
        return conditional(request, response, answer.etag)

    def head(self, request: Request, **kwargs: str) -> HttpResponseBase:
        return self.get(request, **kwargs)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        if request.method in {"GET", "HEAD"}:
            count_poll(self.resource, self.state, response.status_code)
        return super().finalize_response(request, response, *args, **kwargs)


class ClustersView(FluxView):
    """All clusters, or those of some environments, for a management plane."""

    resource = "clusters"
    state = "all"

    def get_view_name(self) -> str:
        return "Flux: clusters"

    def body(self, **kwargs: Any) -> bytes:
        return clusters_body(cluster_entries(environments_asked_for(self.request)))


class ClusterResourceView(FluxView):
    """What one cluster gets of one resource type."""

    permission_classes = [ReadsItsCluster]

    def get_view_name(self) -> str:
        return "Flux: what a cluster gets"

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if kwargs["resource"] in RESOURCES:
            self.resource = kwargs["resource"]
        super().initial(request, *args, **kwargs)

    def body(self, *, dns: str, resource: str) -> bytes:  # type: ignore[override]
        if resource not in RESOURCES:
            allowed = ", ".join(RESOURCES)
            raise NotFound(f"There is no resource type {resource!r}; there are: {allowed}.")
        rows = rows_for_dns(dns)
        self.state = rows.row.state
        return answers_now(rows).body(resource)
