"""The exact wire shape of every kind of object: clients of the reference service rely on it."""

import json

import pytest

from tests.api.conftest import Api
from tests.api.shapes import SHAPES


@pytest.mark.parametrize("path", SHAPES)
def test_object(api: Api, path: str) -> None:
    response = api.get(path)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json"
    # As text: 1 is not true, and the order of fields is part of what people read.
    assert json.dumps(response.json()) == json.dumps(SHAPES[path])


@pytest.mark.parametrize("path", SHAPES)
def test_a_list_has_the_same_objects(api: Api, path: str) -> None:
    section = path.rpartition("/")[0]
    assert SHAPES[path] in api.get(section).json()


def test_an_explicit_list_of_clusters(api: Api) -> None:
    assert api.get("/profiles/picked").json()["clusters"] == ["c-3"]


def test_what_a_frozen_cluster_was_frozen_with_is_not_shown(api: Api) -> None:
    api.post("/clusters/c-1/freeze")
    assert api.get("/clusters/c-1").json() == {**SHAPES["/clusters/c-1"], "state": "frozen"}
