"""The guards hold for every door, so also for code that knows of no services."""

import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.db.models import ProtectedError

from fleet import models
from fleet.errors import ConfirmationRequired, Conflict, Invalid
from fleet.history.change import change
from fleet.services.clusters import cluster_freeze
from tests.factories import make_component, make_namespace, patch
from tests.plans.fleets import clusters_with_podinfo, component, everywhere
from tests.services.fleets import nothing_changes

pytestmark = pytest.mark.django_db


SCHEMA = {"properties": {"replicas": {"type": "integer"}}}


def test_the_removal_guard_holds_for_plain_writes():
    clusters_with_podinfo(6)
    with nothing_changes(), pytest.raises(ConfirmationRequired):
        models.ProfileComponent.objects.all().delete()
    with nothing_changes(), pytest.raises(ConfirmationRequired):
        models.ProfileComponent.objects.update(enabled=False)
    with nothing_changes(), pytest.raises(ConfirmationRequired):
        models.Profile.objects.get().delete()


def test_the_limit_of_size_holds_for_plain_writes():
    clusters_with_podinfo(1)
    with nothing_changes(), pytest.raises(Conflict):
        patch(models.Cluster.objects.get(), models.Component.objects.get(), "a", "x" * 470_000)


def test_the_schema_holds_for_plain_writes():
    clusters_with_podinfo(1)
    podinfo = models.Component.objects.get()
    models.Component.objects.update(values_schema=SCHEMA)
    with nothing_changes(), pytest.raises(Invalid):
        patch(podinfo, podinfo, "replicas", "many")


def test_cycles_are_refused_for_plain_writes():
    make_component(id="b")
    make_component(id="a", depends_on=["b"])
    with nothing_changes(), pytest.raises(Invalid, match="a → b → a"):
        models.ComponentDependency.objects.create(component_id="b", dependency_id="a")


def test_conflicting_keys_are_refused_for_plain_writes():
    podinfo = make_component(id="podinfo")
    patch(podinfo, podinfo, "a", 1)
    with nothing_changes(), pytest.raises(Invalid, match=r"a\.b: leads through a"):
        patch(podinfo, podinfo, "a.b", 1)


def test_what_is_in_use_cannot_be_deleted_by_plain_writes():
    clusters_with_podinfo(1)
    with nothing_changes(), pytest.raises(ProtectedError):
        models.Component.objects.get().delete()


def test_a_state_cannot_be_set_to_frozen_without_answers_by_plain_writes():
    clusters_with_podinfo(1)
    with nothing_changes(), pytest.raises(Conflict, match=r"by cluster_freeze\(\)"):
        models.Cluster.objects.update(state="frozen")


def test_frozen_answers_cannot_go_without_the_state_by_plain_writes():
    [cluster_id] = clusters_with_podinfo(1)
    cluster_freeze(cluster=cluster_id)
    with nothing_changes(), pytest.raises(Conflict, match=r"by cluster_freeze\(\)"):
        models.FrozenAnswers.objects.all().delete()


@pytest.fixture
def removal(tmp_path):
    """A seed file that takes a component away from six clusters."""
    clusters_with_podinfo(6)
    file = tmp_path / "removal.json"
    file.write_text(json.dumps({"profiles": [{"id": "everywhere", "platform_components": []}]}))
    return file


def test_the_removal_guard_holds_for_an_import(removal):
    output = io.StringIO()
    with nothing_changes(), pytest.raises(CommandError, match="Add --confirm"):
        call_command("import_seed", removal, stdout=output)
    assert "- platform-components podinfo" in output.getvalue()


def test_an_import_can_be_confirmed(removal):
    output = io.StringIO()
    with pytest.raises(CommandError) as refusal:
        call_command("import_seed", removal, stdout=output)
    digest = str(refusal.value).split()[-1]
    call_command("import_seed", removal, confirm=digest, stdout=output)
    assert not models.ProfileComponent.objects.exists()


def test_cycles_are_refused_for_an_import(tmp_path):
    file = tmp_path / "cycle.json"
    file.write_text(json.dumps({"platform_components": [component("a", "b"), component("b", "a")]}))
    with nothing_changes(), pytest.raises(CommandError, match="a → b → a"):
        call_command("import_seed", file, stdout=io.StringIO())


def test_the_removal_guard_holds_for_the_command_revert():
    clusters_with_podinfo(6)
    make_namespace(id="more")
    with change() as opened:
        everywhere(namespaces=["podinfo", "more"])
    assert opened.revision
    with nothing_changes(), pytest.raises(CommandError, match="Add --confirm"):
        call_command("revert", opened.revision.number, stdout=io.StringIO())
