"""Lists are bare arrays; headers tell the rest."""

import re
from typing import Any

import pytest

from fleet.history.change import change
from fleet.models import Namespace
from tests.api.conftest import Api, ids
from tests.api.fleet import LEAST, SECTIONS

ORDERED = {
    "environments": ["dev", "qa", "uat", "prod", "lab"],
    "namespaces": ["apps", "logs", "spare"],
    "rolebindings": ["admins", "readers", "spare"],
    "platform_components": ["agent", "podinfo", "spare", "traefik"],
    "profiles": ["everywhere", "gold", "picked"],
    "clusters": ["c-1", "c-2", "c-3"],
}


def links(response: Any) -> dict[str, str]:
    return {
        relation: address.removeprefix("http://testserver")
        for address, relation in re.findall(r'<([^>]+)>; rel="(\w+)"', response.headers["Link"])
    }


@pytest.fixture
def many(api: Api) -> Api:
    """1,201 namespaces in all."""
    with change():
        Namespace.objects.bulk_create(Namespace(id=f"n-{number:04}") for number in range(1_198))
    return api


@pytest.mark.parametrize("section", SECTIONS)
def test_a_list(api: Api, section: str) -> None:
    response = api.get(f"/{section}")
    assert ids(response) == ORDERED[section]
    assert response.headers["X-Total-Count"] == str(len(ORDERED[section]))


@pytest.mark.parametrize("section", SECTIONS)
def test_a_page(api: Api, section: str) -> None:
    response = api.get(f"/{section}?limit=1&offset=1")
    assert ids(response) == ORDERED[section][1:2]
    assert response.headers["X-Total-Count"] == str(len(ORDERED[section]))


def test_a_page_has_a_hundred_unless_told(many: Api) -> None:
    response = many.get("/namespaces")
    assert len(response.json()) == 100
    assert response.headers["X-Total-Count"] == "1201"


def test_a_page_has_at_most_a_thousand(many: Api) -> None:
    assert len(many.get("/namespaces?limit=1000").json()) == 1_000
    assert many.get("/namespaces?limit=1001").status_code == 400


def test_following_next_sees_everything_once(many: Api) -> None:
    address, seen = "/namespaces?limit=500", []
    while address:
        response = many.get(address)
        seen += ids(response)
        address = links(response).get("next", "")
    assert seen == sorted(set(seen))
    assert len(seen) == 1_201


# By limit and offset of a list of three.
LINKS = {
    (2, 0): {"first": 0, "next": 2, "last": 2},
    (2, 2): {"first": 0, "prev": 0, "last": 2},
    (1, 1): {"first": 0, "prev": 0, "next": 2, "last": 2},
    (2, 1): {"first": 0, "prev": 0, "last": 2},
    (3, 0): {"first": 0, "last": 0},
    (2, 50): {"first": 0, "prev": 2, "last": 2},
}


@pytest.mark.parametrize(("limit", "offset"), LINKS)
def test_links(api: Api, limit: int, offset: int) -> None:
    assert links(api.get(f"/namespaces?limit={limit}&offset={offset}")) == {
        relation: f"/namespaces?limit={limit}&offset={start}"
        for relation, start in LINKS[limit, offset].items()
    }


def test_links_without_any_object(api: Api) -> None:
    response = api.get("/clusters?environment=qa")
    assert response.json() == []
    assert response.headers["X-Total-Count"] == "0"
    assert links(response) == {
        "first": "/clusters?environment=qa&limit=100&offset=0",
        "last": "/clusters?environment=qa&limit=100&offset=0",
    }


def test_links_keep_the_filters(api: Api) -> None:
    response = api.get("/clusters?label=tier:gold&label=region&ordering=-id&limit=1")
    assert links(response)["first"] == (
        "/clusters?label=tier%3Agold&label=region&ordering=-id&limit=1&offset=0"
    )


def test_pages_of_equal_objects_do_not_overlap(api: Api) -> None:
    """By id where all else is equal, in whatever order they were made."""
    for name in ("c-0", "b-9"):
        cluster = {"id": name, "cluster_dns": f"{name}.example.com"}
        assert api.post("/clusters", {**LEAST["clusters"], **cluster}).status_code == 201
    pages = [ids(api.get(f"/clusters?ordering=state&limit=1&offset={n}")) for n in range(5)]
    assert pages == [["b-9"], ["c-0"], ["c-1"], ["c-2"], ["c-3"]]


@pytest.mark.parametrize(
    ("query", "details"),
    [
        ("limit=0", {"limit": ["must be a whole number from 1 to 1000"]}),
        ("limit=-1", {"limit": ["must be a whole number from 1 to 1000"]}),
        ("limit=1001", {"limit": ["must be a whole number from 1 to 1000"]}),
        ("limit=ten", {"limit": ["must be a whole number from 1 to 1000"]}),
        ("limit=1.0", {"limit": ["must be a whole number from 1 to 1000"]}),
        ("limit=%D9%A1", {"limit": ["must be a whole number from 1 to 1000"]}),
        ("limit=", {"limit": ["must be a whole number from 1 to 1000"]}),
        ("offset=-1", {"offset": ["must be a whole number from 0 to 10000000"]}),
        ("offset=99999999999999999999", {"offset": ["must be a whole number from 0 to 10000000"]}),
        ("limit=1&limit=2", {"limit": ["is given more than once"]}),
    ],
)
@pytest.mark.parametrize("path", ["/namespaces", "/revisions"])
def test_bad_pages(api: Api, path: str, query: str, details: dict[str, list[str]]) -> None:
    response = api.get(f"{path}?{query}")
    assert response.status_code == 400
    assert response.json()["error"] == "validation_error"
    assert response.json()["details"] == details
