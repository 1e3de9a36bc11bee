from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from fleet.history.change import change, head_number
from fleet.models import (
    Cluster,
    ClusterPatch,
    Component,
    Environment,
    OperatorLimit,
    Profile,
    Revision,
)
from fleet.services.clusters import cluster_decommission, cluster_freeze
from tests.admin.forms import go_on, page_queries, told, url
from tests.factories import assign, make_component, patch

pytestmark = pytest.mark.usefixtures("small_fleet")
HISTORY = "/admin/fleet/cluster/c1/history/"
RESTORE = "/admin/fleet/cluster/c1/restore/"


def set_color(color: str, reason: str = "") -> int:
    with change(reason=reason):
        ClusterPatch.objects.update(value=f'"{color}"')
    return head_number()


def numbers(response: Any) -> list[int]:
    assert response.status_code == 200
    return [revision.number for revision in response.context["revisions"]]


def fields(response: Any) -> dict[tuple[str, str], tuple[str | None, str | None]]:
    assert response.status_code == 200
    return {
        (each.id, each.field): (each.old and each.old.value, each.new and each.new.value)
        for item in response.context["difference"]
        for each, _ in item.fields()
    }


def restore(client: Any, number: int, **said: str) -> Any:
    """Looks at the plan, and goes on."""
    answer = go_on(client, client.get(RESTORE, {"revision": number}), **said)
    return client.get(answer["Location"]) if answer.status_code == 302 else answer


def test_it_has_the_revisions_that_changed_what_the_cluster_gets(admin_client):
    made = head_number()
    own = set_color("blue", "Calmer")
    make_component(id="unused")
    with change(reason="More of it"):
        Component.objects.filter(id="podinfo").update(component_version="9.9.9")
    catalog = head_number()
    assign(Profile.objects.get(), Component.objects.get(id="unused"))
    response = admin_client.get(HISTORY)
    assert numbers(response) == [head_number(), catalog, own, made]
    revision = Revision.objects.get(number=own)
    assert f'<time datetime="{revision.created_at:%Y-%m-%dT%H:%M:%SZ}' in response.text
    assert "Calmer" in response.text
    assert f'href="{url(Revision, "change", str(own))}"' in response.text


def test_comparing_two_revisions(admin_client):
    old = head_number()
    set_color("green")
    new = set_color("blue")
    response = admin_client.get(HISTORY, {"from": old, "to": new})
    assert fields(response) == {("podinfo", "values.ui.color"): ('"red"', '"blue"')}
    [item] = response.context["difference"]
    assert item.action == "changed"
    assert "this cluster" in response.text
    back = admin_client.get(HISTORY, {"from": new, "to": old})
    assert fields(back) == {("podinfo", "values.ui.color"): ('"blue"', '"red"')}


def test_comparing_shows_what_comes_and_goes(admin_client):
    old = head_number()
    with change():
        Cluster.objects.get().components.all().delete()
        assign(Cluster.objects.get(), make_component(id="shop"))
    response = admin_client.get(HISTORY, {"from": old, "to": head_number()})
    actions = {item.id: item.action for item in response.context["difference"]}
    assert actions == {"podinfo": "removed", "shop": "added"}
    assert "card-removed" in response.text


def test_comparing_with_a_time_before_the_cluster(admin_client):
    response = admin_client.get(HISTORY, {"from": 1, "to": head_number()})
    assert {item.action for item in response.context["difference"]} == {"added"}


def test_comparing_what_is_the_same(admin_client):
    number = head_number()
    assert "got the same" in admin_client.get(HISTORY, {"from": number, "to": number}).text


def test_comparing_with_a_frozen_cluster(admin_client):
    old = head_number()
    cluster_freeze(cluster="c1")
    set_color("blue")
    response = admin_client.get(HISTORY, {"from": old, "to": head_number()})
    assert fields(response) == {}


@pytest.mark.parametrize(
    ("number", "problem"),
    [
        ("9999", "There is no revision 9999."),
        ("0", "There is no revision 0."),
        ("9" * 18, "There is no revision"),
        ("9" * 30, "is not the number of a revision"),
        ("-1", "is not the number of a revision"),
        ("<script>", "is not the number of a revision"),
        ("١", "is not the number of a revision"),
    ],
)
def test_a_wrong_number_is_told(admin_client, number, problem):
    response = admin_client.get(HISTORY, {"from": number, "to": "1"})
    assert problem in response.context["problem"]
    assert "<script>'" not in response.text
    assert problem in told(admin_client.get(RESTORE, {"revision": number}, follow=True))


@pytest.mark.parametrize("asked", [{"turn": "x"}, {"p": "-3"}, {"turn": "99"}, {"from": "1"}])
def test_an_odd_address_shows_the_list(admin_client, asked):
    assert numbers(admin_client.get(HISTORY, asked))


