"""What only profiles have: whom they select."""

from typing import Any

import pytest

from tests.api.conftest import Api


@pytest.mark.parametrize(
    ("given", "shown"), [(["c-2", "c-1"], ["c-1", "c-2"]), ([], []), (None, None)]
)
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_no_list_of_clusters_is_not_an_empty_one(
    api: Api, method: str, given: Any, shown: Any
) -> None:
    response = api(method, "/profiles/picked", {"clusters": given})
    assert response.status_code == 200
    assert response.json()["clusters"] == shown


def test_an_empty_list_selects_nobody(api: Api) -> None:
    response = api.patch("/profiles/gold?dry_run=true", {"clusters": []})
    [group] = response.json()["groups"]
    assert group["clusters"] == ["c-2"]
    assert [change["action"] for change in group["changes"]] == ["removed"]


def test_a_profile_reaches_what_it_selects(api: Api) -> None:
    response = api.patch(
        "/profiles/gold?dry_run=true", {"environments": ["dev"], "labels": {"tier": "gold"}}
    )
    assert {group["clusters"][0] for group in response.json()["groups"]} == {"c-1", "c-2"}
