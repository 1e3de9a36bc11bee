"""What a form would do is shown first, unless it concerns one cluster at most and takes nothing."""

import pytest

from fleet.history.change import change, head_number
from fleet.models import Cluster, Component, Namespace, Profile, Revision
from tests.admin.forms import go_on, is_preview, open_form, told, url
from tests.factories import assign, make_cluster

pytestmark = pytest.mark.usefixtures("small_fleet")


@pytest.fixture
def three_clusters() -> None:
    """podinfo on c1, c2 and c3."""
    with change():
        for name in ("c2", "c3"):
            assign(make_cluster(id=name), Component.objects.get(id="podinfo"))


def send(client, version: str, **said: str):
    data = open_form(Component, "podinfo") | {"component_version": version, **said}
    return client.post(url(Component, "change", "podinfo"), data)


def test_a_wide_change_is_shown_and_not_made(admin_client, three_clusters):
    before = head_number()
    response = send(admin_client, "9.9.9")
    assert is_preview(response)
    assert "<strong>3 clusters</strong>" in response.text
    assert '<ins class="fleet-new">9.9.9</ins>' in response.text
    assert "3 components changed" in response.text
    assert head_number() == before


def test_what_was_shown_is_applied_with_its_reason(admin_client, three_clusters):
    preview = send(admin_client, "9.9.9")
    response = go_on(admin_client, preview, _reason="the new release")
    assert response.status_code == 302
    assert Component.objects.get(id="podinfo").component_version == "9.9.9"
    revision = Revision.objects.latest("number")
    assert (revision.reason, revision.source) == ("the new release", "admin")


def test_without_a_reason_it_says_what_was_done(admin_client, three_clusters):
    go_on(admin_client, send(admin_client, "9.9.9"))
    assert Revision.objects.latest("number").reason == "Change component podinfo"


def test_the_message_leads_to_the_revision_and_to_its_undo(admin_client, three_clusters):
    page = admin_client.get(go_on(admin_client, send(admin_client, "9.9.9"))["Location"])
    assert f"/admin/fleet/revision/{head_number()}/change/" in told(page)
    assert f"/admin/fleet/revision/{head_number()}/revert/" in told(page)


def test_one_can_go_back_and_nothing_is_lost(admin_client, three_clusters):
    before = head_number()
    form = go_on(admin_client, send(admin_client, "9.9.9"), _edit="")
    assert form.status_code == 200
    assert 'value="9.9.9"' in form.text
    assert "Nothing was changed yet" in form.text
    assert head_number() == before


def test_a_change_of_one_cluster_is_made_at_once(admin_client):
    data = open_form(Cluster, "c1") | {"node_count": "7"}
    assert admin_client.post(url(Cluster, "change", "c1"), data).status_code == 302
    assert Cluster.objects.get(id="c1").node_count == 7


def test_what_concerns_no_cluster_is_made_at_once(admin_client):
    data = open_form(Namespace) | {"id": "quiet"}
    assert admin_client.post(url(Namespace, "add"), data).status_code == 302
    assert Namespace.objects.filter(id="quiet").exists()


def test_a_removal_from_one_cluster_is_shown(admin_client):
    data = open_form(Cluster, "c1") | {"components-0-DELETE": "on"}
    response = admin_client.post(url(Cluster, "change", "c1"), data)
    assert is_preview(response)
    assert "Something is taken away from 1 cluster<" in response.text
    assert go_on(admin_client, response).status_code == 302


def test_what_is_wrong_in_the_form_comes_first(admin_client, three_clusters):
    response = send(admin_client, "")
    assert not is_preview(response)
    assert "This field is required" in response.text


def test_if_the_fleet_has_changed_the_plan_is_shown_anew(admin_client, three_clusters):
    preview = send(admin_client, "9.9.9")
    assign(make_cluster(id="c4"), Component.objects.get(id="podinfo"))
    before = head_number()
    again = go_on(admin_client, preview)
    assert is_preview(again)
    assert "The fleet has changed since you looked" in again.text
    assert "<strong>4 clusters</strong>" in again.text
    assert head_number() == before
    assert go_on(admin_client, again).status_code == 302


def test_a_made_up_digest_changes_nothing(admin_client, three_clusters):
    before = head_number()
    response = send(admin_client, "9.9.9", _plan="0" * 32)
    assert is_preview(response)
    assert head_number() == before


def test_a_warning_is_shown_also_for_one_cluster(admin_client):
    data = open_form(Cluster, "c1") | {"components-0-component_version": "latest"}
    response = admin_client.post(url(Cluster, "change", "c1"), data)
    assert "which pins nothing" in response.text
    assert is_preview(response)


def test_a_long_plan_has_an_end(admin_client):
    with change():
        for number in range(60):
            make_cluster(id=f"many-{number:02}")
    data = open_form(Profile) | {"id": "wide"}
    data |= {"namespaces-TOTAL_FORMS": "1", "namespaces-0-namespace": "apps"}
    response = admin_client.post(url(Profile, "add"), data)
    assert "and 48 more" in response.text or "and 49 more" in response.text


def test_a_viewer_sees_no_preview(client, django_user_model):
    client.force_login(django_user_model.objects.create(username="eve", is_staff=True))
    assert send(client, "9.9.9").status_code == 403
