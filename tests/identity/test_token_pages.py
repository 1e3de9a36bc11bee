"""Tokens in the admin."""

import re

import pytest
from django.urls import reverse

from fleet.history.change import head_number
from fleet.models import Token, TokenKey
from fleet.services.tokens import token_issue

ADD = "/admin/fleet/token/add/"
LIST = "/admin/fleet/token/"


@pytest.fixture
def keeper(client, person):
    client.force_login(person("admins"))
    return client


def shown_secret(response) -> str:
    assert response.status_code == 200
    assert "no-store" in response.headers["Cache-Control"]
    [secret] = re.findall(r'id="secret">([^<]+)<', response.text)
    return secret


def send(client, **form: object):
    return client.post(ADD, {"id": "ci", "kind": "reader", **form})


def test_a_token_is_issued_and_shown_once(keeper, asking):
    secret = shown_secret(send(keeper))
    assert asking(secret).get("/clusters").status_code == 200
    for page in (LIST, f"{LIST}ci/change/", f"{LIST}ci/history/"):
        assert secret not in keeper.get(page).text


def test_a_secret_is_in_no_cookie(keeper):
    secret = shown_secret(send(keeper))
    assert secret not in str(keeper.cookies)
    assert secret not in str(dict(keeper.session))


def test_an_operator_token_can_be_limited(keeper):
    shown_secret(send(keeper, kind="operator", environments=["dev", "qa"]))
    assert Token.objects.get().environments == ["dev", "qa"]


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"kind": "cluster"}, "A cluster token, and no other, needs a cluster."),
        ({"cluster": "c-1"}, "A cluster token, and no other, needs a cluster."),
        ({"environments": ["dev"]}, "operator or enrolment token only"),
        ({"expires_at_0": "2001-01-01", "expires_at_1": "00:00"}, "must be in the future"),
        ({"id": "Not A Name"}, "id"),
        ({"kind": "root"}, "Select a valid choice"),
    ],
)
def test_a_mistake_is_shown_with_the_form(keeper, form, message):
    before = head_number()
    response = send(keeper, **form)
    assert response.status_code == 200
    assert message in response.text
    assert 'id="secret"' not in response.text
    assert head_number() == before
    assert not TokenKey.objects.exists()


def test_a_token_is_rotated(keeper, asking):
    old = token_issue(id="ci", kind="reader").secret
    page = reverse("admin:fleet_token_rotate", args=["ci"])
    assert "time of grace" in keeper.get(page).text
    new = shown_secret(keeper.post(page, {"grace_hours": "0"}))
    statuses = [asking(secret).get("/clusters").status_code for secret in (old, new)]
    assert statuses == [401, 200]


def test_a_wrong_time_of_grace_is_refused(keeper):
    token_issue(id="ci", kind="reader")
    before = head_number()
    page = keeper.post(reverse("admin:fleet_token_rotate", args=["ci"]), {"grace_hours": "-1"})
    assert "greater than or equal to 0" in page.text
    assert head_number() == before


def test_a_token_that_is_gone_cannot_be_rotated(keeper):
    page = keeper.get(reverse("admin:fleet_token_rotate", args=["no-such"]), follow=True)
    assert page.status_code == 200
    assert "doesn’t exist" in page.text or "doesn&#x27;t exist" in page.text


def test_a_token_is_revoked(keeper, asking):
    secret = token_issue(id="ci", kind="reader").secret
    keeper.post(f"{LIST}ci/delete/", {"post": "yes"})
    assert asking(secret).get("/clusters").status_code == 401


def test_its_page_shows_its_keys_without_secrets(keeper):
    token_issue(id="ci", kind="reader")
    page = keeper.get(f"{LIST}ci/change/").text
    key = TokenKey.objects.get()
    assert key.prefix in page
    assert key.hashed_key not in page
    assert "no use noted" in page
    assert 'name="_save"' not in page
