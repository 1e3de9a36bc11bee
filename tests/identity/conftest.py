"""Uses the fleet of tests/api: c-1 is in dev, c-2 and c-3 are in prod."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from fleet.models import Environment, OperatorLimit
from fleet.services.tokens import token_issue
from tests.api.conftest import Api, api, fleet, seeded

__all__ = ["api", "fleet", "seeded"]


@pytest.fixture
def issue(fleet: None) -> Callable[..., str]:
    """Issues a token and returns its secret."""

    def issue(kind: str, id: str = "", **options: Any) -> str:
        return token_issue(id=id or kind, kind=kind, **options).secret

    return issue


@pytest.fixture
def person(fleet: None) -> Callable[..., User]:
    def person(*groups: str, only: list[str] | None = None, **options: Any) -> User:
        user = User.objects.create_user(options.pop("name", "ada"), is_staff=True, **options)
        user.groups.set(Group.objects.filter(name__in=groups))
        if only is not None:
            OperatorLimit.objects.create(user=user).environments.set(
                Environment.objects.filter(pk__in=only)
            )
        return user

    return person


@pytest.fixture
def asking(client: Client, fleet: None) -> Callable[[str], Api]:
    """Asks with a token."""
    client.raise_request_exception = False
    return lambda secret: Api(client, f"Bearer {secret}")
