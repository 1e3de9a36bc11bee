"""How often somebody may ask. Counted in the memory of each worker: the bound is that many times
as high as there are workers."""

from typing import Any

from django.conf import settings
from django.core.cache import caches
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from fleet.web.client_address import client_address


class EnrolmentRate(SimpleRateThrottle):
    cache = caches["throttle"]

    def get_rate(self) -> str:
        return f"{settings.ENROLMENTS_PER_MINUTE}/min"

    def get_cache_key(self, request: Request, view: Any) -> str:
        return f"enrol:{type(self).__name__}:{self.who(request)}"

    def who(self, request: Request) -> str:
        raise NotImplementedError


class ByToken(EnrolmentRate):
    def who(self, request: Request) -> str:
        return request.user.get_username()


class ByAddress(EnrolmentRate):
    def who(self, request: Request) -> str:
        return str(client_address(request._request))
