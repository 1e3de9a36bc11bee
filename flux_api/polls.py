"""The quick way to the answer of a poll: one read of the newest revision, and bytes from memory.

It answers what a cluster asks when all is well. Everything else (another address, a refusal, a
question that is put unusually) is for Django, the slow path, which would give the same bytes.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, MutableMapping
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
from flux_api.kept import Changes, Credential, Found, Kept, changes_since, find
from flux_api.poll_log import Answered, PollLog

logger = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

PREFIX = "/api/v2/flux/clusters/"
# Headers that change the answer. Who sends one is answered by Django.
UNUSUAL = {b"if-match", b"if-none-match", b"if-modified-since", b"if-unmodified-since"}
JSON = {b"*/*", b"application/json"}

# As Django's middleware would set them; a test holds the two together.
FIXED: Headers = [
    (b"content-type", b"application/json"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
]
ALLOW = (b"allow", b"GET, HEAD, OPTIONS")
ANSWERED: Headers = [
    *FIXED,
    ALLOW,
    # Clients may keep an answer, but must ask whether it still holds.
    (b"cache-control", b"private, no-cache"),
]


class Poll(NamedTuple):
    dns: str
    resource: str
    token: str
    request_id: str
    is_secure: bool


class Reply(NamedTuple):
    status: int
    headers: Headers
    body: bytes
    # For the log and the metrics.
    actor: str | None = None
    state: str = "unknown"
    revision: int | None = None


class Polls:
    def __init__(self, django: Application, pool: Executor, reader: Reader) -> None:
        self._django = django
        self._pool = pool
        self._kept = Kept()
        self._heads = Heads(reader, self._catch_up)
        self._log = PollLog()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        poll = asked(scope) if scope["type"] == "http" else None
        if poll is None:
            return await self._django(scope, receive, send)
        began, database = perf_counter(), DatabaseTime()
        reply = await self.reply(poll, database)
        if reply is None:
            return await self._django(scope, receive, send)
        headers = [*reply.headers, (b"x-request-id", poll.request_id.encode())]
        if poll.is_secure:
            headers += strict_transport()
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": reply.body})
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
        return None

    async def reply(self, poll: Poll, database: DatabaseTime) -> Reply | None:
        """None: Django knows what to say."""
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
            return no_database()
        except Exception:
            logger.exception("The quick path failed; Django is asked")
            return None
        if credential is None or cluster is None or not credential.may_read(cluster):
            return None
        answer = cluster.answers[poll.resource]
        headers = [
            *ANSWERED,
            (b"etag", answer.etag),
            (b"content-length", answer.length),
            (b"x-fleet-revision", b"%d" % head.number),
        ]
        body = answer.body()
        return Reply(200, headers, body, credential.name, cluster.state, head.number)

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
        changes: Changes | None = await self._in_thread(changes_since, known, newest)
        self._kept.forget(changes)

    async def _in_thread(self, work: Callable[..., Any], *arguments: Any) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, served, work, *arguments)


def timed(database: DatabaseTime, work: Callable[..., Any], *arguments: Any) -> Any:
    with connection.execute_wrapper(database):
        return work(*arguments)


def asked(scope: Scope) -> Poll | None:
    """None for whatever is not a poll of the usual kind."""
    path: str = scope["path"]
    if scope["method"] != "GET" or scope["query_string"] or not path.startswith(PREFIX):
        return None
    dns, _, resource = path[len(PREFIX) :].partition("/")
    if resource not in RESOURCES:
        return None
    token = own_id = ""
    host = b""
    for name, value in scope["headers"]:
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
    return Poll(dns, resource, token, own_id, scope["scheme"] == "https")


@lru_cache(maxsize=256)
def is_allowed(host: bytes) -> bool:
    domain, _ = split_domain_port(host.decode("latin-1"))
    return bool(domain) and validate_host(domain, settings.ALLOWED_HOSTS)


@cache
def strict_transport() -> Headers:
    seconds = settings.SECURE_HSTS_SECONDS
    policy = f"max-age={seconds}; includeSubDomains; preload".encode()
    return [(b"strict-transport-security", policy)] if seconds else []


@cache
def no_database() -> Reply:
    """At once: to ask Django would be to wait for the database a second time."""
    response = unavailable()
    body = json.dumps(response.data, separators=(",", ":")).encode()
    retry = response.headers["Retry-After"].encode()
    length = str(len(body)).encode()
    headers = [*FIXED, ALLOW, (b"content-length", length), (b"retry-after", retry)]
    return Reply(503, headers, body)
