from functools import partial
from typing import Any

import pytest

from fleet import models
from fleet.errors import ConfirmationRequired
from fleet.history.change import change
from fleet.plans.formats import plan_text
from fleet.services.clusters import cluster_decommission, cluster_freeze
from fleet.services.objects import object_update
from tests.assigning import component_assign
from tests.factories import build_cluster, make_namespace
from tests.plans.effects import plan_of
from tests.plans.fleets import clusters_with_podinfo, everywhere
from tests.services.fleets import nothing_changes
from tests.undo.acts import together, update

pytestmark = pytest.mark.django_db


REMOVALS: dict[str, dict[str, Any]] = {
    "component": {"platform_components": []},
    "disabled component": {"platform_components": [{"id": "podinfo", "enabled": False}]},
    "namespace": {"namespaces": []},
    "selector": {"labels": {"tier": "gold"}},
    "list": {"clusters": []},
}


@pytest.mark.parametrize("document", REMOVALS.values(), ids=REMOVALS)
def test_taking_away_from_five_clusters_needs_no_confirmation(document):
    clusters_with_podinfo(5)
    everywhere(**document)


@pytest.mark.parametrize("document", REMOVALS.values(), ids=REMOVALS)
def test_taking_away_from_six_clusters_needs_a_confirmation(document):
    ids = clusters_with_podinfo(6)
    with nothing_changes(), pytest.raises(ConfirmationRequired) as refusal:
        everywhere(**document)
    assert refusal.value.code == "confirmation_required"
    assert refusal.value.plan.removing_clusters == tuple(ids)


def test_the_refusal_counts_the_clusters():
    clusters_with_podinfo(6)
    with pytest.raises(ConfirmationRequired) as refusal:
        everywhere(namespaces=[])
    assert refusal.value.message == (
        "This takes things away from 6 clusters, more than 5. "
        "Look at the plan, then confirm it with its digest."
    )


def test_decommissioning_counts():
    ids = clusters_with_podinfo(6)
    acts = [partial(cluster_decommission, cluster=item) for item in ids]
    with nothing_changes(), pytest.raises(ConfirmationRequired):
        together(*acts)()


def test_what_adds_and_changes_needs_no_confirmation():
    clusters_with_podinfo(6)
    make_namespace(id="more")
    with change():
        everywhere(namespaces=["podinfo", "more"])
        object_update(
            section="platform_components", id="podinfo", document={"component_version": "9"}
        )


def test_frozen_clusters_lose_nothing():
    ids = clusters_with_podinfo(6)
    cluster_freeze(cluster=ids[0])
    everywhere(namespaces=[])
    assert not models.ProfileNamespace.objects.exists()


def test_the_digest_of_the_plan_confirms_it():
    clusters_with_podinfo(6)
    with pytest.raises(ConfirmationRequired) as refusal:
        everywhere(namespaces=[])
    with change(confirm=refusal.value.plan.digest):
        everywhere(namespaces=[])
    assert not models.ProfileNamespace.objects.exists()


def test_the_digest_of_a_dry_run_confirms_it():
    clusters_with_podinfo(6)
    plan = plan_of(update("profiles", "everywhere", namespaces=[]))
    with change(confirm=plan.digest):
        everywhere(namespaces=[])
    assert not models.ProfileNamespace.objects.exists()


def test_a_plan_that_needs_a_confirmation_says_so():
    clusters_with_podinfo(6)
    plan = plan_of(update("profiles", "everywhere", namespaces=[]))
    assert plan_text(plan).splitlines()[-2:] == [
        "This takes things away from 6 clusters.",
        f"To go ahead, confirm this plan: {plan.digest}",
    ]


def test_a_digest_is_stale_when_the_fleet_has_changed():
    clusters_with_podinfo(6)
    plan = plan_of(update("profiles", "everywhere", namespaces=[]))
    models.Cluster.objects.bulk_create([build_cluster()])
    with (
        nothing_changes(),
        pytest.raises(ConfirmationRequired) as refusal,
        change(confirm=plan.digest),
    ):
        everywhere(namespaces=[])
    assert refusal.value.message == (
        "The fleet has changed since that plan was made, or the change is another one: "
        "it now takes things away from 7 clusters. Look at the plan again."
    )


def test_the_digest_of_another_change_confirms_nothing():
    clusters_with_podinfo(6)
    plan = plan_of(update("profiles", "everywhere", namespaces=[]))
    with nothing_changes(), pytest.raises(ConfirmationRequired), change(confirm=plan.digest):
        everywhere(platform_components=[])


def test_a_digest_stays_good_when_something_else_has_changed():
    clusters_with_podinfo(6)
    plan = plan_of(update("profiles", "everywhere", namespaces=[]))
    object_update(section="clusters", id="cluster-0", document={"node_count": 3})
    with change(confirm=plan.digest):
        everywhere(namespaces=[])


def test_the_guard_can_be_set_to_ask_always(settings):
    settings.GUARD_CLUSTERS = 0
    clusters_with_podinfo(1)
    with nothing_changes(), pytest.raises(ConfirmationRequired):
        everywhere(namespaces=[])


def test_a_component_that_is_disabled_already_is_not_taken_away():
    clusters_with_podinfo(6)
    disable = update("profiles", "everywhere", **REMOVALS["disabled component"])
    with change(confirm=plan_of(disable).digest):
        disable()
    component_assign(owner=models.Profile.objects.get(), component="podinfo", oci_tag="v9")
