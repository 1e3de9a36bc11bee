"""The fast path to the answer of a poll: one read of the newest revision, and bytes from memory.

It answers what a cluster asks when all is well. Everything else (another address, a refusal, an
unusual request) is for Django, the slow path, which would give the same bytes.
"""

import asyncio
import json
import logging
from collections.abc import MutableMapping
from concurrent.futures import Executor
from functools import lru_cache
from time import perf_counter, time
from typing import Any, NamedTuple

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http.request import split_domain_port, validate_host

from config.asgi_types import Application, Receive, Scope, Send
from fleet.access import token_usage
from fleet.access.authentication import token_in
from fleet.desired_state.inputs import RESOURCES
from fleet.web import request_id
from fleet.web.errors import unavailable
from fleet.web.request_log import DatabaseTime
from flux_api.answer_cache import AnswerCache
from flux_api.changes import changes_since
from flux_api.head_reader import DatabaseReader, Head, HeadReader
from flux_api.headers import Headers, answer_headers, common_headers
from flux_api.health import ALIVE
from flux_api.lookup import Found, look_up, shared_renderer
from flux_api.poll_log import AnsweredPoll, PollLog

logger = logging.getLogger(__name__)

PREFIX = "/api/v2/flux/clusters/"
# Headers that change the answer, or how much there is to read. Django knows what to do.
UNUSUAL = {
    b"if-match",
    b"if-none-match",
    b"if-modified-since",
    b"if-unmodified-since",
    b"content-length",
    b"transfer-encoding",
}
JSON = {b"*/*", b"application/json"}
# How many entries of a cache that is forgotten are let go of at once, and the pause after them:
# polls are answered meanwhile.
RELEASED_AT_ONCE, RELEASE_PAUSE = 500, 0.005


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


class FastPath:
    """An ASGI application."""

    def __init__(self, django: Application, pool: Executor, reader: DatabaseReader) -> None:
        self._django = django
        self._pool = pool
        self._cache = AnswerCache()
        self._reader = reader
        self._heads = HeadReader(reader, self._catch_up)
        self._log = PollLog()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._lifespan(receive, send)
        if is_liveness_probe(scope):
            reply: Reply | None = alive(scope)
        else:
            poll = poll_in(scope)
            reply = await self._logged_reply(poll) if poll else None
        if reply is None:
            return await self._django(scope, receive, send)
        start = {"type": "http.response.start", "status": reply.status, "headers": reply.headers}
        await send(start)
        await send({"type": "http.response.body", "body": reply.body})
        return None

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self._log.write()
        await self._reader.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _logged_reply(self, poll: Poll) -> Reply | None:
        """None: Django knows what to say."""
        began, database = perf_counter(), DatabaseTime()
        reply = await self._reply(poll, database)
        if reply is not None:
            self._log.add(
                AnsweredPoll(
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
            # Perhaps newer by now than the one that was awaited; and so may be what is cached.
            head = self._heads.known
            credential = self._cache.credential(poll.token)
            cluster = self._cache.clusters.get(poll.dns)
            if credential is None or cluster is None:
                head, credential, cluster = await self._find(poll, database)
        except (OperationalError, InterfaceError, TimeoutError):
            logger.exception("The database failed")
            return no_database(poll)
        except Exception:
            logger.exception("The fast path failed; Django is asked")
            return None
        if credential is None or cluster is None or not credential.holder.may_poll(cluster.dns):
            return None
        if credential.key_id is not None:
            token_usage.note(credential.key_id)
        answer = cluster.answers[poll.resource]
        body = answer.body()
        headers = (
            *answer_headers(is_secure=poll.is_secure),
            (b"etag", answer.etag),
            (b"content-length", b"%d" % len(body)),
            (b"x-fleet-revision", b"%d" % head.number),
            (b"x-request-id", poll.request_id.encode()),
        )
        return Reply(200, headers, body, credential.holder.name, cluster.state, head.number)

    async def _find(self, poll: Poll, database: DatabaseTime) -> Found:
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(settings.POLL_SECONDS):
            found = await loop.run_in_executor(self._pool, look_up, poll.dns, poll.token, database)
        # Of another head than the known one, nobody has looked at what lies between the two.
        if found.head == self._heads.known:
            if found.cluster:
                self._cache.put_cluster(found.cluster)
            if found.credential:
                self._cache.put_credential(poll.token, found.credential)
        return found

    async def _catch_up(self, known: Head, newest: Head) -> None:
        changes = await changes_since(self._reader, known, newest)
        if changes is None:
            for mapping in self._cache.forget_everything():
                release(mapping)
        else:
            self._cache.forget(changes)
        shared_renderer.move(known, newest, changes)


def release(mapping: MutableMapping[Any, Any]) -> None:
    for _ in range(min(RELEASED_AT_ONCE, len(mapping))):
        mapping.popitem()
    if mapping:
        asyncio.get_running_loop().call_later(RELEASE_PAUSE, release, mapping)


def is_liveness_probe(scope: Scope) -> bool:
    return scope.get("path") == "/health" and scope.get("method") == "GET"


def alive(scope: Scope) -> Reply:
    """From the loop: threads that are busy, or wait for the database, are no reason to kill it."""
    body = json.dumps(ALIVE).encode()
    given = dict(scope["headers"]).get(b"x-request-id", b"").decode("latin-1")
    headers = (
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(body)),
        (b"x-request-id", request_id.taken_or_new(given).encode()),
    )
    return Reply(200, headers, body)


def poll_in(scope: Scope) -> Poll | None:
    """None for whatever is not a poll of the usual kind."""
    path: str = scope.get("path", "")
    if not path.startswith(PREFIX) or scope.get("method") != "GET" or scope["query_string"]:
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


def no_database(poll: Poll) -> Reply:
    """At once: to ask Django would be to wait for the database a second time."""
    response = unavailable()
    body = json.dumps(response.data, separators=(",", ":")).encode()
    headers = (
        *common_headers(poll.is_secure),
        (b"content-length", b"%d" % len(body)),
        (b"retry-after", response.headers["Retry-After"].encode()),
        (b"x-request-id", poll.request_id.encode()),
    )
    return Reply(503, headers, body)
