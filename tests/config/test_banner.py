from typing import Any

import pytest
from django.contrib.auth.models import User

from config.banner import banner
from config.environment import Address

ANYWHERE = Address("0.0.0.0", 8080)


@pytest.fixture(autouse=True)
def admin(db: None, monkeypatch: pytest.MonkeyPatch) -> User:
    monkeypatch.setenv("ADMIN_PASSWORD", "the-password")
    return User.objects.create_superuser("admin", password="the-password")


def test_given_secrets_stay_out_of_the_logs_of_a_server(settings: Any) -> None:
    settings.LISTEN_ADDR = ANYWHERE
    text = banner(generated=frozenset())
    assert "the-password" not in text
    assert settings.AUTH_TOKENS[0] not in text
    assert settings.CRUD_AUTH_TOKENS[0] not in text
    assert 'curl -H "Authorization: Bearer $AUTH_TOKEN" http://127.0.0.1:8080/' in text


def test_generated_secrets_are_shown_or_nobody_would_know_them(settings: Any) -> None:
    settings.LISTEN_ADDR = ANYWHERE
    text = banner(generated=frozenset({"AUTH_TOKEN", "CRUD_AUTH_TOKEN", "ADMIN_PASSWORD"}))
    assert "admin / the-password" in text
    assert settings.AUTH_TOKENS[0] in text
    assert settings.CRUD_AUTH_TOKENS[0] in text


def test_token_with_special_characters_can_be_pasted(settings: Any) -> None:
    settings.AUTH_TOKENS = ["it's"]
    assert """curl -H 'Authorization: Bearer it'"'"'s' http""" in banner(generated=frozenset())


def test_changed_password_is_not_claimed_to_be_ours(admin: User) -> None:
    admin.set_password("another")
    admin.save()
    text = banner(generated=frozenset({"ADMIN_PASSWORD"}))
    assert "admin / the password that you chose" in text
    assert "the-password" not in text
