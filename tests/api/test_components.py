"""What only catalog components have: dependencies, a schema, and where they are used."""

import pytest

from tests.api.conftest import Api
from tests.services.fleets import nothing_changes

ATLEAST = {"type": "object", "properties": {"replicaCount": {"minimum": 3}}}


def test_dependencies_are_replaced_as_a_whole(api: Api) -> None:
    response = api.put("/platform_components/podinfo", {"depends_on": ["agent"]})
    assert response.json()["depends_on"] == ["agent"]


def test_dependencies_in_a_circle(api: Api) -> None:
    with nothing_changes():
        response = api.patch("/platform_components/traefik", {"depends_on": ["podinfo"]})
    assert response.status_code == 400
    assert response.json()["details"] == {
        "platform_components[podinfo].depends_on": ["forms a cycle: podinfo → traefik → podinfo"]
    }


def test_a_schema_that_a_cluster_does_not_meet(api: Api) -> None:
    api.patch("/clusters/c-3", {"patches": {"podinfo": {"replicaCount": "2"}}})
    with nothing_changes():
        response = api.put("/platform_components/podinfo", {"values_schema": ATLEAST})
    assert response.status_code == 400
    assert response.json()["details"] == {
        "values.podinfo": ["replicaCount: 2 is less than the minimum of 3 (on c-3)"]
    }


def test_a_value_that_does_not_meet_the_schema(api: Api) -> None:
    api.patch("/clusters/c-3", {"patches": {"podinfo": {"replicaCount": "3"}}})
    assert api.put("/platform_components/podinfo", {"values_schema": ATLEAST}).status_code == 200
    with nothing_changes():
        response = api.patch("/clusters/c-1", {"patches": {"podinfo": {"replicaCount": "1"}}})
    assert response.json()["details"] == {
        "values.podinfo": ["replicaCount: 1 is less than the minimum of 3 (on c-1)"]
    }


def test_a_schema_can_be_taken_away(api: Api) -> None:
    api.patch("/platform_components/spare", {"values_schema": {"type": "object"}})
    response = api.patch("/platform_components/spare", {"values_schema": None})
    assert response.json()["values_schema"] is None


@pytest.mark.parametrize(
    ("component", "used"),
    [
        (
            "podinfo",
            {"clusters": ["c-1", "c-3"], "profiles": ["gold"], "platform_components": []},
        ),
        (
            "traefik",
            {"clusters": [], "profiles": ["everywhere"], "platform_components": ["podinfo"]},
        ),
        ("spare", {"clusters": [], "profiles": [], "platform_components": []}),
    ],
)
def test_usage(api: Api, component: str, used: dict[str, list[str]]) -> None:
    response = api.get(f"/platform_components/{component}/usage")
    assert response.status_code == 200
    assert response.json() == used


def test_usage_of_what_is_not_there(api: Api) -> None:
    assert api.get("/platform_components/nowhere/usage").status_code == 404
