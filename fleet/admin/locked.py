from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def locked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
    """What somebody sees after too many wrong passwords."""
    wait = settings.AXES_COOLOFF_TIME.total_seconds()
    response = render(request, "locked.html", {"minutes": int(wait // 60)}, status=429)
    response.headers["Retry-After"] = str(int(wait))
    return response
