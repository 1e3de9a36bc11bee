"""Where the admin cannot show a page of its own, it says what is the matter and leads back."""

import pytest
from django.template.loader import render_to_string
from django.test import Client

from fleet.models import Revision
from tests.admin.forms import url


def test_nothing_is_there(admin_client):
    response = admin_client.get("/admin/nowhere/")
    assert response.status_code == 404
    assert "There is nothing at this address" in response.text


def test_what_one_may_not_do(admin_client):
    response = admin_client.get(url(Revision, "add"))
    assert response.status_code == 403
    assert "Your role does not include it" in response.text


def test_a_form_that_does_not_fit_the_session(admin_user):
    client = Client(enforce_csrf_checks=True)
    client.force_login(admin_user)
    response = client.post("/admin/fleet/namespace/add/", {"id": "x"})
    assert response.status_code == 403
    assert "The form is out of date" in response.text


@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "404", "500"])
def test_each_needs_nothing_that_may_have_failed(name):
    """No request and no context: Django has none where a page for an error fails."""
    assert 'href="/admin/"' in render_to_string(f"{name}.html")
