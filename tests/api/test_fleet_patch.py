"""PATCH /clusters: the same merge patch on every cluster that matches, as one revision."""

from typing import Any

import pytest

from fleet.history.change import head_number
from tests.api.conftest import Api, ids
from tests.api.filters import FOUND
from tests.services.fleets import nothing_changes

CLUSTER_FILTERS = [
    address.partition("?")[2]
    for address in FOUND
    if address.startswith("/clusters?") and "ordering=" not in address
]


def test_what_it_answers(api: Api) -> None:
    api.patch("/clusters/c-2", {"node_count": 7})
    head = head_number()
    response = api.patch("/clusters?environment=prod", {"node_count": 7})
    assert response.status_code == 200
    assert response.json() == {"matched": 2, "changed": 1, "clusters": ["c-3"]}
    assert response.headers["X-Fleet-Revision"] == str(head + 1)


def test_it_is_one_revision(api: Api) -> None:
    api.patch("/clusters?environment=prod", {"node_count": 7}, X_Change_Reason="seven each")
    revision = api.get(f"/revisions/{head_number()}").json()
    assert [change["object"] for change in revision["changes"]] == [{"id": "c-2"}, {"id": "c-3"}]
    assert revision["reason"] == "seven each"


def test_the_others_stay(api: Api) -> None:
    before = api.get("/clusters/c-1").json()
    api.patch("/clusters?environment=prod", {"node_count": 7})
    assert api.get("/clusters/c-1").json() == before


def test_merge_patch_on_each_as_it_is(api: Api) -> None:
    api.patch("/clusters?all=true", {"patches": {"podinfo": {"replicaCount": None, "a": "1"}}})
    values = {item["id"]: item["values"]["podinfo"] for item in api.get("/clusters").json()}
    assert values == {
        "c-1": {"a": 1, "hosts": ["a", "b"], "port": "9898", "ui": {"color": "#2f855a"}},
        "c-2": {"a": 1},
        "c-3": {"a": 1},
    }


def test_a_change_of_type_alone_counts(api: Api) -> None:
    api.patch("/clusters?id=c-1", {"values": {"podinfo": {"n": 1}}})
    response = api.patch("/clusters?id=c-1", {"values": {"podinfo": {"n": True}}})
    assert response.json()["changed"] == 1


def test_nothing_to_change_is_no_revision(api: Api) -> None:
    with nothing_changes():
        response = api.patch("/clusters?id=c-1", {"node_count": 3})
    assert response.json() == {"matched": 1, "changed": 0, "clusters": []}
    assert response.headers["X-Fleet-Revision"] == str(head_number())


def test_nothing_that_matches(api: Api) -> None:
    with nothing_changes():
        response = api.patch("/clusters?environment=qa", {"node_count": 3})
    assert response.json() == {"matched": 0, "changed": 0, "clusters": []}


@pytest.mark.parametrize("query", CLUSTER_FILTERS)
def test_every_filter_of_the_list(api: Api, query: str) -> None:
    wanted = ids(api.get(f"/clusters?{query}"))
    response = api.patch(f"/clusters?{query}", {"labels": {"patched": "yes"}})
    assert response.json() == {"matched": len(wanted), "changed": len(wanted), "clusters": wanted}
    assert ids(api.get("/clusters?label=patched:yes")) == wanted


def test_all_of_them_must_be_meant(api: Api) -> None:
    with nothing_changes():
        response = api.patch("/clusters", {"node_count": 7})
    assert response.status_code == 400
    assert response.json()["details"] == {
        "all": ["is needed to change every cluster; or give a filter, such as environment"]
    }
    assert api.patch("/clusters?all=true", {"node_count": 7}).json()["matched"] == 3


# None of these may be taken for "all", and none may be passed over.
@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("all=false", "all"),
        ("all=yes", "all"),
        ("ordering=id", "all"),
        ("dry_run=true", "all"),
        ("environment=", "environment"),
        ("environment=%20", "environment"),
        ("search=", "search"),
        ("label=", "label"),
        ("label=tier:gold&label=", "label"),
        ("all=true&enviroment=dev", "enviroment"),
        ("environment=prod&limit=1", "limit"),
        ("environment=prod&offset=1", "offset"),
        ("environment=prod&dry_rum=true", "dry_rum"),
        ("environment=prod&dry_run=yes", "dry_run"),
        ("environment=prod&environment=dev", "environment"),
    ],
)
def test_queries_that_are_refused(api: Api, query: str, field: str) -> None:
    with nothing_changes():
        response = api.patch(f"/clusters?{query}", {"node_count": 7})
    assert response.status_code == 400
    assert list(response.json()["details"]) == [field]


@pytest.mark.parametrize("name", ["id", "_id", "cluster_dns", "cluster_name", "state"])
def test_what_cannot_be_the_same_for_many(api: Api, name: str) -> None:
    with nothing_changes():
        response = api.patch("/clusters?environment=prod", {name: "x"})
    assert response.status_code == 400
    assert response.json()["details"] == {name: ["cannot be the same for many clusters"]}


@pytest.mark.parametrize(
    ("patch", "details"),
    [
        (
            {"patches": {"podinof": {"a": "1"}}},
            {"patches.podinof": ["there is no component 'podinof' (did you mean podinfo?)"]},
        ),
        ({"node_count": "x"}, {"node_count": ["must be a whole number, not 'x'"]}),
        # Right for two of the three.
        (
            {"patches": {"podinfo": {"ui.color.red": "1"}}},
            {
                "clusters[c-1].patches.podinfo.ui.color.red": [
                    "leads through ui.color, which has a value of its own; keep one of the two"
                ]
            },
        ),
    ],
)
def test_all_or_none(api: Api, patch: Any, details: dict[str, list[str]]) -> None:
    with nothing_changes():
        response = api.patch("/clusters?all=true", patch)
    assert response.status_code == 400
    assert response.json()["details"] == details


def test_the_guard(api: Api, settings: Any) -> None:
    settings.GUARD_CLUSTERS = 1
    patch: dict[str, Any] = {"platform_components": []}
    with nothing_changes():
        refusal = api.patch("/clusters?all=true", patch)
    assert refusal.status_code == 409
    assert refusal.json()["error"] == "confirmation_required"
    assert refusal.json()["details"]["plan"]["totals"]["removing_clusters"] == 2
    digest = refusal.json()["details"]["digest"]
    response = api.patch(f"/clusters?all=true&confirm={digest}", patch)
    assert response.status_code == 200
    assert response.json()["changed"] == 2


def test_dry_run(api: Api) -> None:
    with nothing_changes():
        response = api.patch(
            "/clusters?environment=prod&dry_run=true", {"patches": {"podinfo": {"a": "1"}}}
        )
    assert response.status_code == 200
    # c-2 does not have podinfo: it gets nothing else than before.
    assert response.json()["totals"]["clusters"] == 1
    assert response.json()["rows"] == {"clusterpatch": 2}
