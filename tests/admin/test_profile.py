import pytest

from fleet.history.change import change, head_number
from fleet.models import Component, Profile, ProfileCluster, ProfileComponent, Revision
from tests.admin.forms import add_patch, add_row, go_on, open_form, save, told, url
from tests.factories import assign, make_cluster, make_profile

pytestmark = pytest.mark.usefixtures("small_fleet")


@pytest.fixture
def wide_profile() -> None:
    """A profile that gives podinfo to more clusters than may lose it unconfirmed."""
    with change():
        for number in range(7):
            make_cluster(id=f"wide-{number}", environment="prod")
        assign(make_profile(id="wide", environments=["prod"]), Component.objects.get(id="podinfo"))


def test_adding_one_with_its_selector(admin_client):
    data = open_form(Profile)
    data |= {"id": "edge", "weight": "7", "labels": '{"tier": "edge"}', "lists_clusters": "on"}
    add_row(data, "environments", environment="prod")
    add_row(data, "clusters", cluster="c1")
    add_row(data, "components", component="podinfo", component_version="6.5.0")
    add_patch(data, "a", "null")
    add_row(data, "namespaces", namespace="apps")
    add_row(data, "rolebindings", rolebinding="viewers")
    before = head_number()
    assert save(admin_client, Profile, None, data).status_code == 302
    assert head_number() == before + 1
    listed = admin_client.get(url(Profile, "changelist"), {"q": "edge"})
    assert "prod and tier=edge and 1 listed clusters" in listed.text


def test_taking_things_from_many_clusters_needs_a_tick_and_their_number(admin_client, wide_profile):
    before = head_number()
    data = open_form(Profile, "wide") | {"components-0-DELETE": "on"}
    preview = save(admin_client, Profile, "wide", data)
    assert "Something is taken away from 7 clusters" in preview.text
    for said in ({"_sure": "on"}, {"_clusters": "7"}, {"_sure": "on", "_clusters": "8"}):
        preview = go_on(admin_client, preview, **said)
        assert "type the number of clusters" in preview.text
    assert ProfileComponent.objects.filter(profile_id="wide").exists()
    assert head_number() == before
    assert go_on(admin_client, preview, _sure="on", _clusters="7").status_code == 302
    assert not ProfileComponent.objects.filter(profile_id="wide").exists()


@pytest.mark.parametrize("page", ["delete", "changelist"])
def test_deleting_one_that_many_clusters_need_must_be_confirmed(admin_client, wide_profile, page):
    before = head_number()
    if page == "delete":
        response = admin_client.post(url(Profile, page, "wide"), {"post": "yes"}, follow=True)
    else:
        data = {"action": "delete_selected", "_selected_action": ["wide"], "post": "yes"}
        response = admin_client.post(url(Profile, page), data, follow=True)
    assert "away from 7 clusters" in response.text
    assert "uccessfully" not in told(response)
    assert Profile.objects.filter(id="wide").exists()
    assert head_number() == before
    go_on(admin_client, response, _sure="on", _clusters="7")
    assert not Profile.objects.filter(id="wide").exists()


def test_deleting_several_is_one_revision(admin_client):
    make_profile(id="p2")
    before = head_number()
    data = {"action": "delete_selected", "_selected_action": ["p1", "p2"], "post": "yes"}
    preview = admin_client.post(url(Profile, "changelist"), data)
    response = admin_client.get(go_on(admin_client, preview)["Location"])
    assert "Successfully deleted 2 profiles" in told(response)
    assert not Profile.objects.exists()
    assert head_number() == before + 1
    assert Revision.objects.latest("number").reason == "Delete several profiles"


def test_a_long_list_of_clusters_comes_in_pages(admin_client):
    with change():
        names = [f"x{number:02}" for number in range(60)]
        for name in names:
            ProfileCluster.objects.create(profile_id="p1", cluster=make_cluster(id=name))
    page = admin_client.get(url(Profile, "change", "p1"), {"clusters-page": "3"})
    formset = page.context["inline_admin_formsets"][1].formset
    assert [form.instance.cluster_id for form in formset.forms] == [*names[49:]]

    data = open_form(Profile, "p1")
    rows = {
        field.html_name: str(field.value())
        for form in (formset.management_form, *formset.forms)
        for field in form
        if field.value() is not None
    }
    data = {name: text for name, text in data.items() if not name.startswith("clusters-")} | rows
    data |= {"clusters-page": "3", "clusters-0-DELETE": "on"}
    assert save(admin_client, Profile, "p1", data).status_code == 302
    assert ProfileCluster.objects.count() == 60
    assert not ProfileCluster.objects.filter(cluster_id=names[49]).exists()
