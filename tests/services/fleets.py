"""A small fleet with something of every kind, and what tests look at before and after a change."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import transaction

from fleet import models
from fleet.desired_state.inputs import RESOURCES
from fleet.history.change import head_number
from fleet.management.commands.export_seed import export_lines
from fleet.services.seeds import seed_import
from tests.answers import answers_for_dns

SMALL: dict[str, Any] = {
    "environments": [{"id": "lab", "rank": 9}],
    "namespaces": [
        {"id": "apps", "labels": {"team": "apps"}},
        {"id": "logs", "annotations": {"owner": "platform"}},
        {"id": "spare"},
    ],
    "rolebindings": [
        {"id": "admins", "role": "admin", "subjects": [{"kind": "Group", "name": "admins"}]},
        {"id": "readers", "role": "view", "subjects": [{"kind": "User", "name": "jo"}]},
        {"id": "writers", "role": "edit"},
    ],
    "platform_components": [
        {"id": "base", "component_path": "base", "component_version": "1.0.0"},
        {
            "id": "web",
            "component_path": "web",
            "component_version": "2.0.0",
            "depends_on": ["base"],
            "patches": {"replicas": "1", "ui.color": "blue"},
        },
        {
            "id": "agent",
            "kind": "kustomize",
            "component_path": "agent",
            "component_version": "3.0.0",
            "oci_tag": "v3",
            "cluster_env_enabled": True,
        },
        {"id": "extra", "component_path": "extra", "component_version": "4.0.0"},
    ],
    "profiles": [
        {
            "id": "everywhere",
            "weight": 0,
            "platform_components": ["base"],
            "namespaces": ["logs"],
            "rolebindings": ["admins"],
        },
        {
            "id": "gold",
            "weight": 50,
            "labels": {"tier": "gold"},
            "platform_components": ["agent"],
            "patches": {"web": {"replicas": "3"}},
            "unset": {"web": ["ui.color"]},
        },
        {
            "id": "picked",
            "weight": 90,
            "clusters": ["two"],
            "patches": {"base": {"debug": "true"}},
        },
        {"id": "labs", "environments": ["lab"], "rolebindings": ["writers"]},
    ],
    "clusters": [
        {
            "id": "one",
            "environment": "dev",
            "labels": {"tier": "gold"},
            "platform_components": [{"id": "web", "component_version": "2.1.0"}],
            "namespaces": ["apps"],
            "rolebindings": ["readers"],
            "patches": {"web": {"ui.message": "hello"}},
        },
        {"id": "two", "environment": "prod", "platform_components": ["web"]},
        {"id": "three", "environment": "qa"},
    ],
}
for document in SMALL["platform_components"]:
    document["oci_url"] = "oci://registry.example.com/charts"
for document in SMALL["clusters"]:
    document["cluster_name"] = document["id"]
    document["cluster_dns"] = f"{document['id']}.example.com"


def small_fleet() -> None:
    seed_import(documents=SMALL)


def for_module(make: Callable[[], Any]) -> Any:
    """A fixture that makes a fleet once for the tests of a module: each takes its own part back."""

    @pytest.fixture(scope="module")
    def made(django_db_setup, django_db_blocker) -> Iterator[None]:
        with django_db_blocker.unblock(), transaction.atomic():
            make()
            yield
            transaction.set_rollback(True)

    return made


def cluster(cluster_id: str) -> models.Cluster:
    return models.Cluster.objects.get(pk=cluster_id)


def profile(profile_id: str) -> models.Profile:
    return models.Profile.objects.get(pk=profile_id)


def export() -> str:
    return "".join(export_lines())


def served(cluster_id: str) -> dict[str, bytes]:
    """The bytes that the cluster gets from each endpoint."""
    answers = answers_for_dns(cluster(cluster_id).dns)
    return {resource: answers.body(resource) for resource in RESOURCES}


@contextmanager
def nothing_changes() -> Iterator[None]:
    before = export(), head_number()
    yield
    assert (export(), head_number()) == before
