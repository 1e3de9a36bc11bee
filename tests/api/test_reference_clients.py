"""Bodies as clients of the reference service send them."""

from typing import Any

import pytest

from tests.api.conftest import Api
from tests.api.fleet import LEAST
from tests.services.fleets import nothing_changes

CLUSTER: dict[str, Any] = {
    "_id": "ref",
    "cluster_name": "ref",
    "cluster_dns": "ref.example.com",
    "environment": "dev",
    "platform_components": [
        {"id": "podinfo", "enabled": True, "oci_tag": None, "component_path": None}
    ],
    "namespaces": [
        {"id": "apps", "labels": {"team": "web"}, "annotations": {"note": "é"}},
        {"id": "logs", "labels": {}, "annotations": None},
    ],
    "rolebindings": [
        {"id": "admins", "role": "cluster-admin"},
        {"id": "readers", "role": "view", "subjects": []},
    ],
    "patches": {"podinfo": {"replicaCount": "3", "ui.message": "a, b"}},
}


@pytest.mark.parametrize("section", LEAST)
def test_the_id_may_be_called_as_in_mongo(api: Api, section: str) -> None:
    body = {("_id" if key == "id" else key): value for key, value in LEAST[section].items()}
    response = api.post(f"/{section}", body)
    assert response.status_code == 201
    assert response.json()["id"] == "new"


def test_two_names_of_the_id_must_agree(api: Api) -> None:
    assert api.put("/namespaces/apps", {"id": "apps", "_id": "apps"}).status_code == 200
    response = api.put("/namespaces/apps", {"id": "apps", "_id": "other"})
    assert response.status_code == 400
    assert response.json()["details"] == {"_id": ["is 'other', but id is 'apps'"]}


def test_a_whole_cluster(api: Api) -> None:
    response = api.post("/clusters", CLUSTER)
    assert response.status_code == 201
    created = response.json()
    assert created["namespaces"] == [{"id": "apps"}, {"id": "logs"}]
    assert created["rolebindings"] == [{"id": "admins"}, {"id": "readers"}]
    assert created["patches"] == CLUSTER["patches"]
    assert created["platform_components"] == [
        {
            "id": "podinfo",
            "enabled": True,
            "oci_tag": None,
            "component_path": None,
            "component_version": None,
        }
    ]


# What a cluster says of a namespace or rolebinding that it is given, and is not so.
WRONG: list[tuple[str, dict[str, Any], dict[str, list[str]]]] = [
    (
        "namespaces",
        {"id": "apps", "labels": {"team": "other"}},
        {
            "namespaces[0].labels": [
                "is not that of the namespace 'apps', which is changed by itself"
            ]
        },
    ),
    (
        "namespaces",
        {"id": "logs", "annotations": {"a": "b"}},
        {
            "namespaces[0].annotations": [
                "is not that of the namespace 'logs', which is changed by itself"
            ]
        },
    ),
    (
        "rolebindings",
        {"id": "admins", "role": "view"},
        {
            "rolebindings[0].role": [
                "is not that of the role binding 'admins', which is changed by itself"
            ]
        },
    ),
    (
        "rolebindings",
        {"id": "admins", "subjects": [{"kind": "Group", "name": "ops"}]},
        {
            "rolebindings[0].subjects": [
                "is not that of the role binding 'admins', which is changed by itself"
            ]
        },
    ),
    (
        "namespaces",
        {"id": "apps", "labels": ["team"]},
        {"namespaces[0].labels": ["must be an object, not a list"]},
    ),
    (
        "namespaces",
        {"id": "apps", "lables": {}},
        {"namespaces[0].lables": ["is not a field here (did you mean labels?)"]},
    ),
    (
        "namespaces",
        {"id": "unknown", "labels": {}},
        {"namespaces[0].id": ["there is no namespace 'unknown' (allowed: apps, logs, spare)"]},
    ),
]


@pytest.mark.parametrize("path", ["/clusters/c-2", "/clusters?environment=prod", "/profiles/gold"])
@pytest.mark.parametrize(("field", "entry", "details"), WRONG, ids=lambda it: str(it)[:40])
def test_what_is_said_of_another_object_must_be_so(
    api: Api, path: str, field: str, entry: dict[str, Any], details: dict[str, list[str]]
) -> None:
    with nothing_changes():
        response = api.patch(path, {field: [entry]})
    assert response.status_code == 400
    assert response.json()["details"] == details


def test_subjects_may_be_repeated_with_or_without_their_group(api: Api) -> None:
    subjects = api.get("/rolebindings/admins").json()["subjects"]
    for subject in subjects:
        del subject["apiGroup"]
    entry = {"id": "admins", "subjects": subjects}
    assert api.patch("/clusters/c-2", {"rolebindings": [entry]}).status_code == 200


def test_other_lists_take_only_ids(api: Api) -> None:
    response = api.patch("/profiles/gold", {"clusters": [{"id": "c-1", "labels": {}}]})
    assert response.json()["details"] == {
        "clusters[0].labels": ["is not a field here (allowed: _id, id)"]
    }