def test_turning_the_page_keeps_the_choice(admin_client):
    for number in range(30):
        set_color(f"c{number}")
    newest = head_number()
    response = admin_client.get(HISTORY, {"turn": "2", "from": newest - 1, "to": newest})
    assert len(numbers(response)) == 6
    assert response.context["elsewhere"] == [str(newest - 1), str(newest)]
    assert "difference" not in response.context
    assert f'name="to" value="{newest}" aria-label="To {newest}" checked' in response.text


def test_a_cluster_that_nothing_has_changed(admin_client):
    with change():
        Cluster.objects.create(id="bare", name="bare", dns="bare", environment_id="prod")
    response = admin_client.get(url(Cluster, "history", "bare"))
    assert response.status_code == 200


def test_the_number_of_queries_is_fixed(admin_client):
    def queries(**asked: int) -> int:
        return page_queries(admin_client, HISTORY, asked)

    first = head_number()
    second = set_color("blue")
    queries()
    few = queries(), queries(**{"from": first, "to": second})
    with change():
        for number in range(20):
            component = make_component(id=f"x{number}")
            assign(Cluster.objects.get(), component)
            patch(Cluster.objects.get(), component, "size", number)
    for number in range(20):
        set_color(f"c{number}")
    assert (queries(), queries(**{"from": first, "to": head_number()})) == few
    assert few[0] <= 8
    assert few[1] <= 50


def test_restoring_shows_the_plan_first(admin_client):
    old, new = head_number(), set_color("blue")
    response = admin_client.get(RESTORE, {"revision": old})
    [group] = response.context["plan"].groups
    assert group.clusters.shown == ("c1",)
    assert '<del class="fleet-old">blue</del>' in response.text
    assert '<ins class="fleet-new">red</ins>' in response.text
    assert head_number() == new


def test_restoring_is_one_revision_with_its_reason(admin_client, admin_user):
    old, new = head_number(), set_color("blue")
    response = restore(admin_client, old, _reason="It was better")
    assert f"c1 is as it was at revision {old}." in told(response)
    assert ClusterPatch.objects.get().value == '"red"'
    assert head_number() == new + 1
    revision = Revision.objects.get(number=new + 1)
    assert (revision.actor, revision.source) == (admin_user.username, "admin")
    assert revision.reason == "It was better"


def test_restoring_brings_back_the_state(admin_client):
    old = head_number()
    cluster_decommission(cluster="c1")
    restore(admin_client, old)
    assert Cluster.objects.get().state == Cluster.State.ACTIVE


def test_restoring_what_is_already_so(admin_client):
    number = head_number()
    response = admin_client.get(RESTORE, {"revision": number}, follow=True)
    assert "There is nothing to change" in told(response)
    assert head_number() == number


def test_a_plan_that_no_longer_holds_is_shown_anew(admin_client):
    old = head_number()
    set_color("blue")
    preview = admin_client.get(RESTORE, {"revision": old})
    newest = set_color("green")
    again = go_on(admin_client, preview)
    assert "The fleet has changed since you looked" in again.text
    assert head_number() == newest


def test_what_was_removed_since_is_a_refusal_and_no_crash(admin_client):
    shop = make_component(id="shop")
    row = assign(Cluster.objects.get(), shop)
    old = head_number()
    row.delete()
    shop.delete()
    response = admin_client.get(RESTORE, {"revision": old}, follow=True)
    assert "no longer there" in told(response)


def test_a_cluster_that_was_not_there_yet(admin_client):
    assert "There was no cluster" in told(admin_client.get(RESTORE, {"revision": "1"}, follow=True))


def test_taking_away_beyond_the_guard_needs_a_tick_and_the_number(admin_client, settings):
    old = head_number()
    assign(Cluster.objects.get(), make_component(id="shop"))
    settings.GUARD_CLUSTERS = 0
    newest = head_number()
    wrong = restore(admin_client, old, _sure="on", _clusters="2")
    assert "type the number of clusters" in wrong.text
    assert head_number() == newest
    restore(admin_client, old, _sure="on", _clusters="1")
    assert head_number() == newest + 1
    assert not Cluster.objects.get().components.filter(component_id="shop").exists()


def test_an_operator_of_other_environments_is_refused(client):
    old = head_number()
    newest = set_color("blue")
    user = User.objects.create_user("ada", is_staff=True)
    user.groups.set(Group.objects.filter(name="operators"))
    limit = OperatorLimit.objects.create(user=user)
    limit.environments.set(Environment.objects.filter(pk="prod"))
    client.force_login(user)
    response = client.get(RESTORE, {"revision": old}, follow=True)
    assert "you may change these environments only: prod" in told(response)
    assert head_number() == newest


def test_a_viewer_sees_the_history_and_cannot_restore(viewer_client):
    old, new = head_number(), set_color("blue")
    page = viewer_client.get(HISTORY, {"from": old, "to": new})
    assert fields(page)
    assert "Restore" not in page.text
    assert viewer_client.get(RESTORE, {"revision": old}).status_code == 403
    assert viewer_client.post(RESTORE, {"revision": old}).status_code == 403
