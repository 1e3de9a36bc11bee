"""`expect=<digest>`: only that plan goes ahead."""

import pytest

from fleet.history.change import head_number
from tests.api.conftest import Api

PATCH = {"component_version": "9.9.9"}


@pytest.fixture
def digest(api: Api) -> str:
    plan = api.patch("/platform_components/podinfo?dry_run=true", PATCH).json()
    found: str = plan["digest"]
    return found


def test_the_expected_plan_goes_ahead(api: Api, digest: str) -> None:
    response = api.patch(f"/platform_components/podinfo?expect={digest}", PATCH)
    assert response.status_code == 200
    assert response.json()["component_version"] == "9.9.9"


def test_another_plan_changes_nothing_and_is_told(api: Api, digest: str) -> None:
    api.patch("/clusters/c-3", {"platform_components": []})
    before = head_number()
    response = api.patch(f"/platform_components/podinfo?expect={digest}", PATCH)
    assert response.status_code == 409
    body = response.json()
    assert body["error"] == "plan_changed"
    assert body["details"]["digest"] == body["details"]["plan"]["digest"] != digest
    assert head_number() == before


def test_it_belongs_to_a_batch_and_not_to_an_operation_in_it(api: Api, digest: str) -> None:
    operation = {
        "method": "PATCH",
        "path": f"/platform_components/podinfo?expect={digest}",
        "body": PATCH,
    }
    assert api.post("/batch", [operation]).status_code == 400
    operation["path"] = "/platform_components/podinfo"
    assert api.post(f"/batch?expect={digest}", [operation]).status_code == 200
