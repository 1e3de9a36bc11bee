"""How those are told who may not; the table of who may what is in tests/identity."""

from base64 import b64encode
from typing import Any

import pytest
from django.test import Client

from tests.api.conftest import Api
from tests.services.fleets import nothing_changes


def basic(user: str, password: str) -> str:
    return f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ("", 401),
        ("Bearer ", 401),
        ("Bearer test-write", 401),
        ("Digest test-write-token", 401),
        ("test-write-token", 401),
        (basic("user", "nonsense"), 401),
        (basic("test-write-token", ""), 401),
        ("Basic *", 401),
        (basic("anybody", "test-read-token"), 200),
        (basic("", "test-write-token"), 200),
        ("bearer test-read-token", 200),
    ],
)
def test_how_a_token_is_sent(api: Api, header: str, status: int) -> None:
    assert api.get("/clusters", Authorization=header).status_code == status


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


@pytest.mark.parametrize(
    ("person", "status"),
    [
        ({"is_staff": False}, 403),
        ({"is_staff": True, "is_superuser": True, "is_active": False}, 401),
        ({"is_staff": True}, 403),
        ({"is_staff": True, "is_superuser": True}, 200),
    ],
)
def test_who_is_logged_in(api: Api, django_user_model: Any, person: Any, status: int) -> None:
    api.client.force_login(django_user_model.objects.create(**person))
    assert api.get("/clusters", Authorization="").status_code == status


def test_another_site_cannot_write_with_a_session(api: Api, django_user_model: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(django_user_model.objects.create_superuser("ada"))
    with nothing_changes():
        response = Api(client, "").patch("/clusters/c-1", {"node_count": 7})
    assert response.status_code == 403
    assert response.json()["error"] == "forbidden"
