"""Long work in the admin: the browser is told how far it has come, and may leave.

A script of ours sends a form with `X-Progress: lines`. The request is then served in a thread of
its own, while this one writes a line of JSON each time there is news, and at the end the address of
the page. What only looks (a plan) is given up when nobody listens any more; what a person has told
us to apply is done to its end, as it would be without all this.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any

from django.contrib.sessions.backends.db import SessionStore
from django.db import connections
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from fleet import progress
from fleet.web.client_gone import client_gone

HEADER, LINES = "X-Progress", "lines"
# Also how soon we notice that nobody reads any more.
NEWS_SECONDS = 0.25
ADMIN = "/admin/"
# The field of a preview by which a person says: apply it.
APPLY = "_plan"

# The parameter of an address that names a kept page, and how long it is kept.
RESULT = "_result"
KEPT_SECONDS = 3_600


class Abandoned(BaseException):
    """Nobody waits for this. Not an `Exception`: no view may take it for a failure of its own."""


class LongWorkMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not is_wanted(request):
            return self.get_response(request)
        work = Work(
            lambda: result_of(request, self.get_response(request)),
            may_stop=APPLY not in request.POST,
            client_gone=client_gone(request),
        )
        return StreamingHttpResponse(
            work.lines(),
            content_type="application/x-ndjson",
            # Proxies must hand on each line as it comes.
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )


def is_wanted(request: HttpRequest) -> bool:
    return request.headers.get(HEADER) == LINES and request.path_info.startswith(ADMIN)


class Work:
    def __init__(self, run: Callable[[], str], *, may_stop: bool, client_gone: Event) -> None:
        self._do = run
        self._may_stop = may_stop
        self._client_gone = client_gone
        self._news: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._left = Event()

    def lines(self) -> Iterator[bytes]:
        Thread(target=copy_context().run, args=(self._run,)).start()
        told: dict[str, Any] = {"what": "", "done": 0, "of": 0}
        try:
            while "location" not in told and not self._client_gone.is_set():
                with suppress(Empty):
                    told = self._newest()
                yield json.dumps(told).encode() + b"\n"
        finally:
            self._left.set()

    def _newest(self) -> dict[str, Any]:
        news = self._news.get(timeout=NEWS_SECONDS)
        while not self._news.empty():
            news = self._news.get()
        return news

    def _run(self) -> None:
        location = ""  # to the browser: it failed
        try:
            with suppress(Abandoned), progress.told_to(self._listen):
                location = self._do()
        finally:
            connections.close_all()
            self._news.put({"location": location})

    def _listen(self, what: str, done: int, of: int) -> None:
        if self._left.is_set() and self._may_stop:
            raise Abandoned
        self._news.put({"what": what, "done": done, "of": of})


def result_of(request: HttpRequest, response: HttpResponseBase) -> str:
    """Where the browser finds it: an answer that has begun can no longer be a page."""
    try:
        if "Location" in response.headers:
            return response.headers["Location"]
        assert isinstance(response, HttpResponse)  # noqa: S101  (the admin streams no page)
        query = request.GET.copy()
        query[RESULT] = keep(request, response)
        return f"{request.path}?{query.urlencode()}"
    finally:
        response.close()


def keep(request: HttpRequest, response: HttpResponse) -> str:
    """For a while, and for this person alone, where every process of ours can read it."""
    SessionStore.clear_expired()
    store = SessionStore()
    store.set_expiry(KEPT_SECONDS)
    store["result"] = {
        "user": request.user.pk,
        "path": request.path,
        "status": response.status_code,
        "page": response.content.decode(),
    }
    store.create()
    return str(store.session_key)


def kept(request: HttpRequest) -> HttpResponse | None:
    """The page that an address with a result names; None where there is none (any more)."""
    result = SessionStore(request.GET[RESULT]).get("result", {})
    if (result.get("user"), result.get("path")) != (request.user.pk, request.path):
        return None
    return HttpResponse(result["page"], status=result["status"])


def forget(request: HttpRequest) -> None:
    """What is sent from a kept page goes to the page itself, and so does what follows from it."""
    query = request.GET.copy()
    del query[RESULT]
    request.GET = query  # type: ignore[assignment]
    request.META["QUERY_STRING"] = query.urlencode()
