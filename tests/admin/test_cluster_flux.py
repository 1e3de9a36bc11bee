import json

import pytest

from fleet.desired_state.inputs import RESOURCES
from fleet.models import Cluster, Component
from fleet.services.clusters import cluster_decommission, cluster_freeze
from tests.admin.forms import url
from tests.factories import patch

pytestmark = pytest.mark.usefixtures("small_fleet")


def endpoints(client) -> dict:
    page = client.get(url(Cluster, "flux", "c1"))
    assert page.status_code == 200
    return {each.resource: each for each in page.context["endpoints"]}


@pytest.mark.parametrize("resource", RESOURCES)
@pytest.mark.parametrize("state", ["active", "frozen", "decommissioned"])
def test_it_shows_the_bytes_that_are_served(admin_client, resource, state):
    patch(Cluster.objects.get(), Component.objects.get(id="podinfo"), "title", '<é "quoted">\n')
    if state == "frozen":
        cluster_freeze(cluster="c1")
    elif state == "decommissioned":
        cluster_decommission(cluster="c1")
    served = admin_client.get(f"/api/v2/flux/clusters/c1.k8s.example.com/{resource}")
    assert served.headers["Content-Type"].startswith("application/json")
    shown = endpoints(admin_client)[resource]
    assert shown.body.encode() == served.content
    assert shown.size == len(served.content)
    assert shown.count == len(served.json()["inputs"])
    assert json.loads(shown.pretty) == served.json()


def test_the_limits_are_beside_the_numbers(admin_client):
    shown = endpoints(admin_client)["platform-components"]
    assert shown.items == "2 of 10,000 items"
    assert shown.kibibytes == f"{shown.size / 1024:.1f} KiB of 900 KiB"


def test_the_command_to_fetch_it(admin_client):
    shown = endpoints(admin_client)["namespaces"]
    address = "http://testserver/api/v2/flux/clusters/c1.k8s.example.com/namespaces"
    assert shown.curl == f'curl -H "Authorization: Bearer $TOKEN" {address}'
    assert admin_client.get(address).status_code == 200


def test_a_frozen_cluster_shows_what_it_was_frozen_with(admin_client):
    before = endpoints(admin_client)["platform-components"].body
    cluster_freeze(cluster="c1")
    patch(Cluster.objects.get(), Component.objects.get(id="podinfo"), "later", 1)
    page = admin_client.get(url(Cluster, "flux", "c1"))
    assert page.context["endpoints"][0].body == before
    assert "as they were when it was frozen" in page.text


def test_a_decommissioned_cluster_gets_empty_lists(admin_client):
    cluster_decommission(cluster="c1")
    assert {each.body for each in endpoints(admin_client).values()} == {'{"inputs":[]}'}


def test_a_value_cannot_leave_its_place_in_the_page(admin_client):
    component = Component.objects.get(id="podinfo")
    patch(Cluster.objects.get(), component, "title", "</textarea><script>alert(1)</script>")
    text = admin_client.get(url(Cluster, "flux", "c1")).text
    assert "<script>alert" not in text
    assert "&lt;/textarea&gt;" in text
