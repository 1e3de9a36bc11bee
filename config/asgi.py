"""The read plane: polls by the quick way, everything else by Django, in threads."""

import os
from typing import Any

from a2wsgi import WSGIMiddleware
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

django = get_wsgi_application()

# Only now: they need the settings and the models.
from django.conf import settings  # noqa: E402

from flux_api.heads import reader  # noqa: E402
from flux_api.polls import Polls, Receive, Scope, Send  # noqa: E402

threads = WSGIMiddleware(django, workers=settings.THREADS)  # type: ignore[arg-type]


async def slow_path(scope: Scope, receive: Receive, send: Send) -> None:
    if scope.get("method") != "HEAD":
        return await threads(scope, receive, send)  # type: ignore[arg-type]

    async def without_body(message: Any) -> None:
        await send({**message, "body": b""} if "body" in message else message)

    return await threads(scope, receive, without_body)  # type: ignore[arg-type]


application = Polls(slow_path, threads.executor, reader())
