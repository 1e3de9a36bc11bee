"""What polls found, kept in memory for as long as it is right.

A kept answer holds until a revision changes what its cluster gets. Which clusters those are was
worked out when the change was planned, and is written down with the revision; so when the newest
revision has moved, whatever the revisions since then name is forgotten, and nothing else. Where
that cannot be told for sure, everything is. A token is forgotten as soon as it has changed.

Only the event loop touches `Kept`; threads make what is put in.
"""

import hashlib
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.conf import settings
from django.db import connection

from fleet.answers import renderer_now, rows_for_dns
from fleet.auth import KEY, configured_holder, holder_by, usable_key
from fleet.errors import NotFound
from fleet.inputs import RESOURCES, Answers, body_of
from fleet.kubernetes import DNS_NAME
from fleet.models.revision import RevisionSource
from fleet.plans import answers_of
from fleet.renderer import Renderer
from fleet.revisions import snapshot
from flux_api.heads import Head, read_head
from flux_api.render import etag_of

ANY_CLUSTER = re.compile(DNS_NAME)
# What many clusters get alike is one object; beyond this many, sharing starts anew.
SHARED_PARTS = 20_000
# A renderer keeps what it has rendered, for clusters that get the same. Not for ever.
CLUSTERS_A_RENDERER = 1_000


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """The bytes of an answer, but for the joining; with the lines of its headers."""

    parts: tuple[bytes, ...]
    tail: bytes
    head: bytes

    def body(self) -> bytes:
        return body_of(self.parts, self.tail)


@dataclass(frozen=True, slots=True)
class KeptCluster:
    id: str
    dns: str
    state: str
    answers: dict[str, KeptAnswer]


@dataclass(frozen=True, slots=True)
class Credential:
    """A token that was found valid, until it changes or expires."""

    name: str
    reads_all: bool
    # Of a cluster token: the one whose answers it reads.
    cluster_id: str | None = None
    expires: float = float("inf")

    def may_read(self, cluster: KeptCluster) -> bool:
        return self.reads_all or self.cluster_id == cluster.id


class Found(NamedTuple):
    """What a poll needs, as of one revision; None for what there is not."""

    head: Head
    credential: Credential | None
    cluster: KeptCluster | None


@dataclass(frozen=True, slots=True)
class Changes:
    clusters: frozenset[str]
    tokens: frozenset[str]


@dataclass(slots=True)
class Kept:
    clusters: dict[str, KeptCluster] = field(default_factory=dict)
    credentials: dict[bytes, Credential] = field(default_factory=dict)
    _dns: dict[str, str] = field(default_factory=dict)

    def credential(self, token: str) -> Credential | None:
        found = self.credentials.get(digest(token))
        return found if found and found.expires > time.time() else None

    def put(self, token: str, found: Found) -> None:
        if found.credential:
            self.credentials[digest(token)] = found.credential
        if found.cluster:
            self.clusters[found.cluster.dns] = found.cluster
            self._dns[found.cluster.id] = found.cluster.dns
            if len(self.clusters) > settings.KEPT_CLUSTERS:
                self._drop(next(iter(self.clusters.values())).id)

    def forget(self, changes: Changes | None) -> None:
        if changes is None:
            self.clusters.clear()
            self.credentials.clear()
            self._dns.clear()
            return
        for cluster_id in changes.clusters:
            self._drop(cluster_id)
        if changes.tokens:
            self.credentials = {
                key: credential
                for key, credential in self.credentials.items()
                if credential.name not in changes.tokens
            }

    def _drop(self, cluster_id: str) -> None:
        dns = self._dns.pop(cluster_id, None)
        if dns is not None:
            self.clusters.pop(dns, None)


