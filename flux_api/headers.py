"""The headers that answers to polls have in common, made by the same code for both paths."""

from collections.abc import Sequence
from functools import cache
from io import BytesIO

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string

from flux_api.views import CACHE_CONTROL, ClusterResourceView

Headers = Sequence[tuple[bytes, bytes]]

# Of all middleware, those that add the same headers to every answer.
DECORATING = (
    "django.middleware.security.SecurityMiddleware",
    "fleet.web.csp.BrowserPolicyMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
)


@cache
def answer_headers(*, is_secure: bool) -> Headers:
    return (*common_headers(is_secure), (b"cache-control", CACHE_CONTROL.encode()))


@cache
def common_headers(is_secure: bool) -> Headers:
    """Whatever the status is."""
    handle = empty_answer
    for name in reversed(settings.MIDDLEWARE):
        if name in DECORATING:
            handle = import_string(name)(handle)
    response = handle(poll_request("https" if is_secure else "http"))
    return tuple(
        (name.lower().encode(), value.encode()) for name, value in response.headers.items()
    )


def empty_answer(request: HttpRequest) -> HttpResponse:
    own = ClusterResourceView().default_response_headers
    return HttpResponse(headers={"Content-Type": "application/json", **own})


def poll_request(scheme: str) -> HttpRequest:
    return WSGIRequest(
        {
            "REQUEST_METHOD": "GET",
            "PATH_INFO": "/api/v2/flux/clusters/any/any",
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "wsgi.url_scheme": scheme,
            "wsgi.input": BytesIO(),
        }
    )
