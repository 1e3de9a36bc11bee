"""One application for both modes: polls by the fast path, everything else by Django in threads."""

import os
from concurrent.futures import ThreadPoolExecutor

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

wsgi = get_wsgi_application()

# Only now: they need the settings and the models.
from django.conf import settings  # noqa: E402

from config.django_threads import DjangoThreads  # noqa: E402
from flux_api.fast_path import FastPath  # noqa: E402
from flux_api.head_reader import database_reader  # noqa: E402

application = FastPath(
    DjangoThreads(
        wsgi,
        threads=settings.THREADS,
        client_seconds=settings.CLIENT_TIMEOUT,
        largest_body=settings.MAX_APPLY_BODY,
    ),
    # Of their own, so that no poll waits until a write has ended.
    ThreadPoolExecutor(settings.THREADS, thread_name_prefix="polls"),
    database_reader(),
)
