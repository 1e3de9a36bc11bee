"""A cluster that waits to be approved: to Flux, and so to plans, it is not there."""

from typing import Any

import pytest

from fleet.desired_state.answers import cluster_entries
from fleet.errors import Conflict, Invalid, NotFound
from fleet.history.change import change, head_number
from fleet.history.summaries import stories
from fleet.history.time_travel import cluster_difference
from fleet.models import Cluster, Effect
from fleet.plans.plan import Plan
from fleet.reports import versions
from fleet.services.bulk import approve_many, decommission_many, freeze_many
from fleet.services.clusters import (
    cluster_approve,
    cluster_decommission,
    cluster_freeze,
    cluster_purge,
)
from fleet.services.declared import fleet_apply
from fleet.services.objects import object_patch, object_update
from fleet.services.seeds import seed_import
from fleet.services.undo import cluster_restore, revision_revert
from tests.answers import answers_at, answers_for_dns
from tests.plans.effects import plan_of
from tests.services.fleets import nothing_changes, served

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fleet")]

NEW: dict[str, Any] = {
    "id": "new",
    "cluster_name": "new",
    "cluster_dns": "new.example.com",
    "environment": "dev",
    "labels": {"tier": "gold"},
    "platform_components": ["web"],
}


def wait(**document: Any) -> Plan:
    with change() as opened:
        seed_import(documents={"clusters": [{**NEW, "state": "waiting", **document}]})
    assert opened.plan is not None
    return opened.plan


def state() -> str:
    return Cluster.objects.values_list("state", flat=True).get(pk="new")


def test_it_changes_what_nobody_gets():
    plan = wait()
    assert plan.is_empty
    assert (plan.purged, plan.rows["cluster"]) == ((), 1)
    assert not Effect.objects.filter(cluster_id="new").exists()


def test_flux_does_not_know_it():
    wait()
    with pytest.raises(NotFound):
        answers_for_dns("new.example.com")
    assert "new" not in {entry["id"] for entry in cluster_entries()}


def test_approved_it_is_as_if_it_had_been_created_then():
    wait()
    plan = plan_of(lambda: cluster_approve(cluster="new"))
    [group] = plan.groups
    assert group.clusters == ("new",)
    assert {item.action for item in group.changes} == {"added"}
    cluster_approve(cluster="new")
    assert state() == "active"
    assert served("new")["platform-components"] != b'{"inputs":[]}'
    assert "new" in {entry["id"] for entry in cluster_entries()}


def test_what_changes_meanwhile_does_not_reach_it():
    wait()
    patch = {"component_version": "9.9.9"}
    plan = plan_of(lambda: object_patch(section="platform_components", id="web", patch=patch))
    assert "new" not in plan.cluster_ids()


def test_it_follows_what_changed_when_it_is_approved():
    wait()
    object_patch(section="platform_components", id="web", patch={"oci_tag": "v9"})
    cluster_approve(cluster="new")
    assert b'"oci_tag":"v9"' in served("new")["platform-components"]


def test_refused_it_is_nothing_that_flux_could_miss():
    wait()
    plan = plan_of(lambda: cluster_purge(cluster="new"))
    assert (plan.is_empty, plan.purged) == (True, ())
    cluster_purge(cluster="new")
    assert not Cluster.objects.filter(pk="new").exists()


def test_a_refused_one_can_be_restored_to_wait():
    wait()
    then = head_number()
    cluster_purge(cluster="new")
    cluster_restore(cluster="new", number=then)
    assert state() == "waiting"


def test_taking_an_approval_back_makes_it_unknown_and_not_empty():
    """An error keeps what it has; an empty list would remove it."""
    wait()
    cluster_approve(cluster="new")
    plan = plan_of(lambda: revision_revert(number=head_number()))
    assert (plan.groups, plan.purged) == ((), ("new",))
    revision_revert(number=head_number())
    assert state() == "waiting"
    with pytest.raises(NotFound):
        answers_for_dns("new.example.com")


@pytest.mark.parametrize("act", [cluster_freeze, cluster_decommission])
def test_it_can_only_be_approved_or_refused(act):
    wait()
    with nothing_changes(), pytest.raises(Conflict, match="new is waiting"):
        act(cluster="new")


@pytest.mark.parametrize("act", [freeze_many, decommission_many])
def test_acts_on_many_pass_over_it(act):
    wait()
    act(ids=["new", "one"])
    assert state() == "waiting"
    with nothing_changes(), pytest.raises(Conflict):
        act(ids=["new"])


def test_many_are_approved_at_once():
    wait()
    approve_many(ids=["new", "one"])
    assert state() == "active"
    with nothing_changes(), pytest.raises(Conflict, match="nothing to approve"):
        approve_many(ids=["new", "one"])


def test_its_settings_can_be_edited_but_not_its_state():
    wait()
    object_update(section="clusters", id="new", document={"node_count": 3, "state": "waiting"})
    with nothing_changes(), pytest.raises(Invalid):
        object_update(section="clusters", id="new", document={"state": "active"})


def test_it_is_in_no_count_of_what_runs():
    before = versions.take_census().components
    wait()
    assert versions.take_census().components == before


def test_the_past_tells_when_it_came():
    before = head_number()
    wait()
    waiting = head_number()
    cluster_approve(cluster="new")
    assert cluster_difference("new", before, waiting) == []
    assert cluster_difference("new", waiting, head_number())
    with pytest.raises(NotFound):
        answers_at("new", waiting)
    assert answers_at("new", head_number()).body("namespaces") == served("new")["namespaces"]


def test_the_log_says_that_it_was_approved():
    wait()
    with change() as opened:
        cluster_approve(cluster="new")
    assert opened.revision is not None
    number = opened.revision.number
    assert stories([opened.revision])[number].sentence == "approved cluster new"


# By documents


def apply(**document: Any) -> None:
    fleet_apply(documents={"clusters": [{**NEW, **document}]})


def test_a_document_can_approve_it():
    wait()
    apply(state="active")
    assert state() == "active"


def test_a_document_without_a_state_leaves_it_waiting():
    wait()
    apply()
    assert state() == "waiting"


def test_a_new_one_can_be_written_down_as_waiting():
    apply(state="waiting")
    assert state() == "waiting"


@pytest.mark.parametrize("wanted", ["frozen", "decommissioned"])
def test_a_document_cannot_do_else_with_it(wanted):
    wait()
    message = "can only be approved, by the state active"
    with nothing_changes(), pytest.raises(Invalid, match=message):
        apply(state=wanted)


@pytest.mark.parametrize("bring", [fleet_apply, seed_import])
def test_a_document_cannot_make_others_wait(bring):
    apply()
    with nothing_changes(), pytest.raises(Invalid, match="only a new one can wait"):
        bring(documents={"clusters": [{**NEW, "state": "waiting"}]})


def test_prune_leaves_it():
    """Nobody can have written it down yet."""
    wait()
    fleet_apply(documents={"clusters": []}, prune=True)
    assert state() == "waiting"
