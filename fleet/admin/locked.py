from typing import Any

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def locked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
    """What somebody sees after too many wrong passwords."""
    wait = settings.AXES_COOLOFF_TIME.total_seconds()
    context = {**admin.site.each_context(request), "minutes": int(wait // 60)}
    response = render(request, "locked.html", context, status=429)
    response.headers["Retry-After"] = str(int(wait))
    return response
