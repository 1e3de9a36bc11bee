"""Who may do what: method, path and credential, and the status that they get."""

from base64 import b64encode
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from fleet.revisions import head_number
from tests.api.conftest import Api
from tests.api.fleet import LEAST, SECTIONS
from tests.services.fleets import nothing_changes

OBJECTS = {
    "environments": "lab",
    "namespaces": "spare",
    "rolebindings": "spare",
    "platform_components": "spare",
    "profiles": "gold",
    "clusters": "c-1",
}
READS = [
    *(("GET", f"/{section}") for section in SECTIONS),
    *(("GET", f"/{section}/{item}") for section, item in OBJECTS.items()),
    ("HEAD", "/clusters"),
    ("OPTIONS", "/clusters"),
    ("GET", "/clusters/c-1/effective"),
    ("GET", "/clusters/c-1/diff?from=2"),
    ("GET", "/clusters/c-1/revisions"),
    ("GET", "/platform_components/podinfo/usage"),
    ("GET", "/revisions"),
    ("GET", "/revisions/1"),
]
# With the body, and the status that it has for somebody who may.
WRITES: dict[tuple[str, str], tuple[Any, int]] = {
    **{("POST", f"/{section}"): (LEAST[section], 201) for section in SECTIONS},
    **{("PUT", f"/{section}/{item}"): ({}, 200) for section, item in OBJECTS.items()},
    **{("PATCH", f"/{section}/{item}"): ({}, 200) for section, item in OBJECTS.items()},
    ("PATCH", "/clusters?environment=prod"): ({}, 200),
    ("PATCH", "/clusters/c-1?dry_run=true"): ({}, 200),
    ("POST", "/clusters/c-1/restore"): ({"revision": 2}, 200),
    ("POST", "/clusters/c-1/freeze"): (None, 200),
    ("POST", "/clusters/c-1/unfreeze"): (None, 200),
    ("POST", "/revisions/1000/revert"): (None, 404),
    ("POST", "/batch"): ([{"method": "PATCH", "path": "/clusters/c-1", "body": {}}], 200),
    **{("DELETE", f"/{section}/{item}"): (None, 200) for section, item in OBJECTS.items()},
    ("POST", "/clusters/c-1/recommission"): (None, 200),
}


def basic(user: str, password: str) -> str:
    return f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"


# By credential: the header that it is sent in, and the status of reads and of writes.
TOKENS = {
    "none": ("", 401, 401),
    "wrong token": ("Bearer nonsense", 401, 401),
    "empty token": ("Bearer ", 401, 401),
    "a beginning of a token": ("Bearer test-write", 401, 401),
    "other scheme": ("Digest test-write-token", 401, 401),
    "no scheme": ("test-write-token", 401, 401),
    "wrong password": (basic("user", "nonsense"), 401, 401),
    "token as the user": (basic("test-write-token", ""), 401, 401),
    "not base64": ("Basic *", 401, 401),
    "reader": ("Bearer test-read-token", 200, 403),
    "reader by basic": (basic("anybody", "test-read-token"), 200, 403),
    "operator": ("Bearer test-write-token", 200, WRITES),
    "operator by basic": (basic("", "test-write-token"), 200, WRITES),
}
# People who are logged in to the admin.
PEOPLE = {
    "visitor": ({"is_staff": False}, 403, 403),
    "retired": ({"is_staff": True, "is_superuser": True, "is_active": False}, 401, 401),
    "staff": ({"is_staff": True}, 200, 403),
    "superuser": ({"is_staff": True, "is_superuser": True}, 200, WRITES),
}


@pytest.fixture(params=[*TOKENS, *PEOPLE])
def credential(request: Any) -> str:
    return request.param


@pytest.fixture
def asking(api: Api, credential: str, django_user_model: Any) -> Api:
    api.credential = ""
    if credential in TOKENS:
        api.credential = TOKENS[credential][0]
    else:
        api.client.force_login(django_user_model.objects.create(**PEOPLE[credential][0]))
    return api


def test_reads(asking: Api, credential: str) -> None:
    _, wanted, _ = (TOKENS | PEOPLE)[credential]
    statuses = {(method, path): asking(method, path).status_code for method, path in READS}
    assert statuses == dict.fromkeys(READS, wanted)


def test_writes(asking: Api, credential: str) -> None:
    _, _, wanted = (TOKENS | PEOPLE)[credential]
    before = head_number()
    statuses = {
        (method, path): asking(method, path, body).status_code
        for (method, path), (body, _) in WRITES.items()
    }
    if wanted is WRITES:
        assert statuses == {write: status for write, (_, status) in WRITES.items()}
    else:
        assert statuses == dict.fromkeys(WRITES, wanted)
        assert head_number() == before


def test_who_is_not_known_is_told_how_to_be(api: Api) -> None:
    response = api.get("/clusters", Authorization="")
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="flux-fleet"'
    assert response.json() == {
        "error": "unauthorized",
        "message": "Authentication credentials were not provided.",
        "details": {},
    }


def test_who_may_not_is_told_so(api: Api) -> None:
    response = api.delete("/clusters/c-1", Authorization="Bearer test-read-token")
    assert response.json() == {
        "error": "forbidden",
        "message": "This credential may not do this.",
        "details": {},
    }


def test_a_token_does_not_belong_into_the_address(api: Api) -> None:
    assert api.get("/clusters?token=test-read-token", Authorization="").status_code == 401


def test_a_person_with_the_permission(api: Api, django_user_model: Any) -> None:
    ada = django_user_model.objects.create(username="ada", is_staff=True)
    ada.user_permissions.add(Permission.objects.get(codename="change_cluster"))
    api.client.force_login(ada)
    response = api.patch("/clusters/c-1", {"node_count": 7}, Authorization="")
    assert response.status_code == 200


def test_another_site_cannot_write_with_a_session(api: Api, django_user_model: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(django_user_model.objects.create_superuser("ada"))
    with nothing_changes():
        response = Api(client, "").patch("/clusters/c-1", {"node_count": 7})
    assert response.status_code == 403
    assert response.json()["error"] == "forbidden"
