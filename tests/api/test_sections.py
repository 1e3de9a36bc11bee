"""What all six sections have in common: create, read, replace, patch, delete."""

from typing import Any

import pytest

from fleet.history.change import head_number
from tests.api.conftest import Api
from tests.api.fleet import CREATED, LEAST, SECTIONS
from tests.services.fleets import nothing_changes

every_section = pytest.mark.parametrize("section", SECTIONS)

# A field of each section, with what it is set to, and what then is there.
EDITS: dict[str, dict[str, Any]] = {
    "environments": {"rank": 7},
    "namespaces": {"labels": {"a": "b"}},
    "rolebindings": {"role": "edit"},
    "platform_components": {"oci_tag": "v9"},
    "profiles": {"weight": 7},
    "clusters": {"vm_image": "debian-12"},
}


@every_section
def test_post_creates(api: Api, section: str) -> None:
    response = api.post(f"/{section}", LEAST[section])
    assert response.status_code == 201
    assert response.json() == CREATED[section]
    assert api.get(f"/{section}/new").json() == CREATED[section]


@every_section
def test_post_tells_where_it_is_and_what_it_is(api: Api, section: str) -> None:
    response = api.post(f"/{section}", LEAST[section])
    read = api.get(f"/{section}/new")
    assert response.headers["Location"] == f"http://testserver/{section}/new"
    assert response.headers["ETag"] == read.headers["ETag"]
    assert response.headers["X-Fleet-Revision"] == str(head_number())


@every_section
def test_post_of_what_is_there_already(api: Api, section: str) -> None:
    api.post(f"/{section}", LEAST[section])
    with nothing_changes():
        response = api.post(f"/{section}", LEAST[section])
    assert response.status_code == 409
    assert response.json()["error"] == "conflict"
    assert response.json()["details"] == {"id": ["'new' exists already"]}


@every_section
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_field_is_changed_and_the_others_stay(api: Api, section: str, method: str) -> None:
    api.post(f"/{section}", LEAST[section])
    response = api(method, f"/{section}/new", EDITS[section])
    assert response.status_code == 200
    assert response.json() == {**CREATED[section], **EDITS[section]}
    assert api.get(f"/{section}/new").json() == response.json()


@every_section
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_change_answers_the_new_etag_and_the_revision(
    api: Api, section: str, method: str
) -> None:
    api.post(f"/{section}", LEAST[section])
    response = api(method, f"/{section}/new", EDITS[section])
    assert response.headers["ETag"] == api.get(f"/{section}/new").headers["ETag"]
    assert response.headers["X-Fleet-Revision"] == str(head_number())


@every_section
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_what_was_read_can_be_given_back(api: Api, section: str, method: str) -> None:
    [first, *_] = api.get(f"/{section}").json()
    with nothing_changes():
        response = api(method, f"/{section}/{first['id']}", first)
    assert response.status_code == 200
    assert response.json() == first


@every_section
def test_what_was_read_can_be_made_anew(api: Api, section: str) -> None:
    api.post(f"/{section}", {**LEAST[section], **EDITS[section]})
    read = api.get(f"/{section}/new").json()
    while api.get(f"/{section}/new").status_code == 200:
        api.delete(f"/{section}/new")
    assert api.post(f"/{section}", read).json() == read


@every_section
def test_the_body_may_repeat_the_id_but_not_change_it(api: Api, section: str) -> None:
    api.post(f"/{section}", LEAST[section])
    assert api.put(f"/{section}/new", {"id": "new", **EDITS[section]}).status_code == 200
    response = api.put(f"/{section}/new", {"id": "other"})
    assert response.status_code == 400
    assert response.json()["details"] == {"id": ["is 'other', but the address says 'new'"]}


@pytest.mark.parametrize("section", [name for name in SECTIONS if name != "clusters"])
def test_delete_answers_what_was_deleted(api: Api, section: str) -> None:
    api.post(f"/{section}", LEAST[section])
    response = api.delete(f"/{section}/new")
    assert response.status_code == 200
    assert response.json() == CREATED[section]
    assert response.headers["X-Fleet-Revision"] == str(head_number())
    assert api.get(f"/{section}/new").status_code == 404


IN_USE = {
    "/environments/prod": {"clusters": ["c-2", "c-3"], "profiles": ["gold"]},
    "/namespaces/apps": {"clusters": ["c-1"]},
    "/namespaces/logs": {"profiles": ["everywhere"]},
    "/rolebindings/admins": {"clusters": ["c-1"]},
    "/rolebindings/readers": {"profiles": ["everywhere"]},
    "/platform_components/podinfo": {"clusters": ["c-1", "c-3"], "profiles": ["gold"]},
    "/platform_components/traefik": {
        "profiles": ["everywhere"],
        "platform_components": ["podinfo"],
    },
}


@pytest.mark.parametrize("path", IN_USE)
def test_delete_of_what_is_in_use_says_where(api: Api, path: str) -> None:
    with nothing_changes():
        response = api.delete(path)
    assert response.status_code == 409
    assert response.json()["error"] == "conflict"
    assert response.json()["details"] == {"used_by": IN_USE[path]}


@every_section
@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_nothing_there(api: Api, section: str, method: str) -> None:
    body = None if method in {"GET", "DELETE"} else EDITS[section]
    with nothing_changes():
        response = api(method, f"/{section}/nowhere", body)
    assert response.status_code == 404
    assert response.json()["error"] == "not_found"


@every_section
def test_a_trailing_slash_works_too(api: Api, section: str) -> None:
    assert api.post(f"/{section}/", LEAST[section]).status_code == 201
    assert api.get(f"/{section}/").json() == api.get(f"/{section}").json()
    assert api.get(f"/{section}/new/").json() == api.get(f"/{section}/new").json()
    assert api.patch(f"/{section}/new/", EDITS[section]).status_code == 200
    assert api.delete(f"/{section}/new/").status_code == 200


@every_section
def test_head_answers_as_get_without_a_body(api: Api, section: str) -> None:
    for path in (f"/{section}", f"/{section}/{api.get(f'/{section}').json()[0]['id']}"):
        head, get = api("HEAD", path), api.get(path)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers.get("ETag") == get.headers.get("ETag")


def test_a_near_miss_is_named(api: Api) -> None:
    response = api.get("/platform_components/podinof")
    assert response.json()["message"] == "There is no component 'podinof' (did you mean podinfo?)."
