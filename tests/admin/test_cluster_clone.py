from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from fleet.history.change import head_number
from fleet.models import Cluster, Component, Environment, OperatorLimit, ProfileCluster, Revision
from fleet.resources.showing import documents_of
from fleet.services.clusters import cluster_decommission, cluster_freeze
from tests.admin.forms import told, url
from tests.factories import patch, unset

pytestmark = pytest.mark.usefixtures("small_fleet")
CLONE = "/admin/fleet/cluster/c1/clone/"
NEW = {
    "id": "c2",
    "name": "second",
    "dns": "C2.example.com",
    "environment": "prod",
    "reason": "One more",
}


def settings_of(cluster: str) -> dict[str, Any]:
    [document] = documents_of("clusters", [cluster])
    own = {"id", "cluster_name", "cluster_dns", "environment", "state"}
    return {name: value for name, value in document.items() if name not in own}


@pytest.fixture
def rich(small_fleet) -> None:
    """c1 with everything that a cluster can have."""
    podinfo, cluster = Component.objects.get(id="podinfo"), Cluster.objects.get()
    cluster.node_count, cluster.vm_image, cluster.k0s_version = 3, "debian-13", "v1.33"
    cluster.save()
    cluster.components.update(enabled=False, component_version="2.0.0")
    unset(cluster, podinfo, "replicaCount")
    patch(cluster, podinfo, r"odd.a\.b", [1, "2", None, {"big": 1.5}])


def test_the_new_cluster_has_the_same_settings_in_one_revision(admin_client, admin_user, rich):
    before = head_number()
    response = admin_client.post(CLONE, NEW, follow=True)
    assert "c2 was made with the settings of c1." in told(response)
    assert response.redirect_chain[-1][0] == url(Cluster, "effective", "c2")
    assert head_number() == before + 1
    revision = Revision.objects.get(number=before + 1)
    assert (revision.actor, revision.source) == (admin_user.username, "admin")
    assert revision.reason == "One more"
    made = Cluster.objects.get(id="c2")
    assert (made.name, made.dns, made.environment_id) == ("second", "c2.example.com", "prod")
    assert settings_of("c2") == settings_of("c1")


@pytest.mark.parametrize("act", [cluster_freeze, cluster_decommission])
def test_the_new_cluster_is_active(admin_client, act):
    act(cluster="c1")
    admin_client.post(CLONE, NEW)
    assert Cluster.objects.get(id="c2").state == Cluster.State.ACTIVE


def test_the_lists_of_profiles_stay_as_they_are(admin_client):
    assert "It is not put on the list of p1" in " ".join(admin_client.get(CLONE).text.split())
    admin_client.post(CLONE, NEW)
    assert not ProfileCluster.objects.filter(cluster_id="c2").exists()


def test_the_form_is_filled_in(admin_client):
    form = admin_client.get(CLONE).context["form"]
    assert {name: form[name].value() for name in NEW} == {
        "id": "c1-copy",
        "name": "c1-copy",
        "dns": "c1-copy.k8s.example.com",
        "environment": "dev",
        "reason": "Clone c1",
    }


@pytest.mark.parametrize(
    ("fields", "field", "problem"),
    [
        ({"id": "c1"}, "id", "exists already"),
        ({"id": "No Name"}, "id", "DNS-1123"),
        ({"id": ""}, "id", "required"),
        ({"id": "x" * 64}, "id", "at most 63"),
        ({"id": "a\x00"}, "id", "ull"),
        ({"name": "No Name"}, "name", "DNS-1123"),
        ({"dns": "C1.k8s.example.com"}, "dns", "of cluster c1 already"),
        ({"dns": "no_name"}, "dns", "DNS name"),
        ({"environment": "moon"}, "environment", "available"),
        ({"reason": ""}, "reason", "required"),
    ],
)
def test_what_is_wrong_is_told_next_to_the_field(admin_client, fields, field, problem):
    before = head_number()
    response = admin_client.post(CLONE, NEW | fields)
    assert response.status_code == 200
    form = response.context["form"]
    assert list(form.errors) == [field]
    assert problem in str(form.errors[field])
    if "\x00" not in form.data[field]:
        assert form[field].value() == form.data[field]
    assert head_number() == before


def test_an_operator_of_other_environments_is_refused(client):
    user = User.objects.create_user("ada", is_staff=True)
    user.groups.set(Group.objects.filter(name="operators"))
    OperatorLimit.objects.create(user=user).environments.set(Environment.objects.filter(pk="dev"))
    client.force_login(user)
    response = client.post(CLONE, NEW)
    assert "you may change these environments only: dev" in response.text
    assert not Cluster.objects.filter(id="c2").exists()
    assert client.post(CLONE, NEW | {"environment": "dev"}).status_code == 302


def test_an_unknown_cluster_leads_home(admin_client):
    response = admin_client.post(url(Cluster, "clone", "nothing"), NEW, follow=True)
    assert "doesn’t exist" in response.text


def test_a_viewer_cannot_clone(viewer_client):
    assert viewer_client.get(CLONE).status_code == 403
    assert viewer_client.post(CLONE, NEW).status_code == 403
    assert CLONE not in viewer_client.get(url(Cluster, "effective", "c1")).text
