"""What polls found, kept in memory for as long as it is right.

An answer holds until a revision changes what its cluster gets. Which clusters those are is worked
out when a change is planned, and written down with the revision; so when the newest revision has
moved, whatever the revisions since then name is forgotten, and nothing else. Where that cannot be
known for sure, everything is. A token is forgotten as soon as it has changed.

Only the event loop touches the cache; threads make what is put in.
"""

import hashlib
import time
from collections import defaultdict
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from fleet.access.authentication import TokenHolder
from fleet.desired_state.inputs import body_of


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    """The bytes of an answer, but for the joining: clusters share the parts that are the same."""

    parts: tuple[bytes, ...]
    tail: bytes
    etag: bytes

    def body(self) -> bytes:
        return body_of(self.parts, self.tail)


@dataclass(frozen=True, slots=True)
class CachedCluster:
    id: str
    dns: str
    state: str
    answers: dict[str, CachedAnswer]


@dataclass(frozen=True, slots=True)
class Credential:
    """A token that was found valid, until it changes or expires."""

    holder: TokenHolder
    # None for a token of the environment.
    key_id: str | None = None
    cluster_id: str | None = None
    expires: float = float("inf")


@dataclass(frozen=True, slots=True)
class ChangedSince:
    clusters: frozenset[str]
    tokens: frozenset[str]
    # Whether the catalog or a profile is among what was changed.
    shared: bool


@dataclass(slots=True)
class AnswerCache:
    clusters: dict[str, CachedCluster] = field(default_factory=dict)
    credentials: dict[bytes, Credential] = field(default_factory=dict)
    _dns: dict[str, str] = field(default_factory=dict)
    # By the cluster whose name they were checked with.
    _credentials_of: defaultdict[str, set[bytes]] = field(default_factory=lambda: defaultdict(set))

    def credential(self, token: str) -> Credential | None:
        found = self.credentials.get(digest(token))
        return found if found and found.expires > time.time() else None

    def put_credential(self, token: str, credential: Credential) -> None:
        key = digest(token)
        self.credentials[key] = credential
        if credential.cluster_id is not None:
            self._credentials_of[credential.cluster_id].add(key)

    def put_cluster(self, cluster: CachedCluster) -> None:
        self.clusters[cluster.dns] = cluster
        self._dns[cluster.id] = cluster.dns
        if len(self.clusters) > settings.KEPT_CLUSTERS:
            self._drop(next(iter(self.clusters.values())).id)

    def forget(self, changes: ChangedSince) -> None:
        for cluster_id in changes.clusters:
            self._drop(cluster_id)
        if changes.tokens:
            self.credentials = {
                key: credential
                for key, credential in self.credentials.items()
                if credential.holder.name not in changes.tokens
            }

    def forget_everything(self) -> list[MutableMapping[Any, Any]]:
        """Empties the cache and returns the old dicts, for the caller to free in steps: with
        100,000 clusters that takes a while."""
        had: list[MutableMapping[Any, Any]] = [
            self.clusters,
            self.credentials,
            self._dns,
            self._credentials_of,
        ]
        self.clusters, self.credentials, self._dns = {}, {}, {}
        self._credentials_of = defaultdict(set)
        return had

    def _drop(self, cluster_id: str) -> None:
        dns = self._dns.pop(cluster_id, None)
        if dns is not None:
            self.clusters.pop(dns, None)
        for key in self._credentials_of.pop(cluster_id, ()):
            self.credentials.pop(key, None)


def digest(token: str) -> bytes:
    """No secret is kept as it is."""
    return hashlib.blake2b(token.encode("utf-8", "surrogatepass"), digest_size=16).digest()
