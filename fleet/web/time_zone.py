"""Times in the zone of whoever looks: the admin's pages tell it in a cookie (static/zone.js)."""

from collections.abc import Callable
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.functional import lazy

COOKIE = "timezone"


def _in_zone(text: str) -> str:
    return text.format(zone=timezone.get_current_timezone_name())


# A text with the viewer's zone in place of `{zone}`, put there when it is shown.
in_zone = lazy(_in_zone, str)


class TimeZoneMiddleware:
    """In the admin alone. What the API says and takes is UTC, whoever asks."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith("/admin/"):
            return self.get_response(request)
        with timezone.override(zone_named(request.COOKIES.get(COOKIE, ""))):
            return self.get_response(request)


def zone_named(name: str) -> ZoneInfo:
    """UTC where there is no such zone: a cookie is what anybody writes into it."""
    return ZoneInfo(name if name in known_zones() else "UTC")


@cache
def known_zones() -> frozenset[str]:
    # Looks through some 500 files; and only a name from here may become the path of one.
    return frozenset(available_timezones())
