from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from rest_framework.permissions import SAFE_METHODS
from rest_framework.response import Response

from flux_api.health import health, only_reads, ready
from flux_api.metrics import Metrics


class ReadOnlyMiddleware:
    """Refuses whatever is not a read, at every address, before anything else looks at it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method in SAFE_METHODS:
            return self.get_response(request)
        return only_reads(request)


class ProbeMiddleware:
    """Answers probes and Prometheus before anything else looks at the request.

    A kubelet, a load balancer and Prometheus ask by address, with a Host header that ALLOWED_HOSTS
    rightly does not have; and a probe must not depend on sessions or redirects.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.metrics = Metrics.as_view()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info == "/health":
            return health(request)
        if request.path_info == "/ready":
            return ready(request)
        # Without a token it may be a person, and whether they are logged in is for others to say.
        if request.path_info == "/metrics" and request.headers.get("Authorization"):
            response = self.metrics(request)
            return response.render() if isinstance(response, Response) else response
        return self.get_response(request)
