"""ETag, If-Match and If-None-Match: of two who edit one object, only one wins."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.api.conftest import Api
from tests.api.fleet import SECTIONS
from tests.services.fleets import nothing_changes

STALE = '"0123456789abcdef0123456789abcdef"'
WRITES = {
    "put": ("PUT", "/clusters/c-1", {"node_count": 9}),
    "patch": ("PATCH", "/clusters/c-1", {"node_count": 9}),
    "delete": ("DELETE", "/clusters/c-1", None),
    "freeze": ("POST", "/clusters/c-1/freeze", None),
    "restore": ("POST", "/clusters/c-1/restore", {"revision": 2}),
}
every_write = pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)


def etag(api: Api, path: str = "/clusters/c-1") -> str:
    return api.get(path).headers["ETag"]


@pytest.mark.parametrize("section", SECTIONS)
def test_an_etag_is_strong_and_by_content(api: Api, section: str) -> None:
    path = f"/{section}/{api.get(f'/{section}').json()[-1]['id']}"
    first = etag(api, path)
    assert first.startswith('"')
    assert len(first) == 34
    assert etag(api, path) == first


def test_an_etag_changes_with_the_content_and_comes_back_with_it(api: Api) -> None:
    first = etag(api)
    api.patch("/clusters/c-1", {"node_count": 9})
    second = etag(api)
    api.patch("/clusters/c-1", {"node_count": 3})
    assert second != first
    assert etag(api) == first


def test_an_etag_tells_types_apart(api: Api) -> None:
    api.patch("/clusters/c-1", {"values": {"podinfo": {"n": 1}}})
    first = etag(api)
    api.patch("/clusters/c-1", {"values": {"podinfo": {"n": True}}})
    assert etag(api) != first


@pytest.mark.parametrize("prefix", ["", "W/", f"{STALE}, "])
def test_what_the_client_has_is_not_sent_again(api: Api, prefix: str) -> None:
    first = etag(api)
    response = api.get("/clusters/c-1", If_None_Match=prefix + first)
    assert response.status_code == 304
    assert response.content == b""
    assert response.headers["ETag"] == first


def test_what_the_client_has_not_is_sent(api: Api) -> None:
    assert api.get("/clusters/c-1", If_None_Match=STALE).status_code == 200


def test_a_read_with_if_match(api: Api) -> None:
    assert api.get("/clusters/c-1", If_Match=etag(api)).status_code == 200
    response = api.get("/clusters/c-1", If_Match=STALE)
    assert response.status_code == 412
    assert response.json()["error"] == "precondition_failed"


@every_write
def test_a_write_to_what_was_read(api: Api, write: Any) -> None:
    method, path, body = write
    assert api(method, path, body, If_Match=etag(api)).status_code == 200


@every_write
@pytest.mark.parametrize("header", [STALE, f"{STALE}, {STALE}", "0123", "", 'W/"0123"'])
def test_a_write_to_what_has_changed(api: Api, write: Any, header: str) -> None:
    method, path, body = write
    with nothing_changes():
        response = api(method, path, body, If_Match=header)
    assert response.status_code == 412
    assert response.json() == {
        "error": "precondition_failed",
        "message": "It has changed since you read it. Read it again, then repeat your change.",
        "details": {},
    }


@every_write
def test_a_weak_etag_does_not_match_a_write(api: Api, write: Any) -> None:
    method, path, body = write
    with nothing_changes():
        assert api(method, path, body, If_Match=f"W/{etag(api)}").status_code == 412


@every_write
def test_any_version_will_do(api: Api, write: Any) -> None:
    method, path, body = write
    assert api(method, path, body, If_Match="*").status_code == 200


@every_write
def test_one_of_several_versions(api: Api, write: Any) -> None:
    method, path, body = write
    assert api(method, path, body, If_Match=f"{STALE}, {etag(api)}").status_code == 200


@every_write
@pytest.mark.parametrize("header", ["*", "same"])
def test_a_write_unless_it_is_there(api: Api, write: Any, header: str) -> None:
    method, path, body = write
    with nothing_changes():
        given = etag(api) if header == "same" else header
        assert api(method, path, body, If_None_Match=given).status_code == 412


def test_a_dry_run_looks_at_it_too(api: Api) -> None:
    patch = {"node_count": 9}
    assert api.patch("/clusters/c-1?dry_run=true", patch, If_Match=STALE).status_code == 412


def test_what_is_not_there_matches_nothing(api: Api) -> None:
    response = api.post("/clusters/nowhere/restore", {"revision": 1}, If_Match="*")
    assert response.status_code == 412


def test_the_second_of_two_writers_is_told(api: Api) -> None:
    read = etag(api)
    first = api.patch("/clusters/c-1", {"node_count": 9}, If_Match=read)
    second = api.patch("/clusters/c-1", {"node_count": 8}, If_Match=read)
    assert (first.status_code, second.status_code) == (200, 412)
    assert api.get("/clusters/c-1").json()["node_count"] == 9
    again = api.patch("/clusters/c-1", {"node_count": 8}, If_Match=first.headers["ETag"])
    assert again.status_code == 200


@pytest.mark.slow
def test_of_many_at_once_exactly_one_wins(server: Any) -> None:
    """Real requests to a real server with two processes of four threads each."""
    running = server(WEB_CONCURRENCY="2")
    path = f"{running.base_url}/clusters/demo-cluster-01"
    headers = {"Authorization": f"Bearer {running.write_token}"}
    for _ in range(3):
        read = httpx.get(path, headers=headers).headers["ETag"]

        def write(number: int, read: str = read) -> int:
            # Of one cluster each a label of its own: nothing but If-Match keeps them apart.
            patch = {"labels": {"writer": f"w{number}-{read[1:9]}"}}
            response = httpx.patch(
                path, json=patch, headers={**headers, "If-Match": read}, timeout=60
            )
            return response.status_code

        with ThreadPoolExecutor(8) as pool:
            statuses = sorted(pool.map(write, range(8)))
        assert statuses == [200] + [412] * 7
