"""The quick way to the answer of a poll: one read of the newest revision, and bytes from memory.

It answers what a cluster asks when all is well. Everything else (another address, a refusal, a
question that is put unusually) is for Django, the slow path, which would give the same bytes.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from concurrent.futures import Executor
from functools import cache, lru_cache
from time import perf_counter, time
from typing import Any, NamedTuple

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.http.request import split_domain_port, validate_host

from fleet import request_id
from fleet.api.errors import unavailable
from fleet.auth import token_in
from fleet.inputs import RESOURCES
from fleet.request_log import DatabaseTime
from flux_api.heads import Head, Heads, Reader, served
from flux_api.kept import Credential, Found, Kept, changes_since, find, renderers
from flux_api.poll_log import Answered, PollLog

logger = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = Sequence[tuple[bytes, bytes]]

PREFIX = "/api/v2/flux/clusters/"
# Headers that change the answer. Who sends one is answered by Django.
UNUSUAL = {b"if-match", b"if-none-match", b"if-modified-since", b"if-unmodified-since"}
JSON = {b"*/*", b"application/json"}

# As Django's middleware would set them; a test holds the two together.
FIXED = (
    b"content-type: application/json\r\n"
    b"x-content-type-options: nosniff\r\n"
    b"referrer-policy: same-origin\r\n"
    b"cross-origin-opener-policy: same-origin\r\n"
    b"allow: GET, HEAD, OPTIONS\r\n"
)
# Clients may keep an answer, but must ask whether it still holds.
ANSWERED = FIXED + b"cache-control: private, no-cache\r\n"


class Poll(NamedTuple):
    dns: str
    resource: str
    token: str
    request_id: str
    is_secure: bool


class Reply(NamedTuple):
    status: int
    # The lines of its headers, each with its end.
    head: bytes
    body: bytes
    # For the log and the metrics.
    actor: str | None = None
    state: str = "unknown"
    revision: int | None = None


class Polls:
    """An ASGI application. Our own worker goes a shorter way: it asks for the reply, and Django
    where there is none (config.loop_worker)."""

    def __init__(self, django: Application, pool: Executor, reader: Reader) -> None:
        self.django = django
        self._pool = pool
        self._kept = Kept()
        self._reader = reader
        self._heads = Heads(reader, self._catch_up)
        self._log = PollLog()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reply = None
        if scope["type"] == "http":
            asks = (scope[name] for name in ("method", "path", "query_string", "headers", "scheme"))
            reply = await self.reply(*asks)
        if reply is None:
            return await self.django(scope, receive, send)
        headers = [line.split(b": ", 1) for line in reply.head.splitlines()]
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": reply.body})
        return None

    async def reply(
        self, method: str, path: str, query: str | bytes, headers: Headers, scheme: str
    ) -> Reply | None:
        """None: Django knows what to say."""
        poll = asked(path, headers, scheme) if method == "GET" and not query else None
        if poll is None:
            return None
        began, database = perf_counter(), DatabaseTime()
        reply = await self._reply(poll, database)
        if reply is not None:
            self._log.add(
                Answered(
                    poll.resource,
                    reply.state,
                    reply.status,
                    time(),
                    perf_counter() - began,
                    database.seconds,
                    database.queries,
                    reply.actor,
                    reply.revision,
                    poll.request_id,
                )
            )
        return reply

    async def _reply(self, poll: Poll, database: DatabaseTime) -> Reply | None:
        began = perf_counter()
        try:
            await self._heads.newest()
            database.add(perf_counter() - began)
            # Perhaps newer by now than the one that was awaited; and so may be what is kept.
            head = self._heads.known
            credential = self._kept.credential(poll.token)
            cluster = self._kept.clusters.get(poll.dns)
            if credential is None or cluster is None:
                head, credential, cluster = await self._find(poll, credential, database)
        except (OperationalError, InterfaceError):
            logger.exception("The database failed")
            return no_database(poll)
        except Exception:
            logger.exception("The quick path failed; Django is asked")
            return None
        if credential is None or cluster is None or not credential.may_read(cluster):
            return None
        answer = cluster.answers[poll.resource]
        own = b"x-fleet-revision: %d\r\n" % head.number
        lines = b"".join((ANSWERED, answer.head, own, lines_for(poll)))
        return Reply(200, lines, answer.body(), credential.name, cluster.state, head.number)

    async def _find(
        self, poll: Poll, credential: Credential | None, database: DatabaseTime
    ) -> Found:
        found: Found = await self._in_thread(
            timed, database, find, poll.dns, poll.token, credential
        )
        # A credential from before may have ended meanwhile. And of another head than what is known,
        # nobody has looked at what lies between the two.
        read = found if credential is None else found._replace(credential=None)
        if read.head == self._heads.known:
            self._kept.put(poll.token, read)
        return found

    async def _catch_up(self, known: Head, newest: Head) -> None:
        changes = await changes_since(self._reader, known, newest)
        self._kept.forget(changes)
        renderers.move(known, newest, changes)

    async def _in_thread(self, work: Callable[..., Any], *arguments: Any) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, served, work, *arguments)


def timed(database: DatabaseTime, work: Callable[..., Any], *arguments: Any) -> Any:
    with connection.execute_wrapper(database):
        return work(*arguments)


def asked(path: str, headers: Headers, scheme: str) -> Poll | None:
    """None for whatever is not a poll of the usual kind."""
    if not path.startswith(PREFIX):
        return None
    dns, _, resource = path[len(PREFIX) :].partition("/")
    if resource not in RESOURCES:
        return None
    token = own_id = ""
    host = b""
    for name, value in headers:
        if name == b"authorization":
            if token:
                return None
            token = token_in(value.decode("latin-1"))
        elif name == b"host":
            host = value
        elif name == b"x-request-id":
            own_id = value.decode("latin-1")
        elif name in UNUSUAL or (name == b"accept" and value not in JSON):
            return None
    if not token or not is_allowed(host):
        return None
    own_id = request_id.taken_or_new(own_id)
    return Poll(dns, resource, token, own_id, scheme == "https")


@lru_cache(maxsize=256)
def is_allowed(host: bytes) -> bool:
    domain, _ = split_domain_port(host.decode("latin-1"))
    return bool(domain) and validate_host(domain, settings.ALLOWED_HOSTS)


def lines_for(poll: Poll) -> bytes:
    """What no two answers share, or not all."""
    line = b"x-request-id: %b\r\n" % poll.request_id.encode()
    return line + strict_transport() if poll.is_secure else line


@cache
def strict_transport() -> bytes:
    seconds = settings.SECURE_HSTS_SECONDS
    line = f"strict-transport-security: max-age={seconds}; includeSubDomains; preload\r\n"
    return line.encode() if seconds else b""


def no_database(poll: Poll) -> Reply:
    """At once: to ask Django would be to wait for the database a second time."""
    response = unavailable()
    body = json.dumps(response.data, separators=(",", ":")).encode()
    own = f"content-length: {len(body)}\r\nretry-after: {response.headers['Retry-After']}\r\n"
    return Reply(503, FIXED + own.encode() + lines_for(poll), body)
