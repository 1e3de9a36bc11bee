"""Clusters that registered themselves and wait: a person approves or refuses them."""

import re
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from fleet.history.change import change
from fleet.models import Cluster, Enrolment, Revision, Token
from fleet.services.tokens import token_issue
from tests.admin.forms import go_on, told, url
from tests.admin.people import logged_in
from tests.factories import make_cluster

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_fleet")]

LIST = "/admin/fleet/cluster/"
WAITING = f"{LIST}?state__exact=waiting"


@pytest.fixture
def waiting() -> Cluster:
    with change():
        join = token_issue(id="join", kind="enrolment", environments=["dev"]).token
        cluster = make_cluster(id="oslo", state="waiting", labels={"region": "eu"})
        own = token_issue(id="oslo", kind="cluster", cluster="oslo").token
        Enrolment.objects.create(cluster=cluster, token=join, issued=own, created_at=timezone.now())
    return cluster


def approve_buttons(page: Any) -> list[str]:
    return re.findall(r'<button[^>]* formaction="([^"]*)"[^>]*>Approve<', page.text)


def state() -> str:
    return Cluster.objects.values_list("state", flat=True).get(pk="oslo")


def test_home_says_who_waits_and_leads_to_them(admin_client, waiting):
    page = admin_client.get("/admin/")
    [warning] = [item for item in page.context["warnings"] if "approved" in item.title]
    assert (warning.value, warning.title) == (1, "cluster waits to be approved")
    assert admin_client.get(warning.link).context["cl"].result_count == 1


def test_home_counts_them_only_where_there_are_any(admin_client):
    assert "Waiting" not in admin_client.get("/admin/").context["states"]
    make_cluster(id="oslo", state="waiting")
    context = admin_client.get("/admin/").context
    assert context["states"][0] == "Waiting"
    [dev] = [row for row in context["environments"] if row.title == "dev"]
    assert [number.value for number in dev.numbers] == [1, 1, 0, 0]


def test_the_list_says_who_came_by_which_token(admin_client, waiting):
    page = admin_client.get(WAITING)
    assert "region=eu" in page.text
    assert url(Token, "change", "join") in page.text
    assert approve_buttons(page) == [url(Cluster, "approve", "oslo")]


def test_a_file_of_the_list_has_no_buttons(admin_client, waiting):
    lines = admin_client.get(f"{LIST}export/?state__exact=waiting").getvalue().decode().splitlines()
    assert lines == ["ID,DNS name,environment,labels", "oslo,oslo.k8s.example.com,dev,region=eu"]


def test_one_click_on_the_list_approves(admin_client, waiting):
    [address] = approve_buttons(admin_client.get(WAITING))
    response = admin_client.post(address, {"_from_list": "1", "action": ""}, follow=True)
    assert state() == "active"
    assert response.redirect_chain == [(LIST, 302)]
    assert "oslo is now active." in told(response)
    assert Revision.objects.first().reason == "Approve cluster oslo"  # type: ignore[union-attr]


def test_it_leads_back_to_those_who_still_wait(admin_client, waiting):
    make_cluster(id="bergen", state="waiting")
    response = admin_client.post(url(Cluster, "approve", "oslo"), {"_from_list": "1"})
    assert response.headers["Location"] == WAITING


def test_what_a_person_should_know_is_shown_before(admin_client, waiting):
    """A warning, such as of a version that pins nothing."""
    cluster = Cluster.objects.get(pk="oslo")
    with change():
        cluster.components.create(component_id="podinfo", component_version="latest")
    response = admin_client.post(url(Cluster, "approve", "oslo"), {"_from_list": "1"})
    assert state() == "waiting"
    assert "pins nothing" in response.text
    go_on(admin_client, response)
    assert state() == "active"


def test_the_page_of_the_cluster_has_the_button_and_no_other_act(admin_client, waiting):
    page = admin_client.get(url(Cluster, "change", "oslo"))
    assert url(Cluster, "approve", "oslo") in page.text
    assert url(Cluster, "freeze", "oslo") not in page.text
    assert url(Cluster, "decommission", "oslo") not in page.text
    assert "Approve" in admin_client.get(url(Cluster, "approve", "oslo")).text


def test_its_other_pages_say_that_it_waits(admin_client, waiting):
    for page in ("effective", "flux"):
        response = admin_client.get(url(Cluster, page, "oslo"))
        assert "waits to be approved" in response.text


def test_many_are_approved_by_the_action_of_the_list(admin_client, waiting):
    make_cluster(id="bergen", state="waiting")
    data = {"action": "approve_chosen", "_selected_action": ["oslo", "bergen"], "_bulk": "1"}
    go_on(admin_client, admin_client.post(WAITING, data))
    assert not Cluster.objects.filter(state="waiting").exists()


def test_refusing_forgets_it(admin_client, waiting):
    page = admin_client.get(WAITING)
    address = url(Cluster, "delete", "oslo")
    assert f'href="{address}"' in page.text
    go_on(admin_client, admin_client.post(address, {"post": "yes"}))
    assert not Cluster.objects.filter(pk="oslo").exists()


def test_who_may_only_look_sees_no_buttons(waiting):
    page = logged_in("viewers").get(WAITING)
    assert page.context["cl"].result_count == 1
    assert approve_buttons(page) == []


def test_the_list_takes_as_many_queries_for_one_as_for_thirty(
    admin_client, waiting, django_assert_max_num_queries
):
    with change():
        for number in range(30):
            make_cluster(id=f"n-{number}", state="waiting")
    with django_assert_max_num_queries(20):
        admin_client.get(WAITING)


# Tokens


def test_an_enrolment_token_is_issued_with_what_it_gives(admin_client):
    form = {
        "id": "join",
        "kind": "enrolment",
        "environments": ["dev"],
        "labels": '{"tier": "gold"}',
        "profiles": ["p1"],
        "needs_approval": "on",
        "max_uses": "5",
    }
    page = admin_client.post("/admin/fleet/token/add/", form)
    assert 'id="secret"' in page.text
    shown = admin_client.get("/admin/fleet/token/join/change/").text
    for text in ("tier=gold", "p1", "0 of 5"):
        assert text in shown


def test_another_token_shows_nothing_of_enrolment(admin_client):
    token_issue(id="ci", kind="reader")
    assert "Enrolment" not in admin_client.get("/admin/fleet/token/ci/change/").text


def test_a_form_that_mixes_kinds_is_shown_again(admin_client):
    form = {"id": "ci", "kind": "reader", "max_uses": "5"}
    page = admin_client.post("/admin/fleet/token/add/", form)
    assert "can be given for an enrolment token only" in page.text


def test_the_command_issues_one_too(capsys):
    call_command(
        *("tokens", "issue", "join", "--kind", "enrolment", "--environment", "dev"),
        *("--label", "tier=gold", "--profile", "p1", "--needs-approval", "--max-uses", "5"),
    )
    token = Token.objects.get()
    assert (token.labels, token.profiles) == ({"tier": "gold"}, ["p1"])
    assert (token.needs_approval, token.max_uses) == (True, 5)
