from collections.abc import Callable

import pytest
from django.conf import settings
from django.core.management import call_command
from django.http import HttpResponse
from django.test import Client

from fleet.api.openapi.components import Schema
from fleet.api.openapi.schema import openapi

METHODS = ("get", "put", "post", "patch", "delete")


@pytest.fixture
def demo_fleet(db: None) -> None:
    call_command("import_seed", str(settings.DEMO_FILE), verbosity=0)


@pytest.fixture(scope="session")
def schema() -> Schema:
    return openapi()


@pytest.fixture
def ask(client: Client, db: None) -> Callable[..., HttpResponse]:
    """With the write token: `ask("POST", "/clusters", {...})`."""

    def ask(method: str, path: str, body: object = None, **headers: str) -> HttpResponse:
        headers = {"Authorization": "Bearer test-write-token", **headers}
        content = {} if body is None else {"data": body, "content_type": "application/json"}
        return getattr(client, method.lower())(path, headers=headers, **content)

    return ask
