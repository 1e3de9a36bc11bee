from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from flux_api.health import health, ready


class ProbeMiddleware:
    """Answers probes before anything else looks at the request.

    A kubelet and a load balancer ask by address, with a Host header that ALLOWED_HOSTS rightly does
    not have; and a probe must not depend on sessions or redirects.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info == "/health":
            return health(request)
        if request.path_info == "/ready":
            return ready(request)
        return self.get_response(request)
