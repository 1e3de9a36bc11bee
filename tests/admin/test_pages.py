"""Every registered model: its list, search, filters, add page and change page."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.db import models
from unfold.admin import ModelAdmin

from fleet.models import TRACKED_MODELS, FrozenAnswers, Revision
from fleet.services.tokens import token_issue
from tests.admin.forms import url

REGISTERED = sorted(admin.site._registry, key=lambda model: model._meta.label)
pytestmark = pytest.mark.django_db


def page_of(model) -> ModelAdmin:
    return admin.site._registry[model]


@pytest.fixture
def one_of_each(small_fleet, admin_user) -> None:
    token_issue(id="ci", kind="operator", environments=["dev"])


@pytest.mark.parametrize("model", REGISTERED)
def test_list(admin_client, one_of_each, model):
    for query in ("", "?q=c1", "?q=100%25&o=-2", "?used=no"):
        response = admin_client.get(url(model, "changelist") + query, follow=True)
        assert response.status_code == 200, query


@pytest.mark.parametrize("model", REGISTERED)
def test_every_list_can_be_searched_and_filtered(model):
    assert page_of(model).search_fields
    assert page_of(model).list_filter or model is Group
    assert not page_of(model).show_full_result_count


@pytest.mark.parametrize("model", REGISTERED)
def test_add_page(admin_client, one_of_each, model):
    expected = 403 if model is Revision else 200
    assert admin_client.get(url(model, "add")).status_code == expected


@pytest.mark.parametrize("model", REGISTERED)
def test_change_page(admin_client, one_of_each, model):
    newest = model._base_manager.order_by("pk").last()
    response = admin_client.get(url(model, "change", newest.pk))
    assert response.status_code == 200
    assert str(newest.pk) in response.text


@pytest.mark.parametrize("model", REGISTERED)
def test_delete_page(admin_client, one_of_each, model):
    newest = model._base_manager.order_by("pk").last()
    expected = 403 if model is Revision else 200
    assert admin_client.get(url(model, "delete", newest.pk)).status_code == expected


@pytest.mark.parametrize("model", REGISTERED)
def test_pages_look_alike(model):
    assert isinstance(page_of(model), ModelAdmin)


def test_every_tracked_model_has_a_page_or_an_inline():
    inlines = {inline.model for model in REGISTERED for inline in page_of(model).inlines}
    assert set(TRACKED_MODELS) - set(REGISTERED) - inlines == {FrozenAnswers}


def test_no_foreign_key_is_a_select_of_everything():
    for model in set(REGISTERED) - {Revision, User, Group}:
        page = page_of(model)
        for each in (page, *(inline(model, admin.site) for inline in page.inlines)):
            own = {
                field.name
                for field in each.model._meta.fields
                if isinstance(field, models.ForeignKey) and field.name in shown_fields(each)
            }
            assert own == set(each.autocomplete_fields)


def shown_fields(page) -> list[str]:
    if page.fields:
        return page.fields
    return [name for _, options in page.fieldsets for name in options["fields"]]


def test_a_stranger_is_sent_to_the_login(client):
    for model in REGISTERED:
        response = client.get(url(model, "changelist"))
        assert response.status_code == 302
        assert "/admin/login/" in response["Location"]
