"""Ctrl-K finds all objects by name, for those who may see them."""

import re

import pytest

from fleet.history.change import change, head_number
from fleet.services.tokens import token_issue
from tests.admin.forms import queries_of
from tests.admin.growing import grow
from tests.admin.people import logged_in
from tests.factories import make_cluster, make_component

pytestmark = pytest.mark.django_db


def find(client, term: str) -> list[str]:
    page = client.get("/admin/search/", {"s": term, "extended": "1"})
    assert page.status_code == 200
    return re.findall(r'href="([^"]*)"', page.text)


@pytest.mark.parametrize(
    ("term", "page"),
    [
        ("c1", "/admin/fleet/cluster/c1/change/"),
        ("c1.k8s.example", "/admin/fleet/cluster/c1/change/"),
        ("gold", "/admin/fleet/cluster/c1/change/"),
        ("PODINFO", "/admin/fleet/component/podinfo/change/"),
        ("p1", "/admin/fleet/profile/p1/change/"),
        ("apps", "/admin/fleet/namespace/apps/change/"),
        ("viewers", "/admin/fleet/rolebinding/viewers/change/"),
        ("prod", "/admin/fleet/environment/prod/change/"),
        ("robot", "/admin/fleet/token/robot/change/"),
        ("operators", "/admin/auth/group/"),
        ("revisions", "/admin/fleet/revision/"),
    ],
)
def test_finds(admin_client, small_fleet, term, page):
    token_issue(id="robot", kind="reader")
    assert any(link.startswith(page) for link in find(admin_client, term))


def test_finds_revisions_by_number_and_reason(admin_client):
    with change(reason="Move to Frankfurt"):
        make_cluster()
    page = f"/admin/fleet/revision/{head_number()}/change/"
    assert page in find(admin_client, "frankfurt")
    assert page in find(admin_client, str(head_number()))


def test_shows_only_what_a_person_may_see(small_fleet):
    assert find(logged_in("viewers"), "viewers") == ["/admin/fleet/rolebinding/viewers/change/"]
    assert find(logged_in(), "c1") == []


def test_the_nearest_name_comes_first(admin_client):
    with change():
        for name in ("my-redis", "redis-cache", "redis"):
            make_component(id=name)
    assert [link.split("/")[-3] for link in find(admin_client, "redis")] == [
        "redis",
        "redis-cache",
        "my-redis",
    ]


def test_many_matches_end_in_the_list(admin_client):
    with change():
        for number in range(10):
            make_cluster(id=f"edge-{number}")
    links = find(admin_client, "edge-")
    assert len(links) == 9
    assert links[-1] == "/admin/fleet/cluster/?q=edge-"


def test_what_is_new_is_found_at_once(admin_client):
    make_cluster(id="edge-1")
    find(admin_client, "edge")
    make_cluster(id="edge-2")
    assert len(find(admin_client, "edge")) == 2


@pytest.mark.parametrize("term", ["", "  ", "\x00", "100%", "'\"<b>", "x" * 5_000, "９", "-1"])
def test_takes_any_text(admin_client, small_fleet, term):
    find(admin_client, term)


def test_the_number_of_queries_is_fixed(admin_client):
    def queries() -> int:
        return queries_of(lambda: find(admin_client, "x"))

    grow(0, 1)
    queries()
    few = queries()
    grow(1, 50)
    assert queries() == few
    assert few <= 12
