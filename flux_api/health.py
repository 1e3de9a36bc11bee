"""Probes: is the process alive, and can it answer polls?"""

import logging
from collections.abc import Callable
from functools import cache, lru_cache, wraps

from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, JsonResponse

from fleet.history.change import head_number
from fleet.web.errors import error_body

logger = logging.getLogger(__name__)

Probe = Callable[[HttpRequest], JsonResponse]


def probe(view: Probe) -> Probe:
    """As `require_safe`, but a refusal has the shape that all of them have."""

    @wraps(view)
    def answer(request: HttpRequest) -> JsonResponse:
        if request.method in {"GET", "HEAD"}:
            return view(request)
        return only_reads(request)

    return answer


def only_reads(request: HttpRequest) -> JsonResponse:
    message = f"{request.method} is not allowed here; GET and HEAD are."
    body = error_body("method_not_allowed", message)
    return JsonResponse(body, status=405, headers={"Allow": "GET, HEAD"})


# The fast path answers the usual probe with it, from the event loop.
ALIVE = {"status": "ok"}


@probe
def health(request: HttpRequest) -> JsonResponse:
    return JsonResponse(ALIVE)


@probe
def ready(request: HttpRequest) -> JsonResponse:
    try:
        pending = _pending_migrations()
        unknown = [] if pending else _unknown_migrations()
        revision = None if pending else head_number()
    except (DatabaseError, InterfaceError):
        logger.exception("Not ready: the database failed")
        body = error_body("unavailable", "The database does not answer.")
        return JsonResponse(body, status=503)
    if pending:
        body = error_body("unavailable", "Migrations are missing.", {"migrations": pending})
        return JsonResponse(body, status=503)
    if unknown:
        message = "The database is newer than this program."
        body = error_body("unavailable", message, {"migrations": unknown})
        return JsonResponse(body, status=503)
    return JsonResponse({"status": "ready", "revision": revision})


def _unknown_migrations() -> list[str]:
    """Applied by a newer release, whose tables may mean what this one does not know."""
    applied = MigrationRecorder(connection).migration_qs.filter(app="fleet")
    names = set(applied.values_list("name", flat=True)) - _known_migrations()
    return [f"fleet.{name}" for name in sorted(names)]


@cache
def _known_migrations() -> frozenset[str]:
    loader = MigrationLoader(None)
    loaded = (m for (app, _), m in loader.disk_migrations.items() if app == "fleet")
    return frozenset(name for m in loaded for name in (m.name, *(old for _, old in m.replaces)))


def _pending_migrations() -> list[str]:
    if _applied.cache_info().currsize:
        return []
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if not plan:
        _applied()
    return [str(migration) for migration, _ in plan]


@lru_cache(maxsize=1)
def _applied() -> bool:
    """Remembers that nothing is missing: the code of a running process does not change."""
    return True
