"""The fast path: right while it holds, silent where Django has to speak."""

import base64
import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import pytest
from django.test import Client
from django.utils import timezone

from fleet import models
from fleet.desired_state import layers
from fleet.desired_state.queries import read
from fleet.history.change import change
from fleet.models.revision import Revision
from fleet.services import clusters, objects, tokens
from flux_api import lookup
from flux_api.answer_cache import ChangedSince
from flux_api.changes import MANY_REVISIONS
from flux_api.head_reader import NO_HEAD, Head, newest_revision
from flux_api.lookup import find
from tests.flux.fast import READ, Answered, Fast, changes_between

PATH = "clusters/c-1.example.com/platform-components"
OTHER = "clusters/c-2.example.com/platform-components"


@pytest.fixture
def fast(fleet: None) -> Fast:
    return Fast()


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The clusters that were read, and not kept."""
    seen: list[str] = []
    made = lookup.cached_cluster

    def noted(rows: Any, head: Any) -> Any:
        seen.append(rows.row.dns)
        return made(rows, head)

    monkeypatch.setattr(lookup, "cached_cluster", noted)
    return seen


def answered(fast: Fast, path: str = PATH, token: str = READ) -> Answered:
    found = fast.poll(path, token)
    assert found is not None
    return found


def read_head() -> Head:
    [head] = read(newest_revision())
    return head


def patch(cluster_id: str, value: str) -> None:
    objects.object_patch(
        section="clusters", id=cluster_id, patch={"patches": {"podinfo": {"replicaCount": value}}}
    )


def replicas(found: Answered) -> str:
    [podinfo] = [item for item in json.loads(found.body)["inputs"] if item["id"] == "podinfo"]
    return podinfo["patches"]["replicaCount"]


def without_id(headers: Mapping[str, str]) -> dict[str, str]:
    named = {name.lower(): value for name, value in headers.items()}
    assert named.pop("x-request-id")
    return named


def test_it_says_what_django_says(fast: Fast, client: Client) -> None:
    slow = client.get(f"/api/v2/flux/{PATH}", headers={"Authorization": f"Bearer {READ}"})
    for _ in range(2):
        found = answered(fast)
        assert (found.status, found.body) == (200, slow.content)
        assert without_id(found.headers) == without_id(slow.headers)


def test_a_cluster_is_read_once_for_all_its_resources(fast: Fast, reads: list[str]) -> None:
    for resource in ("platform-components", "namespaces", "rolebindings") * 2:
        answered(fast, f"clusters/c-1.example.com/{resource}")
    assert reads == ["c-1.example.com"]


def test_a_change_is_seen_by_the_next_poll(fast: Fast) -> None:
    for value in ("4", "5"):
        patch("c-1", value)
        assert replicas(answered(fast)) == value


def test_a_change_of_one_cluster_leaves_the_others_as_they_are(
    fast: Fast, reads: list[str]
) -> None:
    answered(fast)
    answered(fast, OTHER)
    reads.clear()
    patch("c-1", "4")
    assert answered(fast, OTHER).headers["x-fleet-revision"] == str(read_head().number)
    assert reads == []
    answered(fast)
    assert reads == ["c-1.example.com"]


def change_catalog() -> None:
    objects.object_patch(
        section="platform_components", id="podinfo", patch={"component_version": "7.0.0"}
    )


def test_a_change_of_the_catalog_is_seen_everywhere(fast: Fast) -> None:
    answered(fast)
    answered(fast, OTHER)
    change_catalog()
    for path in (PATH, OTHER):
        assert b'"component_version":"7.0.0"' in answered(fast, path).body


def test_the_catalog_is_read_again_only_when_it_has_changed(
    fast: Fast, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared_rows = Mock(side_effect=layers.shared_rows)
    monkeypatch.setattr("flux_api.lookup.shared_rows", shared_rows)
    answered(fast)
    shared_rows.reset_mock()
    patch("c-1", "4")
    assert (replicas(answered(fast)), shared_rows.call_count) == ("4", 0)
    objects.object_create(section="namespaces", document={"id": "unused"})
    patch("c-1", "5")
    assert (replicas(answered(fast)), shared_rows.call_count) == ("5", 1)


def test_a_revision_since_the_poll_came_in_has_its_own_catalog(
    fast: Fast, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered(fast)
    fast.path._cache.clusters.clear()

    def find_later(*arguments: Any) -> Any:
        """After a change that nobody has looked at yet."""
        change_catalog()
        return find(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr("tests.flux.fast.find", find_later)
        assert b'"component_version":"7.0.0"' in answered(fast).body


def test_after_a_change_to_most_clusters_nothing_is_kept(fast: Fast, reads: list[str]) -> None:
    """To read which they were would take longer than to start over."""
    for path in (PATH, OTHER):
        answered(fast, path)
    reads.clear()
    patch("c-1", "4")
    Revision.objects.filter(number=read_head().number).update(is_wide=True)
    for path in (PATH, OTHER):
        answered(fast, path)
    assert reads == ["c-1.example.com", "c-2.example.com"]


def test_a_cluster_that_takes_the_name_of_another_keeps_its_answers_to_itself(fast: Fast) -> None:
    """The token was checked with the name that its cluster had."""
    own = tokens.token_issue(id="own", kind="cluster", cluster="c-1").secret
    answered(fast, token=own)
    for cluster, name in (("c-1", "moved.example.com"), ("c-2", "c-1.example.com")):
        objects.object_patch(section="clusters", id=cluster, patch={"cluster_dns": name})
    answered(fast, PATH)
    assert fast.poll(PATH, own) is None


def test_what_does_not_concern_a_cluster_leaves_it_kept(fast: Fast, reads: list[str]) -> None:
    answered(fast)
    reads.clear()
    objects.object_create(section="namespaces", document={"id": "unused"})
    tokens.token_issue(id="unused", kind="reader")
    answered(fast)
    assert reads == []


def test_a_frozen_cluster_is_counted_as_frozen(fast: Fast, reads: list[str]) -> None:
    """Though it gets the same."""
    before = answered(fast).body
    clusters.cluster_freeze(cluster="c-1")
    reads.clear()
    assert answered(fast).body == before
    assert reads == ["c-1.example.com"]


def test_a_cluster_that_is_gone(fast: Fast) -> None:
    answered(fast)
    with change():
        models.Cluster.objects.filter(pk="c-1").delete()
    assert fast.poll(PATH) is None


def test_a_new_name(fast: Fast) -> None:
    answered(fast)
    objects.object_patch(section="clusters", id="c-1", patch={"cluster_dns": "new.example.com"})
    assert fast.poll(PATH) is None
    assert b"new.example.com" in answered(fast, "clusters/new.example.com/namespaces").body


@pytest.fixture
def secret(fast: Fast) -> str:
    return tokens.token_issue(id="own", kind="cluster", cluster="c-1").secret


def test_a_token_of_the_cluster(fast: Fast, secret: str) -> None:
    for _ in range(2):
        assert answered(fast, token=secret).status == 200
        answered(fast, OTHER)
        assert fast.poll(OTHER, secret) is None


@pytest.mark.parametrize(
    "end",
    [
        lambda: tokens.token_revoke(id="own"),
        lambda: tokens.token_rotate(id="own", grace=timedelta(0)),
        lambda: clusters.cluster_decommission(cluster="c-1"),
    ],
    ids=["revoked", "rotated", "cluster decommissioned"],
)
def test_a_token_is_asked_again_after_a_change(
    fast: Fast, secret: str, end: Callable[[], Any]
) -> None:
    answered(fast, token=secret)
    end()
    found = fast.poll(PATH, secret)
    assert found is None or found.body == b'{"inputs":[]}'


def test_a_token_that_is_revoked_during_a_poll_has_ended(
    fast: Fast, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered(fast, token=secret)
    fast.path._cache.clusters.clear()

    def find_later(*arguments: Any) -> Any:
        """After another poll has seen that the token is gone."""
        known = fast.path._heads.known
        tokens.token_revoke(id="own")
        changes = changes_between(known, read_head())
        assert changes is not None
        fast.path._cache.forget(changes)
        fast.path._heads.known = read_head()
        return find(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr("tests.flux.fast.find", find_later)
        assert fast.poll(PATH, secret) is None  # Though it was valid when the poll came in.
    assert fast.poll(PATH, secret) is None


def test_a_token_ends_with_its_time(fast: Fast, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = timezone.now() + timedelta(hours=1)
    own = tokens.token_issue(id="own", kind="cluster", cluster="c-1", expires_at=ends).secret
    answered(fast, token=own)
    monkeypatch.setattr("flux_api.answer_cache.time.time", lambda: ends.timestamp())
    monkeypatch.setattr("django.utils.timezone.now", lambda: ends)
    assert fast.poll(PATH, own) is None


def test_after_a_restore_nothing_is_kept(fast: Fast, reads: list[str]) -> None:
    """The same number, and another revision."""
    answered(fast)
    reads.clear()
    Revision.objects.filter(number=read_head().number).update(created_at=timezone.now())
    answered(fast)
    assert reads == ["c-1.example.com"]


def test_heads_that_do_not_follow_one_another(fast: Fast) -> None:
    """Of a replica that is behind, or of two behind one address."""
    before = read_head()
    patch("c-1", "4")
    after = read_head()
    assert changes_between(before, after) == ChangedSince(
        frozenset({"c-1"}), frozenset(), shared=False
    )
    assert changes_between(after, before) is None
    assert changes_between(NO_HEAD, after) is None
    assert changes_between(Head(after.number - MANY_REVISIONS - 1, "long ago"), after) is None
    assert changes_between(after, Head(after.number + 1, "not here yet")) is None


def test_after_a_migration_nothing_is_kept(fast: Fast, reads: list[str]) -> None:
    answered(fast)
    reads.clear()
    patch("c-2", "4")
    Revision.objects.filter(number=read_head().number).update(source="migration")
    answered(fast)
    assert reads == ["c-1.example.com"]


def test_no_more_clusters_are_kept_than_wanted(fast: Fast, reads: list[str], settings: Any) -> None:
    settings.KEPT_CLUSTERS = 1
    for path in (PATH, OTHER, OTHER, PATH):
        answered(fast, path)
    assert reads == ["c-1.example.com", "c-2.example.com", "c-1.example.com"]


@pytest.mark.parametrize(
    ("path", "token", "headers"),
    [
        ("clusters", READ, {}),
        ("clusters/c-1.example.com/secrets", READ, {}),
        ("clusters/c-1.example.com/namespaces/", READ, {}),
        ("clusters/nobody.example.com/namespaces", READ, {}),
        ("clusters/c-1.example.com%00/namespaces", READ, {}),
        ("clusters/c-1.example.com\x00/namespaces", READ, {}),
        (PATH, "wrong", {}),
        (PATH, "abcdefgh." + "a" * 32, {}),
        (PATH, "", {}),
        (PATH, READ, {"host": "elsewhere.example.com"}),
        (PATH, READ, {"host": ""}),
        (PATH, READ, {"accept": "text/html"}),
        (PATH, READ, {"accept": "application/json; indent=4"}),
        (PATH, READ, {"if-none-match": "*"}),
        (PATH, READ, {"if-match": '"x"'}),
    ],
)
def test_the_rest_is_for_django(fast: Fast, path: str, token: str, headers: dict[str, str]) -> None:
    assert fast.poll(path, token, **headers) is None
    assert fast.asked_django


def test_basic_authentication(fast: Fast) -> None:
    basic = base64.b64encode(f"flux:{READ}".encode()).decode()
    found = fast.poll(PATH, authorization=f"Basic {basic}")
    assert found is not None
    assert found.status == 200
