import socket
from typing import Any

import pytest

from fleet import models
from fleet.errors import Invalid
from fleet.services.objects import object_create, object_update
from tests.assigning import patches_set
from tests.plans.fleets import clusters_with_podinfo, component
from tests.services.fleets import nothing_changes

pytestmark = pytest.mark.django_db


SCHEMA = {"properties": {"replicas": {"type": "integer", "minimum": 1}}}


def test_values_that_do_not_meet_the_schema_are_refused_with_cluster_and_path():
    clusters_with_podinfo(2)
    object_update(section="platform_components", id="podinfo", document={"values_schema": SCHEMA})
    with nothing_changes(), pytest.raises(Invalid) as refusal:
        patches_set(
            owner=models.Cluster.objects.get(pk="cluster-1"),
            component="podinfo",
            patches={"replicas": "many"},
        )
    problem = "replicas: 'many' is not of type 'integer'"
    assert refusal.value.details == {"values.podinfo": [f"{problem} (on cluster-1)"]}
    assert refusal.value.message == (
        f"The values of podinfo do not meet its schema on cluster-1: {problem}."
    )


def test_a_new_schema_is_held_against_every_cluster():
    clusters_with_podinfo(2)
    patches_set(owner=models.Profile.objects.get(), component="podinfo", patches={"replicas": "0"})
    with nothing_changes(), pytest.raises(Invalid) as refusal:
        object_update(
            section="platform_components", id="podinfo", document={"values_schema": SCHEMA}
        )
    problem = "replicas: 0 is less than the minimum of 1 (on cluster-0, cluster-1)"
    assert refusal.value.details == {"values.podinfo": [problem]}


def test_values_that_meet_the_schema_on_no_cluster_but_the_catalog_matter_to_nobody():
    object_create(
        section="platform_components",
        document=component("spare") | {"values_schema": SCHEMA, "patches": {"replicas": "0"}},
    )


def test_a_schema_is_never_looked_up_elsewhere(monkeypatch):
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("something was fetched")

    clusters_with_podinfo(1)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    schema = {"$ref": "http://schemas.example.com/podinfo.json"}
    with nothing_changes(), pytest.raises(Invalid) as refusal:
        object_update(
            section="platform_components", id="podinfo", document={"values_schema": schema}
        )
    message = "the schema refers to what is not in it; other documents are not looked up"
    assert refusal.value.details == {"values.podinfo": [f"{message} (on cluster-0)"]}


def test_a_schema_that_refers_to_itself_without_end_is_refused():
    clusters_with_podinfo(1)
    with nothing_changes(), pytest.raises(Invalid, match="refers to itself without end"):
        object_update(
            section="platform_components", id="podinfo", document={"values_schema": {"$ref": "#"}}
        )


def test_a_schema_may_refer_to_its_own_parts():
    clusters_with_podinfo(1)
    schema = {
        "$defs": {"count": {"type": "integer"}},
        "properties": {"a": {"$ref": "#/$defs/count"}},
    }
    object_update(section="platform_components", id="podinfo", document={"values_schema": schema})
    with nothing_changes(), pytest.raises(Invalid):
        patches_set(owner=models.Cluster.objects.get(), component="podinfo", patches={"a": "b"})
