import pytest
from django.contrib.auth.models import Group, User

from fleet.history.change import change, head_number
from fleet.models import (
    Cluster,
    ClusterComponent,
    ClusterPatch,
    Component,
    Environment,
    OperatorLimit,
    Revision,
)
from tests.admin.forms import go_on, number_of, told, url
from tests.factories import assign, make_cluster

pytestmark = pytest.mark.usefixtures("small_fleet")


def color(text: str) -> int:
    with change() as done:
        ClusterPatch.objects.filter(key="ui.color").update(value=f'"{text}"')
    return number_of(done)


def value() -> str:
    return str(ClusterPatch.objects.get(key="ui.color").value)


def page_of(number: int) -> str:
    return url(Revision, "revert", str(number))


def test_the_plan_comes_first_and_changes_nothing(admin_client):
    number = color("blue")
    page = admin_client.get(page_of(number))
    assert "<strong>1 cluster</strong>" in page.text
    assert '<del class="fleet-old">blue</del>' in page.text
    assert '<ins class="fleet-new">red</ins>' in page.text
    assert head_number() == number
    assert value() == '"blue"'


def test_what_was_seen_is_done_with_a_reason(admin_client, admin_user):
    number = color("blue")
    answer = go_on(admin_client, admin_client.get(page_of(number)), _reason="it broke")
    assert f"Revision {number} was reverted." in told(admin_client.get(answer["Location"]))
    assert value() == '"red"'
    done = Revision.objects.latest("number")
    assert (done.reverts_id, done.reason, done.source) == (number, "it broke", "admin")
    assert done.actor == admin_user.username


def test_another_plan_than_the_one_seen_is_shown_anew(admin_client):
    number = color("blue")
    preview = admin_client.get(page_of(number))
    Cluster.objects.filter(pk="c1").update(state="decommissioned")
    before = head_number()
    answer = go_on(admin_client, preview)
    assert "The fleet has changed since you looked" in answer.text
    assert head_number() == before


def test_conflicts_are_listed_and_can_be_skipped(admin_client):
    with change() as done:
        ClusterPatch.objects.filter(key="ui.color").update(value='"blue"')
        Cluster.objects.filter(pk="c1").update(name="renamed")
    number = number_of(done)
    color("green")
    page = admin_client.get(page_of(number))
    assert "cluster patch c1 / podinfo / ui.color" in page.text
    assert "Skip what later changes touched" in page.text
    page = admin_client.get(page_of(number), {"skip_conflicts": "on"})
    go_on(admin_client, page)
    assert value() == '"green"'
    assert Cluster.objects.get(pk="c1").name == "c1"


def test_what_was_reverted_already_is_told_not_thrown(admin_client):
    number = color("blue")
    preview = admin_client.get(page_of(number))
    go_on(admin_client, preview)
    assert "was reverted by revision" in admin_client.get(page_of(number)).text
    assert "was reverted by revision" in go_on(admin_client, preview).text
    assert head_number() == number + 1


@pytest.fixture
def six(settings) -> int:
    """A revision that put podinfo on six clusters: to revert it takes that away."""
    settings.GUARD_CLUSTERS = 5
    clusters = [make_cluster(id=f"x{number}") for number in range(6)]
    with change() as done:
        for cluster in clusters:
            assign(cluster, Component.objects.get(id="podinfo"))
    return number_of(done)


@pytest.mark.parametrize(
    "answers", [{"_reason": "x"}, {"_sure": "on"}, {"_sure": "on", "_clusters": "5"}]
)
def test_to_take_away_from_many_needs_a_tick_and_the_number(admin_client, six, answers):
    page = admin_client.get(page_of(six))
    assert "Something is taken away from 6 clusters" in page.text
    assert go_on(admin_client, page, **answers).status_code == 200
    assert head_number() == six


def test_to_take_away_from_many_is_done_when_confirmed(admin_client, six):
    page = admin_client.get(page_of(six))
    assert go_on(admin_client, page, _sure="on", _clusters="6").status_code == 302
    assert ClusterComponent.objects.count() == 1


@pytest.fixture
def operator(client) -> User:
    user = User.objects.create_user("ada", is_staff=True)
    user.groups.set(Group.objects.filter(name="operators"))
    client.force_login(user)
    return user


def test_an_operator_may_revert(client, operator):
    number = color("blue")
    assert go_on(client, client.get(page_of(number))).status_code == 302
    assert Revision.objects.latest("number").actor == "ada"


def test_one_beyond_the_limit_of_a_person_is_told_not_thrown(client, operator):
    OperatorLimit.objects.create(user=operator).environments.set(
        Environment.objects.filter(pk="prod")
    )
    number = color("blue")
    page = client.get(page_of(number))
    assert page.status_code == 200
    assert "you may change these environments only: prod" in page.text


def test_a_viewer_may_not(client):
    viewer = User.objects.create_user("eve", is_staff=True)
    viewer.groups.set(Group.objects.filter(name="viewers"))
    client.force_login(viewer)
    number = color("blue")
    assert client.get(page_of(number)).status_code == 403
    assert client.post(page_of(number)).status_code == 403
    page = client.get(url(Revision, "change", str(number)))
    assert page.status_code == 200
    assert page_of(number) not in page.text
