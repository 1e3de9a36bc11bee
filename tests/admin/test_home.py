"""The home page: the fleet in numbers, each a link to the list that it counts."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from fleet.history.change import change
from fleet.models import FrozenAnswers, Revision, Token
from fleet.services.clusters import cluster_decommission, cluster_freeze
from fleet.services.tokens import token_issue
from tests.admin.forms import page_queries
from tests.admin.people import logged_in
from tests.factories import assign, make_cluster, make_component, make_fleet, make_profile

pytestmark = pytest.mark.django_db
HOME = "/admin/"
CENSUS = "/admin/census/"


@pytest.fixture(autouse=True)
def nothing_counted():
    cache.clear()


def links(page) -> list[str]:
    return [unescape(link) for link in re.findall(r'href="([^"]*)"', page.text)]


def rows_behind(client, link: str) -> int:
    return client.get(link).context["cl"].result_count


def numbers(page) -> list:
    """Every number of the page with its link."""
    context = page.context
    found = list(context.get("cards") or []) + list(context.get("warnings") or [])
    for row in [*(context.get("environments") or []), *(context.get("components") or [])]:
        found += row.numbers
    return found


@pytest.fixture
def mixed_fleet():
    """Of everything that the page counts at least one."""
    fleet = make_fleet(40)
    ids = [cluster.id for cluster in fleet.clusters]
    with change():
        lonely = make_component(depends_on=[fleet.components[1].id], component_version="2.0.0")
        for number, cluster in enumerate(fleet.clusters[:20]):
            pin = ["", "1.0.0", "latest", "3.0.0"][number // 4 % 4]
            assign(cluster, lonely, component_version=pin)
        make_profile(clusters=fleet.clusters[:3])
    cluster_freeze(cluster=ids[39])
    cluster_decommission(cluster=ids[38])
    token_issue(id="old", kind="reader")
    token_issue(id="ending", kind="reader", expires_at=timezone.now() + timedelta(days=3))
    token_issue(id="lasting", kind="reader", expires_at=timezone.now() + timedelta(days=90))
    with change():
        Token.objects.filter(pk="old").update(expires_at=timezone.now() - timedelta(days=1))
    thaw(ids[39])
    return fleet


def thaw(cluster: str) -> None:
    """Frozen three weeks ago."""
    froze = FrozenAnswers.history.filter(cluster_id=cluster).values("revision_id")
    Revision.objects.filter(pk__in=froze).update(created_at=timezone.now() - timedelta(days=21))


def test_every_number_is_what_its_list_shows(admin_client, mixed_fleet):
    admin_client.get(CENSUS)
    found = numbers(admin_client.get(HOME))
    assert {number.title: number.value for number in found if number.icon}["Clusters"] == 40
    assert {number.kind for number in found} >= {"current", "behind", "ahead", "other"}
    wrong = {
        number.link: (number.value, shown)
        for number in found
        if (shown := rows_behind(admin_client, number.link)) != number.value
    }
    assert not wrong


def test_the_warnings_that_want_a_person(admin_client, mixed_fleet):
    admin_client.get(CENSUS)
    context = admin_client.get(HOME).context
    titles = " | ".join(warning.title for warning in context["warnings"])
    assert "token has expired" in titles
    assert "token expires within 14 days" in titles
    assert "cluster frozen for more than 14 days" in titles
    assert "which is disabled" in titles
    assert "is “latest” in prod, which pins nothing" in titles
    assert "in dev" not in titles


def test_a_missing_dependency(admin_client):
    with change():
        make_component(id="traefik")
        assign(make_cluster(id="c1"), make_component(id="podinfo", depends_on=["traefik"]))
    [warning] = admin_client.get(CENSUS).context["warnings"]
    assert warning.title == "cluster: podinfo depends on traefik, which is missing"
    assert rows_behind(admin_client, warning.link) == 1


def test_freshly_frozen_is_no_warning(admin_client):
    make_cluster(id="c1")
    cluster_freeze(cluster="c1")
    assert admin_client.get(CENSUS).context["warnings"] == []


def test_what_takes_a_merge_is_loaded_later_and_then_kept(admin_client, small_fleet):
    page = admin_client.get(HOME)
    assert "Being counted" in page.text
    assert f'hx-get="{reverse("admin:census")}"' in page.text
    assert "podinfo" in admin_client.get(CENSUS).text
    again = admin_client.get(HOME)
    assert "Being counted" not in again.text
    assert [row.title for row in again.context["components"]] == ["podinfo", "traefik"]


def test_a_change_is_counted_anew(admin_client, small_fleet):
    admin_client.get(CENSUS)
    make_cluster(id="c2")
    assert "Being counted" in admin_client.get(HOME).text


def test_recent_changes_with_author_and_reason(admin_client):
    with change(reason="A new region"):
        assign(make_cluster(id="c1"), make_component())
    page = admin_client.get(HOME)
    newest = page.context["recent"][0]
    assert (newest.reason, newest.clusters) == ("A new region", 1)
    assert reverse("admin:fleet_revision_change", args=[newest.number]) in links(page)


def test_an_empty_fleet_leads_to_the_first_cluster(admin_client):
    page = admin_client.get(HOME)
    assert [step.done for step in page.context["steps"]] == [True, False, False, False]
    assert "/admin/fleet/cluster/add/" in links(page)
    assert "Being counted" not in page.text
    make_component()
    assert admin_client.get(HOME).context["steps"][1].done


def test_a_viewer_sees_no_button_that_they_may_not_use():
    viewer = logged_in("viewers")
    assert not [link for link in links(viewer.get(HOME)) if link.endswith("/add/")]
    make_cluster()
    assert not [link for link in links(viewer.get(HOME)) if link.endswith("/add/")]
    assert viewer.get(CENSUS).status_code == 200


def test_without_a_role_there_is_nothing_to_see(small_fleet):
    nobody = logged_in()
    page = nobody.get(HOME)
    assert "Your account has no role" in page.text
    assert not [link for link in links(page) if "/admin/fleet/" in link]
    assert nobody.get(CENSUS).status_code == 403


def test_the_number_of_queries_is_fixed(admin_client):
    def queries(page: str) -> int:
        return page_queries(admin_client, page)

    make_fleet(1)
    admin_client.get(HOME)
    few = queries(HOME), queries(CENSUS), queries(HOME)
    make_fleet(50)
    assert (queries(HOME), queries(CENSUS), queries(HOME)) == few
    assert max(few[0], few[2]) <= 12
    assert few[1] <= 28


def test_the_sidebar_shows_what_a_person_may_see(admin_client, small_fleet):
    def titles(client) -> list[str]:
        groups = client.get(HOME).context["sidebar_navigation"]
        return [item["title"] for group in groups for item in group["items"]]

    assert {"Clusters", "Users", "Tokens", "API documentation"} <= set(titles(admin_client))
    assert "Users" not in titles(logged_in("viewers"))
    assert titles(logged_in()) == ["Home", "API documentation"]
