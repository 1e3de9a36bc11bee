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
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import NamedTuple

from django.conf import settings

from fleet.answers import is_there, renderer_of
from fleet.auth import KEY, READING_KINDS, configured_holder, key_of, verified
from fleet.inputs import RESOURCES, Answers, body_of
from fleet.kubernetes import DNS_NAME
from fleet.layers import ClusterRows, Rows, rows_by_dns, shared_rows
from fleet.models import TokenKey
from fleet.models.revision import RevisionSource
from fleet.plans import answers_of
from fleet.prepared import read, takes_several
from fleet.renderer import Renderer
from fleet.revisions import snapshot
from flux_api.heads import NONE, Head, Reader, newest
from flux_api.heads import Rows as AnyRows
from flux_api.render import etag_of

ANY_CLUSTER = re.compile(DNS_NAME)
# What many clusters get alike is one object; beyond this many, sharing starts anew.
SHARED_PARTS = 20_000
# What is asked of the revisions after one. They come first: should the others see a later moment,
# then more is forgotten than need be, and never less.
SINCE = (
    "SELECT number, CAST(created_at AS TEXT), source, CASE WHEN is_shared THEN 1 ELSE 0 END "
    "FROM fleet_revision WHERE number >= %d ORDER BY number",
    "SELECT cluster_id FROM fleet_effect WHERE revision_id > %d "
    # What it gets may be the same, and its state not: metrics tell them apart.
    "UNION SELECT id FROM fleet_historicalcluster WHERE revision_id > %d",
    "SELECT id FROM fleet_historicaltoken WHERE revision_id > %d",
)
# Since a worker was polled last: it was out of use for long.
MANY_REVISIONS = 100
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


NOTHING = Found(NONE, None, None)


@dataclass(frozen=True, slots=True)
class Changes:
    clusters: frozenset[str]
    tokens: frozenset[str]
    # Whether the catalog or a profile is among what was changed.
    shared: bool


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
    if not ANY_CLUSTER.match(dns):
        return NOTHING
    credential = credential or configured_credential(token)
    if credential is None and not KEY.fullmatch(token):
        return NOTHING
    found = find_at_once(dns, token, credential, with_shared=renderers.is_empty())
    # None: there is a new revision, since just now.
    return found or find_at_once(dns, token, credential, with_shared=True) or NOTHING


def find_at_once(
    dns: str, token: str, credential: Credential | None, *, with_shared: bool
) -> Found | None:
    """What is asked for by itself costs a round trip. None without what clusters have in common,
    where that is not of the same moment."""
    wanted = {"head": newest(), "cluster": rows_by_dns(dns.lower())}
    if credential is None:
        wanted["key"] = key_of(token)
    if with_shared:
        wanted["shared"] = shared_rows()
    with one_moment():
        found = dict(zip(wanted, read(*wanted.values()), strict=True))
    head, rows = found["head"], found["cluster"]
    if "key" in found:
        credential = credential_by(verified(token, found["key"]))
    if credential is None or not is_there(rows):  # Refusals are for the slow path to word.
        return Found(head, credential, None)
    renderer = renderers.at(head, found.get("shared"))
    return Found(head, credential, made(rows, renderer)) if renderer else None


def one_moment() -> AbstractContextManager[None]:
    """For a single `read`, which need not be told where it is a transaction by itself."""
    return nullcontext() if takes_several() else snapshot()


def configured_credential(token: str) -> Credential | None:
    holder = configured_holder(token)
    return Credential(holder.name, holder.may_read) if holder else None


def credential_by(key: TokenKey | None) -> Credential | None:
    if key is None:
        return None
    token = key.token
    ends = [end.timestamp() for end in (key.expiry_date, token.expires_at) if end]
    reads_all = token.kind in READING_KINDS
    return Credential(token.pk, reads_all, token.cluster_id, min(ends, default=float("inf")))


def made(rows: ClusterRows, renderer: Renderer) -> KeptCluster:
    answers = answers_of(rows, renderer)
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


class Renderers:
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

    def move(self, known: Head, newest: Head, changes: Changes | None) -> None:
        latest = self._latest
        if latest is None or latest[0] == newest:
            return
        stays = latest[0] == known and changes is not None and not changes.shared
        self._latest = (newest, latest[1]) if stays else None


renderers = Renderers()


async def changes_since(reader: Reader, known: Head, now: Head) -> Changes | None:
    """What the revisions from one to the other concerned; None where that cannot be told, or would
    take longer than to begin anew."""
    if known == NONE or not 0 < now.number - known.number <= MANY_REVISIONS:
        return None
    statements = (sql % ((known.number,) * sql.count("%d")) for sql in SINCE)
    revisions, clusters, tokens = await reader.ask(*statements)
    if not _leads(known, now, revisions):
        return None
    shared = any(int(is_shared) for *_, is_shared in revisions[1:])
    return Changes(_first_of(clusters), _first_of(tokens), shared)


def _first_of(rows: AnyRows) -> frozenset[str]:
    return frozenset(value for (value,) in rows)


def _leads(known: Head, newest: Head, revisions: AnyRows) -> bool:
    """Whether they lead from one to the other without a gap. Not so after a restore; nor where one
    address stands for several replicas, and this one is behind the one that gave the newest. And a
    migration writes down no effects."""
    heads = [Head(int(number), made_at) for number, made_at, *_ in revisions]
    if not heads or heads[0] != known or newest not in heads:
        return False
    return all(source != RevisionSource.MIGRATION for _, _, source, _ in revisions[1:]) and [
        head.number for head in heads
    ] == list(range(known.number, known.number + len(heads)))
