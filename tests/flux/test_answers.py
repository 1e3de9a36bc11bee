"""The shapes and the states of the contract with Flux."""

import pytest
from django.db import connection

from fleet.desired_state.inputs import RESOURCES
from fleet.history.change import head_number
from fleet.models import Cluster
from fleet.services.clusters import cluster_decommission, cluster_freeze
from tests.assigning import patches_set
from tests.factories import make_cluster

CLUSTER = {"name": "c-1", "dns": "c-1.example.com", "environment": "dev"}


def test_a_component_has_every_field_of_the_contract(poll):
    podinfo = poll("clusters/c-1.example.com/platform-components").json()["inputs"][0]
    assert podinfo == {
        "id": "podinfo",
        "kind": "helm",
        "component_path": "podinfo",
        "component_version": "6.5.0",
        "cluster_env_enabled": False,
        "resolved_path": "podinfo",
        "depends_on": ["traefik"],
        "enabled": True,
        "patches": {"replicaCount": "3", "ui.color": "#2f855a"},
        "values": {"replicaCount": 3, "ui": {"color": "#2f855a"}},
        "source": {"oci_url": "https://podinfo.example", "oci_tag": "v1.0.0"},
        "values_json": "",
        "waits_for": [{"id": "traefik", "kind": "helm"}],
        "cluster": CLUSTER,
    }


def test_a_namespace_has_every_field_of_the_contract(poll):
    assert poll("clusters/c-1.example.com/namespaces").json()["inputs"] == [
        {
            "id": "apps",
            "labels": {"team": "web"},
            "annotations": {"note": "é"},
            "cluster": CLUSTER,
        }
    ]


def test_a_rolebinding_has_every_field_of_the_contract(poll):
    [admins] = poll("clusters/c-1.example.com/rolebindings").json()["inputs"]
    assert admins == {
        "id": "admins",
        "role": "cluster-admin",
        "subjects": [
            {"kind": "Group", "name": "ops", "apiGroup": "rbac.authorization.k8s.io"},
            {"kind": "ServiceAccount", "name": "ci", "apiGroup": "", "namespace": "apps"},
        ],
        "cluster": CLUSTER,
    }


def test_the_list_of_clusters_is_ordered_by_id(poll):
    inputs = poll("clusters").json()["inputs"]
    assert [item["id"] for item in inputs] == ["c-1", "c-2"]
    assert inputs[0] == {
        "id": "c-1",
        "cluster_name": "c-1",
        "cluster_dns": "c-1.example.com",
        "environment": "dev",
        "state": "active",
        "labels": {},
        "node_count": 0,
        "vm_image": "",
        "k0s_version": "",
    }


@pytest.mark.parametrize(
    "path", ["clusters", *(f"clusters/c-1.example.com/{resource}" for resource in RESOURCES)]
)
def test_no_field_is_null_which_flux_operator_cannot_read(poll, path):
    inputs = poll(path).json()["inputs"]
    assert inputs
    assert all(value is not None for item in inputs for value in item.values())


@pytest.fixture
def other_environments(fleet):
    make_cluster(id="c-qa", environment="qa")
    make_cluster(id="c-prod", environment="prod")


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("", ["c-1", "c-2", "c-prod", "c-qa"]),
        ("?environment=qa", ["c-qa"]),
        ("?environment=qa&environment=dev", ["c-1", "c-2", "c-qa"]),
        ("?environment=qa&environment=qa", ["c-qa"]),
        ("?environment=uat", []),
    ],
)
def test_the_list_of_clusters_by_environment(poll, other_environments, query, ids):
    inputs = poll(f"clusters{query}").json()["inputs"]
    assert [item["id"] for item in inputs] == ids


ALLOWED = " (allowed: dev, prod, qa, uat)"


@pytest.mark.parametrize(
    ("query", "name", "problem"),
    [
        ("environment=prd", "environment", "there is no environment 'prd' (did you mean prod?)"),
        ("environment=qa&environment=x", "environment", "there is no environment 'x'" + ALLOWED),
        ("environment=", "environment", "there is no environment ''" + ALLOWED),
        ("environment=%00", "environment", "there is no environment '\\x00'" + ALLOWED),
        ("environment=QA", "environment", "there is no environment 'QA'" + ALLOWED),
        ("enviroment=qa", "enviroment", "is not a parameter here (did you mean environment?)"),
        ("environment=qa&state=active", "state", "is not a parameter here (allowed: environment)"),
    ],
)
def test_a_mistake_in_the_query_is_an_error_and_not_a_shorter_list(poll, query, name, problem):
    response = poll(f"clusters?{query}")
    assert response.status_code == 400
    assert response.json()["error"] == "validation_error"
    assert response.json()["details"] == {name: [problem]}


def test_components_are_ordered_by_id(poll):
    inputs = poll("clusters/c-1.example.com/platform-components").json()["inputs"]
    assert [item["id"] for item in inputs] == ["podinfo", "traefik"]


def test_dns_names_match_without_regard_to_case(poll):
    lower = poll("clusters/c-1.example.com/namespaces")
    assert poll("clusters/C-1.Example.COM/namespaces").content == lower.content


def test_a_trailing_slash_makes_no_difference(poll):
    assert poll("clusters/c-1.example.com/namespaces/").status_code == 200


def test_a_frozen_cluster_keeps_its_bytes(poll):
    before = poll("clusters/c-1.example.com/platform-components").content
    cluster_freeze(cluster="c-1")
    patches_set(
        owner=Cluster.objects.get(pk="c-1"), component="podinfo", patches={"replicaCount": "9"}
    )
    assert poll("clusters/c-1.example.com/platform-components").content == before


@pytest.mark.parametrize("resource", ["platform-components", "namespaces", "rolebindings"])
def test_a_decommissioned_cluster_gets_an_empty_list(poll, resource):
    cluster_decommission(cluster="c-1")
    response = poll(f"clusters/c-1.example.com/{resource}")
    assert (response.status_code, response.content) == (200, b'{"inputs":[]}')


def test_a_decommissioned_cluster_stays_in_the_list_of_clusters(poll):
    cluster_decommission(cluster="c-1")
    assert poll("clusters").json()["inputs"][0]["state"] == "decommissioned"


def test_an_unknown_dns_name_is_not_found(poll):
    response = poll("clusters/nowhere.example.com/platform-components")
    assert response.status_code == 404
    assert response.json() == {
        "error": "not_found",
        "message": "No cluster has the DNS name 'nowhere.example.com'.",
        "details": {},
    }


def test_an_unknown_resource_type_is_not_found_and_names_those_there_are(poll):
    response = poll("clusters/c-1.example.com/secrets")
    assert response.status_code == 404
    assert "platform-components, namespaces, rolebindings" in response.json()["message"]


def test_a_frozen_cluster_without_its_answers_is_an_error_not_an_empty_list(poll):
    cluster_freeze(cluster="c-1")
    # Past all guards, as only a broken database could be.
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM fleet_frozenanswers")
    response = poll("clusters/c-1.example.com/platform-components")
    assert response.status_code == 500
    assert response.json()["error"] == "internal_error"


def test_an_answer_names_its_revision(poll):
    assert poll("clusters").headers["X-Fleet-Revision"] == str(head_number())
