"""What a poll needs and the cache does not have, read in a thread in a fixed number of queries."""

import re
from typing import Any, NamedTuple

from django.core.signals import request_finished, request_started
from django.db import InterfaceError, NotSupportedError, OperationalError, connection

from fleet.access.authentication import KEY, configured_holder, holder_by, key_of, verified
from fleet.desired_state.answers import answers_of, is_there, renderer_of
from fleet.desired_state.inputs import RESOURCES, Answers, body_of
from fleet.desired_state.layers import ClusterRows, Rows, rows_by_dns, shared_rows
from fleet.desired_state.queries import read
from fleet.desired_state.render import Renderer
from fleet.kubernetes import DNS_NAME
from fleet.models import TokenKey
from fleet.web.request_log import DatabaseTime
from flux_api.answer_cache import CachedAnswer, CachedCluster, ChangedSince, Credential
from flux_api.head_reader import NO_HEAD, Head, newest_revision
from flux_api.render import etag_of

ANY_CLUSTER = re.compile(DNS_NAME)
# What many clusters get alike is one object; beyond this many, sharing starts over.
SHARED_PARTS = 20_000
# A renderer keeps what it has rendered, for clusters that get the same. Not without a bound.
CLUSTERS_A_RENDERER = 1_000


class Found(NamedTuple):
    """What a poll needs, as of one revision; None for what there is not."""

    head: Head
    credential: Credential | None
    cluster: CachedCluster | None


NOTHING_FOUND = Found(NO_HEAD, None, None)


def look_up(dns: str, token: str, database: DatabaseTime) -> Found:
    """As Django serves a request in a thread: with its time-outs and its connection."""
    request_started.send(look_up)
    try:
        with connection.execute_wrapper(database):
            return _find_or_reconnect(dns, token)
    finally:
        request_finished.send(look_up)


def _find_or_reconnect(dns: str, token: str) -> Found:
    """A connection that was lost since it was used last shows that by itself, and so does one whose
    prepared statements are of before a migration: to ask it first takes as long as to read."""
    own: Any = connection
    had_one = own.connection is not None
    own.health_check_done = True
    try:
        return find(dns, token)
    except (OperationalError, InterfaceError, NotSupportedError) as error:
        is_outdated = isinstance(error, NotSupportedError)
        if not had_one or (not is_outdated and own.is_usable()):
            raise
        own.close()
        return find(dns, token)


def find(dns: str, token: str) -> Found:
    if not ANY_CLUSTER.match(dns):
        return NOTHING_FOUND
    if configured_credential(token) is None and not KEY.fullmatch(token):
        return NOTHING_FOUND
    found = find_at_once(dns, token, with_shared=shared_renderer.is_empty())
    # None: there is a new revision, since just now.
    return found or find_at_once(dns, token, with_shared=True) or NOTHING_FOUND


def find_at_once(dns: str, token: str, *, with_shared: bool) -> Found | None:
    """What is asked for by itself costs a round trip. None without what clusters have in common,
    where that is not of the same moment.

    The token is read with the cluster, even where it is cached: one of an earlier revision may have
    been revoked since, or its cluster have given its name to another."""
    wanted = {"head": newest_revision(), "cluster": rows_by_dns(dns.lower())}
    credential = configured_credential(token)
    if credential is None:
        wanted["key"] = key_of(token)
    if with_shared:
        wanted["shared"] = shared_rows()
    found = dict(zip(wanted, read(*wanted.values()), strict=True))
    head, rows = found["head"], found["cluster"]
    if "key" in found:
        credential = credential_by(verified(token, found["key"]))
    if credential is None or not is_there(rows):  # Refusals are for the slow path to word.
        return Found(head, credential, None)
    renderer = shared_renderer.at(head, found.get("shared"))
    return Found(head, credential, cached_cluster(rows, renderer)) if renderer else None


def configured_credential(token: str) -> Credential | None:
    holder = configured_holder(token)
    return Credential(holder) if holder else None


def credential_by(key: TokenKey | None) -> Credential | None:
    if key is None:
        return None
    ends = [end.timestamp() for end in (key.expiry_date, key.token.expires_at) if end]
    return Credential(holder_by(key), key.pk, key.token.cluster_id, min(ends, default=float("inf")))


def cached_cluster(rows: ClusterRows, renderer: Renderer) -> CachedCluster:
    answers = answers_of(rows, renderer)
    tail = answers.tail.encode()
    cached = {resource: cached_answer(answers, resource, tail) for resource in RESOURCES}
    return CachedCluster(rows.id, rows.row.dns, rows.row.state, cached)


def cached_answer(answers: Answers, resource: str, tail: bytes) -> CachedAnswer:
    if len(_shared_parts) > SHARED_PARTS:
        _shared_parts.clear()
    encoded = (part.encode() for part in answers.parts(resource))
    parts = tuple(_shared_parts.setdefault(part, part) for part in encoded)
    return CachedAnswer(parts, tail, etag_of(body_of(parts, tail)).encode())


_shared_parts: dict[bytes, bytes] = {}


class SharedRenderer:
    """The catalog and the profiles as of the newest revision that was read."""

    def __init__(self) -> None:
        self._latest: tuple[Head, Renderer] | None = None
        self._uses = 0

    def is_empty(self) -> bool:
        return self._latest is None

    def at(self, head: Head, rows: Rows | None) -> Renderer | None:
        """Made of these rows of the same moment, unless it is there; None without either."""
        self._uses += 1
        latest = self._latest
        if latest is None or latest[0] != head:
            if rows is None:
                return None
            latest = (head, renderer_of(rows))
        elif self._uses > CLUSTERS_A_RENDERER:
            latest = (head, Renderer(latest[1].shared))
        else:
            return latest[1]
        self._latest, self._uses = latest, 0
        return latest[1]

    def move(self, known: Head, newest: Head, changes: ChangedSince | None) -> None:
        latest = self._latest
        if latest is None or latest[0] == newest:
            return
        stays = latest[0] == known and changes is not None and not changes.shared
        self._latest = (newest, latest[1]) if stays else None


shared_renderer = SharedRenderer()
