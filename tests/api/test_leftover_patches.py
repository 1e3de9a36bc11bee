"""A component that is taken off its clusters and then deleted, as the reference service's CLI does:
values that are left over for it do not keep it."""

import pytest

from fleet import models
from tests.api.conftest import Api


@pytest.fixture(autouse=True)
def leftovers(api: Api) -> None:
    for layer in ("/clusters/c-1", "/profiles/gold"):
        api.patch(layer, {"patches": {"spare": {"size": "1"}}})


def test_they_go_with_it(api: Api) -> None:
    assert api.delete("/platform_components/spare").status_code == 200
    assert not models.ClusterPatch.objects.filter(component_id="spare").exists()
    assert not models.ProfilePatch.objects.filter(component_id="spare").exists()


def test_the_plan_says_so(api: Api) -> None:
    plan = api.delete("/platform_components/spare?dry_run=true").json()
    assert plan["rows"] == {"component": 1, "clusterpatch": 1, "profilepatch": 1}
    assert plan["warnings"] == [
        {"code": "leftover_values", "message": message, "clusters": clusters}
        for message, clusters in (
            ("values for spare, which is deleted, go too", ["c-1"]),
            ("values of profile gold for spare, which is deleted, go too", []),
        )
    ]


def test_an_undo_brings_them_back(api: Api) -> None:
    number = api.delete("/platform_components/spare").headers["X-Fleet-Revision"]
    assert api.post(f"/revisions/{number}/revert").status_code == 200
    assert api.get("/clusters/c-1").json()["patches"]["spare"] == {"size": "1"}


@pytest.mark.parametrize("layer", ["/clusters/c-2", "/profiles/picked"])
def test_what_is_assigned_anywhere_is_in_use_with_its_values(api: Api, layer: str) -> None:
    api.patch(layer, {"platform_components": ["spare"]})
    response = api.delete("/platform_components/spare")
    assert response.status_code == 409
    assert "c-1" in response.json()["details"]["used_by"]["clusters"]


def test_apply_with_prune_takes_them_too(api: Api) -> None:
    kept = [item for item in api.get("/platform_components").json() if item["id"] != "spare"]
    response = api.post("/apply?prune=true", {"components": kept})
    assert response.status_code == 200, response.content
    assert not models.ClusterPatch.objects.filter(component_id="spare").exists()
