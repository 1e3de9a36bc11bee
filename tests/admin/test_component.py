import pytest

from fleet.history.change import head_number
from fleet.models import Component, ComponentDependency, ComponentPatch
from tests.admin.forms import add_row, errors, open_form, save, told, typed, url
from tests.factories import make_component

pytestmark = pytest.mark.usefixtures("small_fleet")


def test_adding_one(admin_client):
    data = open_form(Component)
    data |= {"id": "redis", "component_path": "redis", "oci_url": "oci://example.com"}
    add_row(data, "dependencies", dependency="traefik")
    add_row(data, "patches", key="size", **typed("number", "3"))
    before = head_number()
    assert save(admin_client, Component, None, data).status_code == 302
    assert head_number() == before + 1
    assert ComponentDependency.objects.filter(component_id="redis").count() == 1
    assert ComponentPatch.objects.get(component_id="redis").value == "3"
    assert Component.objects.get(id="redis").values_schema is None


def test_a_cycle_of_dependencies_is_refused(admin_client):
    before = head_number()
    data = open_form(Component, "traefik") | {"oci_tag": "v2"}
    add_row(data, "dependencies", dependency="podinfo")
    response = save(admin_client, Component, "traefik", data)
    assert "cycle: podinfo → traefik → podinfo" in errors(response)
    assert "Nothing was changed." in errors(response)
    assert response.context["adminform"].form["oci_tag"].value() == "v2"
    assert told(response) == ""
    assert Component.objects.get(id="traefik").oci_tag == "v1.0.0"
    assert head_number() == before


def test_a_component_cannot_depend_on_itself(admin_client):
    data = open_form(Component, "podinfo") | {"dependencies-0-dependency": "podinfo"}
    assert "cannot depend on itself" in errors(save(admin_client, Component, "podinfo", data))


def test_conflicting_default_keys_are_refused(admin_client):
    data = open_form(Component, "podinfo")
    add_row(data, "patches", key="replicaCount.max", **typed("number", "3"))
    assert "leads through" in errors(save(admin_client, Component, "podinfo", data))
    assert ComponentPatch.objects.count() == 1


def test_one_in_use_cannot_be_deleted(admin_client):
    before = head_number()
    response = admin_client.post(url(Component, "delete", "traefik"), {"post": "yes"})
    assert response.status_code == 200
    assert "Profile component: p1: traefik" in response.text
    data = {"action": "delete_selected", "_selected_action": ["traefik"], "post": "yes"}
    assert admin_client.post(url(Component, "changelist"), data).status_code == 200
    assert Component.objects.filter(id="traefik").exists()
    assert head_number() == before


def test_used_ones_are_told_from_unused_ones(admin_client):
    def listed(used: str) -> set[str]:
        response = admin_client.get(url(Component, "changelist"), {"used": used})
        return {component.id for component in response.context["cl"].result_list}

    make_component(id="idle")
    assert listed("yes") == {"podinfo", "traefik"}
    assert listed("no") == {"idle"}


def test_a_schema_that_is_none_is_refused(admin_client):
    data = open_form(Component, "podinfo") | {"values_schema": '{"type": "nothing"}'}
    assert "JSON Schema" in errors(save(admin_client, Component, "podinfo", data))
