"""Two people with the same form open: nothing is lost, and the second one decides."""

import pytest

from fleet.history.change import Actor, change, head_number
from fleet.models import Cluster
from tests.admin.forms import open_form, url

pytestmark = pytest.mark.usefixtures("small_fleet")
PAGE = url(Cluster, "change", "c1")


@pytest.fixture
def form(admin_client) -> dict[str, str]:
    """As it was when it was opened, before somebody else saved."""
    page = admin_client.get(PAGE)
    data = open_form(Cluster, "c1") | {"_seen": page.context["seen"], "vm_image": "mine"}
    with change(actor=Actor("bob"), reason="for the audit"):
        Cluster.objects.filter(pk="c1").update(node_count=99)
    return data


def test_both_are_shown(admin_client, form):
    before = head_number()
    page = admin_client.post(PAGE, form)
    assert page.status_code == 200
    assert "<strong>bob</strong> changed it" in page.text
    assert "for the audit" in page.text
    shown = {row.field: (row.theirs, row.mine) for row in page.context["differences"]}
    assert shown["node_count"][0] == "99"
    assert shown["vm_image"][1] == "mine"
    assert head_number() == before


def test_mine_can_be_saved_all_the_same(admin_client, form):
    page = admin_client.post(PAGE, form)
    data = dict(page.context["form_data"]) | {"_seen": page.context["seen"]}
    assert admin_client.post(PAGE, data).status_code == 302
    assert Cluster.objects.get(pk="c1").vm_image == "mine"


def test_without_anybody_else_it_is_simply_saved(admin_client):
    seen = admin_client.get(PAGE).context["seen"]
    data = open_form(Cluster, "c1") | {"_seen": seen, "vm_image": "mine"}
    assert admin_client.post(PAGE, data).status_code == 302


def test_what_is_wrong_in_the_form_comes_first(admin_client, form):
    page = admin_client.post(PAGE, form | {"dns": "not a name"})
    assert "differences" not in page.context
    assert page.context["errors"]


def test_an_object_that_is_gone_is_said_to_be_gone(admin_client, form):
    with change():
        Cluster.objects.filter(pk="c1").delete()
    page = admin_client.post(PAGE, form, follow=True)
    assert page.status_code == 200
    assert "Perhaps it was deleted" in page.text
