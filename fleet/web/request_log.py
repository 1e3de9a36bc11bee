"""One line and one observation per request, whoever answers it: a view, a probe, a static file."""

import logging
from collections.abc import Callable
from functools import cache
from time import perf_counter
from typing import Any

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponseBase

from fleet.web import metrics, request_id
from fleet.web.addresses import path_of
from fleet.web.session_user import known_user

logger = logging.getLogger("fleet.requests")

HEADER = "X-Request-ID"
# Answered by a middleware, before any URL is resolved.
PROBES = ("/health", "/ready", "/metrics")
STATIC = f"/{settings.STATIC_URL.strip('/')}"
# Addresses are for clients to choose: each unknown one by itself would be a series of its own.
UNMATCHED = "unmatched"


class DatabaseTime:
    """What the statements of a request cost; connecting and committing are not among them."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.queries = 0

    def add(self, seconds: float) -> None:
        self.seconds += seconds
        self.queries += 1

    def __call__(self, execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
        started = perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            self.add(perf_counter() - started)


class RequestLogMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        own_id = request_id.taken_or_new(request.headers.get(HEADER, ""))
        token = request_id.current.set(own_id)
        try:
            response = self.answer(request)
        finally:
            request_id.current.reset(token)
        response.headers[HEADER] = own_id
        return response

    def answer(self, request: HttpRequest) -> HttpResponseBase:
        started, database = perf_counter(), DatabaseTime()
        with connection.execute_wrapper(database):
            response = self.get_response(request)
        seconds = perf_counter() - started
        route = route_of(request)
        metrics.count_request(
            request.method or "", route, response.status_code, seconds, database.seconds
        )
        write_line(request, response, route, seconds, database)
        return response


def write_line(
    request: HttpRequest,
    response: HttpResponseBase,
    route: str,
    seconds: float,
    database: DatabaseTime,
) -> None:
    """Never the address itself, its query, a header or a body: any of them may hold a secret."""
    level = level_of(route, response.status_code)
    if not logger.isEnabledFor(level):
        return
    revision = response.headers.get("X-Fleet-Revision")
    facts = request_facts(
        request.method,
        route,
        response.status_code,
        seconds,
        database.seconds,
        database.queries,
        actor_of(request),
        int(revision) if revision else None,
    )
    logger.log(level, "%s %s %s", request.method, route, response.status_code, extra=facts)


def request_facts(
    method: str | None,
    route: str,
    status: int,
    seconds: float,
    database_seconds: float,
    queries: int,
    actor: str | None,
    revision: int | None,
) -> dict[str, Any]:
    """The fields of the line of a request, whichever path has answered it."""
    return {
        "method": method,
        "route": route,
        "status": status,
        "ms": round(seconds * 1000, 1),
        "database_ms": round(database_seconds * 1000, 1),
        "queries": queries,
        "actor": actor,
        "revision": revision,
    }


def level_of(route: str, status: int) -> int:
    """Probes and static files that are in order would only bury the rest."""
    if status >= 500:
        return logging.ERROR
    quiet = status < 400 and (route in PROBES or route == STATIC)
    return logging.DEBUG if quiet else logging.INFO


def route_of(request: HttpRequest) -> str:
    match = request.resolver_match
    if match is not None:
        return readable(match.route)
    if request.path_info in PROBES:
        return request.path_info
    return STATIC if request.path_info.startswith(f"{STATIC}/") else UNMATCHED


# As many as there are routes; there are no others to fill it with.
@cache
def readable(route: str) -> str:
    return path_of(route)


def actor_of(request: HttpRequest) -> str | None:
    user = known_user(request)
    return (user.get_username() or None) if user is not None else None
