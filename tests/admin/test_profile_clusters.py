"""The clusters that a profile selects, while its form is edited."""

import pytest
from django.contrib.auth.models import Group, Permission, User

from fleet.history.change import change, head_number
from fleet.models import Profile, ProfileCluster
from tests.admin.forms import add_row, open_form, queries_of, url
from tests.factories import make_cluster, make_profile

pytestmark = pytest.mark.usefixtures("small_fleet")


@pytest.fixture
def clusters() -> None:
    """Beside c1, which is in dev and gold."""
    with change():
        make_cluster(id="d2", environment="dev", labels={"tier": "silver"})
        make_cluster(id="q1", environment="prod", labels={"tier": "gold"})


def selected(client, data: dict[str, str], profile: str = "") -> list[str]:
    answer = client.post(f"{url(Profile, 'selected')}?profile={profile}", data)
    assert answer.status_code == 200
    names = list(answer.context["names"])
    assert answer.context["count"] == len(names)
    return names


def test_a_new_profile_selects_every_cluster(admin_client, clusters):
    assert selected(admin_client, open_form(Profile)) == ["c1", "d2", "q1"]


def test_environments_are_alternatives(admin_client, clusters):
    data = open_form(Profile)
    add_row(data, "environments", environment="prod")
    assert selected(admin_client, data) == ["q1"]
    add_row(data, "environments", environment="dev")
    assert selected(admin_client, data) == ["c1", "d2", "q1"]


def test_labels_must_all_match(admin_client, clusters):
    data = open_form(Profile) | {"labels": '{"tier": "gold"}'}
    assert selected(admin_client, data) == ["c1", "q1"]
    add_row(data, "environments", environment="prod")
    assert selected(admin_client, data) == ["q1"]


def test_a_list_counts_once_the_box_is_ticked(admin_client, clusters):
    data = open_form(Profile)
    add_row(data, "clusters", cluster="d2")
    assert selected(admin_client, data) == ["c1", "d2", "q1"]
    assert selected(admin_client, data | {"lists_clusters": "on"}) == ["d2"]
    assert selected(admin_client, open_form(Profile) | {"lists_clusters": "on"}) == []


def test_a_row_that_goes_counts_no_longer(admin_client, clusters):
    data = open_form(Profile, "p1")
    assert selected(admin_client, data, "p1") == ["c1"]
    assert selected(admin_client, data | {"clusters-0-DELETE": "on"}, "p1") == []
    del data["lists_clusters"]
    assert selected(admin_client, data, "p1") == ["c1", "d2"]
    assert selected(admin_client, data | {"environments-0-DELETE": "on"}, "p1") == [
        "c1",
        "d2",
        "q1",
    ]


def test_rows_on_other_pages_of_the_form_count(admin_client):
    with change():
        listed = [make_cluster(id=f"x{number:02}") for number in range(40)]
        make_profile(id="long", clusters=listed)
    data = open_form(Profile, "long")
    assert int(data["clusters-TOTAL_FORMS"]) < 40
    assert len(selected(admin_client, data, "long")) == 40
    assert len(selected(admin_client, data | {"clusters-0-DELETE": "on"}, "long")) == 39


@pytest.mark.parametrize(
    ("labels", "problem"),
    [("{", "Enter a valid JSON"), ('{"tier": 1}', "must be text"), ('{"a b": "c"}', "a b")],
)
def test_wrong_labels_are_told(admin_client, labels, problem):
    answer = admin_client.post(url(Profile, "selected"), {"labels": labels})
    assert answer.status_code == 200
    assert problem in answer.text


@pytest.mark.parametrize(
    "data",
    [
        {"labels": "", "clusters-TOTAL_FORMS": "many"},
        {"labels": "", "environments-TOTAL_FORMS": "1", "environments-0-environment": "\x00"},
        {"labels": "", "clusters-TOTAL_FORMS": "999999999999"},
    ],
)
def test_nonsense_is_no_crash(admin_client, data):
    page = f"{url(Profile, 'selected')}?profile=%00"
    assert admin_client.post(page, data).status_code == 200


def test_only_the_first_names_are_shown(admin_client):
    with change():
        for number in range(60):
            make_cluster(id=f"x{number:02}")
    answer = admin_client.post(url(Profile, "selected"), {"labels": ""})
    assert "Selects 61 clusters" in answer.text
    assert "and 11 more" in answer.text
    assert "x48" in answer.text
    assert "x49" not in answer.text


def test_the_number_of_queries_is_fixed(admin_client):
    def count() -> int:
        return queries_of(lambda: admin_client.post(f"{url(Profile, 'selected')}?profile=p1"))

    few = count()
    with change():
        for number in range(50):
            cluster = make_cluster(id=f"x{number:02}")
            ProfileCluster.objects.create(profile_id="p1", cluster=cluster)
    assert count() == few
    assert few <= 8


def test_it_writes_nothing(admin_client):
    before = head_number()
    selected(admin_client, open_form(Profile, "p1") | {"labels": '{"a": "b"}'}, "p1")
    assert head_number() == before
    assert Profile.objects.get(pk="p1").labels == {}


def test_a_viewer_sees_what_the_saved_one_selects(client, clusters):
    viewer = User.objects.create_user("eve", is_staff=True)
    viewer.groups.set(Group.objects.filter(name="viewers"))
    client.force_login(viewer)
    assert selected(client, {}, "p1") == ["c1"]


def test_who_may_not_see_clusters_gets_no_names(client):
    user = User.objects.create_user("mallory", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename="view_profile"))
    client.force_login(user)
    assert client.post(url(Profile, "selected")).status_code == 403


def test_the_form_asks(admin_client):
    page = admin_client.get(url(Profile, "change", "p1")).text
    assert f'hx-post="{url(Profile, "selected")}?profile=p1"' in page
    assert "htmx.js" in page