def digest(token: str) -> bytes:
    """No secret is kept as it is."""
    return hashlib.blake2b(token.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def find(dns: str, token: str, credential: Credential | None) -> Found:
    """What is not kept, in a fixed number of small queries, whatever the size of the fleet."""
    with snapshot():
        head = read_head()
        credential = credential or credential_of(token)
        # Refusals are for the slow path to word.
        cluster = read_cluster(dns, head) if credential and ANY_CLUSTER.match(dns) else None
        return Found(head, credential, cluster)


def credential_of(token: str) -> Credential | None:
    if holder := configured_holder(token):
        return Credential(holder.name, holder.may_read)
    key = usable_key(token) if KEY.fullmatch(token) else None
    if key is None:
        return None
    ends = [end.timestamp() for end in (key.expiry_date, key.token.expires_at) if end]
    holder = holder_by(key)
    return Credential(
        holder.name, holder.may_read, key.token.cluster_id, min(ends, default=float("inf"))
    )


def read_cluster(dns: str, head: Head) -> KeptCluster | None:
    try:
        rows = rows_for_dns(dns)
    except NotFound:
        return None
    answers = answers_of(rows, _renderers.at(head))
    tail = answers.tail.encode()
    kept = {resource: keep(answers, resource, tail) for resource in RESOURCES}
    return KeptCluster(rows.id, rows.row.dns, rows.row.state, kept)


def keep(answers: Answers, resource: str, tail: bytes) -> KeptAnswer:
    if len(_shared_parts) > SHARED_PARTS:
        _shared_parts.clear()
    encoded = (part.encode() for part in answers.parts(resource))
    parts = tuple(_shared_parts.setdefault(part, part) for part in encoded)
    body = body_of(parts, tail)
    head = f"etag: {etag_of(body)}\r\ncontent-length: {len(body)}\r\n"
    return KeptAnswer(parts, tail, head.encode())


_shared_parts: dict[bytes, bytes] = {}


class _Renderers:
    """The catalog and the profiles as of the newest revision that was read."""

    def __init__(self) -> None:
        self._latest: tuple[Head, Renderer] | None = None
        self._uses = 0

    def at(self, head: Head) -> Renderer:
        """Inside a snapshot whose head this is."""
        self._uses += 1
        latest = self._latest
        if latest is None or latest[0] != head:
            latest = (head, renderer_now())
        elif self._uses > CLUSTERS_A_RENDERER:
            latest = (head, Renderer(latest[1].shared))
        else:
            return latest[1]
        self._latest, self._uses = latest, 0
        return latest[1]


_renderers = _Renderers()


def changes_since(known: Head, newest: Head) -> Changes | None:
    """What the revisions from one to the other concerned; None where that cannot be told."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT number, CAST(created_at AS TEXT), source FROM fleet_revision "
            "WHERE number >= %s ORDER BY number",
            [known.number],
        )
        if not _leads(known, newest, cursor.fetchall()):
            return None
        after = [known.number]
        cursor.execute(
            "SELECT cluster_id FROM fleet_effect WHERE revision_id > %s "
            # What it gets may be the same, and its state not: metrics tell them apart.
            "UNION SELECT id FROM fleet_historicalcluster WHERE revision_id > %s",
            after * 2,
        )
        clusters = frozenset(cluster_id for (cluster_id,) in cursor.fetchall())
        cursor.execute("SELECT id FROM fleet_historicaltoken WHERE revision_id > %s", after)
        return Changes(clusters, frozenset(token_id for (token_id,) in cursor.fetchall()))


def _leads(known: Head, newest: Head, revisions: Sequence[tuple[int, str, str]]) -> bool:
    """Whether they lead from one to the other without a gap. Not so after a restore; nor where one
    address stands for several replicas, and this one is behind the one that gave the newest. And a
    migration writes down no effects."""
    heads = [Head(number, made_at) for number, made_at, _ in revisions]
    if not heads or heads[0] != known or newest not in heads:
        return False
    return all(source != RevisionSource.MIGRATION for _, _, source in revisions[1:]) and [
        head.number for head in heads
    ] == list(range(known.number, known.number + len(heads)))
