import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from fleet.services.seeds import seed_import
from tests.api.fleet import SEED

WRITE = "Bearer test-write-token"


class Api:
    """Asks as an operator's script does; a body is JSON unless it is bytes already."""

    def __init__(self, client: Client, credential: str = WRITE) -> None:
        self.client, self.credential = client, credential

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        sent = {name.replace("_", "-"): text for name, text in headers.items()}
        sent.setdefault("Authorization", self.credential)
        media_type = sent.pop("Content-Type", "application/json")
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        if body is None:
            data, media_type = b"", ""
        return self.client.generic(method, path, data, content_type=media_type, headers=sent)

    def get(self, path: str, **headers: str) -> Any:
        return self("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self("POST", path, body, **headers)

    def put(self, path: str, body: Any, **headers: str) -> Any:
        return self("PUT", path, body, **headers)

    def patch(self, path: str, body: Any, **headers: str) -> Any:
        return self("PATCH", path, body, **headers)

    def delete(self, path: str, **headers: str) -> Any:
        return self("DELETE", path, **headers)


def ids(response: Any) -> list[str]:
    assert response.status_code == 200, response.content
    return [item["id"] for item in response.json()]


@pytest.fixture(scope="module")
def seeded(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Once for all tests of a module, since it takes longer than most of them."""
    with django_db_blocker.unblock(), transaction.atomic():
        seed_import(documents=SEED)
        yield
        transaction.set_rollback(True)


@pytest.fixture
def fleet(seeded: None, db: None) -> None:
    """As the seed has it, whatever the test before did."""


@pytest.fixture
def api(fleet: None, client: Client) -> Api:
    # A 500 must be an answer, as it is for a client, and not a traceback in the test.
    client.raise_request_exception = False
    return Api(client)
