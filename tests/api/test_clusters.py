"""What only clusters have: states, and an end in two steps."""

import pytest

from fleet.models import Cluster
from tests.api.conftest import Api
from tests.api.shapes import SHAPES
from tests.services.fleets import nothing_changes

C1 = SHAPES["/clusters/c-1"]


def test_delete_decommissions(api: Api) -> None:
    response = api.delete("/clusters/c-1")
    assert response.status_code == 200
    assert response.json() == {**C1, "state": "decommissioned"}
    assert api.get("/clusters/c-1").json() == response.json()


def test_a_second_delete_purges(api: Api) -> None:
    api.delete("/clusters/c-1")
    response = api.delete("/clusters/c-1")
    assert response.status_code == 200
    assert response.json() == {**C1, "state": "decommissioned"}
    assert api.get("/clusters/c-1").status_code == 404
    assert not Cluster.objects.filter(pk="c-1").exists()


def test_a_third_delete_finds_nothing(api: Api) -> None:
    api.delete("/clusters/c-1")
    api.delete("/clusters/c-1")
    assert api.delete("/clusters/c-1").status_code == 404


def test_a_frozen_cluster_can_be_decommissioned(api: Api) -> None:
    api.post("/clusters/c-1/freeze")
    assert api.delete("/clusters/c-1").json()["state"] == "decommissioned"


def test_a_purged_cluster_leaves_the_lists_of_profiles(api: Api) -> None:
    api.delete("/clusters/c-3")
    api.delete("/clusters/c-3")
    assert api.get("/profiles/picked").json()["clusters"] == []


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_the_state_may_be_repeated_but_not_set(api: Api, method: str) -> None:
    assert api(method, "/clusters/c-1", {"state": "active"}).status_code == 200
    with nothing_changes():
        response = api(method, "/clusters/c-1", {"state": "frozen"})
    assert response.status_code == 400
    assert response.json()["details"] == {
        "state": ["changes by freeze, unfreeze, decommission and recommission"]
    }


def test_a_cluster_is_born_active(api: Api) -> None:
    document = {**C1, "id": "c-9", "cluster_dns": "c-9.example.com", "state": "frozen"}
    assert api.post("/clusters", document).status_code == 400
    assert api.post("/clusters", {**document, "state": "active"}).status_code == 201


def test_names_are_kept_in_lower_case_for_dns(api: Api) -> None:
    response = api.patch("/clusters/c-1", {"cluster_dns": "C-1.Example.COM"})
    assert response.json()["cluster_dns"] == "c-1.example.com"


def test_assignments_may_be_ids_or_objects(api: Api) -> None:
    response = api.put("/clusters/c-2", {"namespaces": ["logs", {"id": "apps"}]})
    assert response.json()["namespaces"] == [{"id": "apps"}, {"id": "logs"}]
