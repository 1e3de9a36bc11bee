from typing import Any

import pytest

from fleet.history.change import change, head_number
from fleet.models import Cluster, ClusterComponent, Revision
from fleet.services.clusters import cluster_decommission, cluster_purge
from tests.factories import assign, make_cluster, make_component, make_profile
from tests.revisions.commands import refuse, run

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _alice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "alice")


@pytest.fixture
def cluster() -> Cluster:
    return make_cluster(id="demo-1", node_count=3)


@pytest.fixture
def assigned(cluster: Cluster) -> int:
    """The revision that gave the cluster a component and more nodes."""
    component = make_component(id="podinfo")
    with change():
        assign(cluster, component)
        Cluster.objects.filter(pk=cluster.pk).update(node_count=5)
    return head_number()


PLAN = """\
1 cluster (demo-1):
  - platform-components podinfo
In total: 1 cluster, 1 platform-components removed
This was a dry run: nothing was changed.
"""


def nodes() -> int | None:
    return Cluster.objects.get(pk="demo-1").node_count


def newest() -> Revision:
    return Revision.objects.get(number=head_number())


def test_revert_takes_a_revision_back(assigned: int) -> None:
    assert run("revert", str(assigned)) == f"Done, as revision {assigned + 1}.\n"
    assert nodes() == 3
    assert not ClusterComponent.objects.exists()


def test_revert_tells_the_log_who_and_why(assigned: int) -> None:
    run("revert", str(assigned))
    revision = newest()
    assert (revision.actor_kind, revision.actor, revision.source) == ("system", "alice", "shell")
    assert revision.reason == f"Revert of revision {assigned}"
    assert revision.reverts_id == assigned


def test_a_reason_may_be_given(assigned: int) -> None:
    run("revert", str(assigned), "--reason", "A mistake")
    assert newest().reason == "A mistake"


def test_a_dry_run_of_revert_shows_the_plan_and_changes_nothing(assigned: int) -> None:
    assert run("revert", str(assigned), "--dry-run") == PLAN
    assert head_number() == assigned
    assert nodes() == 5


def test_a_plan_without_effect_on_clusters_says_so(cluster: Cluster) -> None:
    Cluster.objects.filter(pk=cluster.pk).update(node_count=5)
    assert run("revert", str(head_number()), "--dry-run") == (
        "No cluster gets anything else than before.\nThis was a dry run: nothing was changed.\n"
    )


def test_what_was_reverted_cannot_be_reverted_again(assigned: int) -> None:
    run("revert", str(assigned))
    assert refuse("revert", str(assigned)) == (
        "",
        f"Nothing was changed. Revision {assigned} was reverted by revision {assigned + 1} "
        "already.",
    )


def test_a_revert_can_be_reverted(assigned: int) -> None:
    run("revert", str(assigned))
    assert run("revert", str(assigned + 1)) == f"Done, as revision {assigned + 2}.\n"
    assert nodes() == 5


def test_an_unknown_revision_cannot_be_reverted() -> None:
    assert refuse("revert", "987654") == (
        "",
        "Nothing was changed. There is no revision 987654.",
    )


def test_later_changes_stand_in_the_way_of_a_revert(assigned: int) -> None:
    Cluster.objects.filter(pk="demo-1").update(node_count=7)
    assert refuse("revert", str(assigned)) == (
        "",
        "Nothing was changed. Later changes stand in the way: "
        "cluster demo-1 has another node_count by now: 7.\n"
        "  conflicts: cluster demo-1 has another node_count by now: 7",
    )
    assert head_number() == assigned + 1


def test_a_revert_may_leave_conflicts_as_they_are(assigned: int) -> None:
    Cluster.objects.filter(pk="demo-1").update(node_count=7)
    told = run("revert", str(assigned), "--skip-conflicts")
    assert told == f"Done, as revision {assigned + 2}.\n"
    assert nodes() == 7
    assert not ClusterComponent.objects.exists()


def test_restore_brings_a_cluster_back(assigned: int) -> None:
    told = run("restore", "demo-1", "--revision", str(assigned - 1))
    assert told == f"Done, as revision {assigned + 1}.\n"
    assert nodes() == 3
    assert not ClusterComponent.objects.exists()
    assert newest().reason == f"demo-1 as at revision {assigned - 1}"


def test_a_dry_run_of_restore_shows_the_plan_and_changes_nothing(assigned: int) -> None:
    assert run("restore", "demo-1", "--revision", str(assigned - 1), "--dry-run") == PLAN
    assert head_number() == assigned
    assert nodes() == 5


def test_restore_brings_back_a_purged_cluster(assigned: int) -> None:
    cluster_decommission(cluster="demo-1")
    cluster_purge(cluster="demo-1")
    told = run("restore", "demo-1", "--revision", str(assigned))
    assert told == f"Done, as revision {assigned + 3}.\n"
    assert nodes() == 5
    assert ClusterComponent.objects.get().component_id == "podinfo"


def test_restoring_what_is_so_already_changes_nothing(assigned: int) -> None:
    assert run("restore", "demo-1", "--revision", str(assigned)) == "Nothing to change.\n"
    assert head_number() == assigned


def test_a_cluster_cannot_be_restored_to_before_it_was(cluster: Cluster) -> None:
    assert refuse("restore", "demo-1", "--revision", "1") == (
        "",
        "Nothing was changed. There was no cluster 'demo-1' at revision 1.",
    )


@pytest.fixture
def removal(settings: Any) -> str:
    """A revision whose revert takes a component away from more clusters than the guard lets."""
    settings.GUARD_CLUSTERS = 1
    make_cluster(id="demo-1")
    make_cluster(id="demo-2")
    assign(make_profile(id="base"), make_component(id="podinfo"))
    return str(head_number())


def digest_of(output: str) -> str:
    return output.splitlines()[-1].removeprefix("To go ahead, confirm this plan: ")


def test_a_removal_from_many_shows_its_plan_and_asks_for_its_digest(removal: str) -> None:
    before = head_number()
    output, refusal = refuse("revert", removal)
    digest = digest_of(output)
    assert len(digest) == 32
    assert output == (
        "2 clusters (demo-1, demo-2):\n"
        "  - platform-components podinfo\n"
        "In total: 2 clusters, 2 platform-components removed\n"
        "This takes things away from 2 clusters.\n"
        f"To go ahead, confirm this plan: {digest}\n"
    )
    assert refusal == (
        "This takes things away from 2 clusters, more than 1. "
        f"Look at the plan, then confirm it with its digest. Add --confirm {digest}"
    )
    assert head_number() == before


def test_a_dry_run_gives_the_digest_too(removal: str) -> None:
    asked, _ = refuse("revert", removal)
    shown = run("revert", removal, "--dry-run")
    assert shown == asked + "This was a dry run: nothing was changed.\n"


def test_a_confirmed_removal_goes_ahead(removal: str) -> None:
    output, _ = refuse("revert", removal)
    told = run("revert", removal, "--confirm", digest_of(output))
    assert told == f"Done, as revision {int(removal) + 1}.\n"


def test_a_digest_of_before_the_fleet_changed_is_refused(removal: str) -> None:
    stale = digest_of(refuse("revert", removal)[0])
    make_cluster(id="demo-3")
    before = head_number()
    output, refusal = refuse("revert", removal, "--confirm", stale)
    fresh = digest_of(output)
    assert fresh != stale
    assert refusal == (
        "The fleet has changed since that plan was made, or the change is another one: "
        "it now takes things away from 3 clusters. Look at the plan again. "
        f"Add --confirm {fresh}"
    )
    assert head_number() == before


def test_a_digest_still_fits_after_a_change_that_does_not_matter(removal: str) -> None:
    digest = digest_of(refuse("revert", removal)[0])
    make_component()
    told = run("revert", removal, "--confirm", digest)
    assert told == f"Done, as revision {head_number()}.\n"


def test_restore_is_guarded_alike(removal: str, settings: Any) -> None:
    settings.GUARD_CLUSTERS = 0
    assign(Cluster.objects.get(pk="demo-1"), make_component(id="traefik"))
    command = ("restore", "demo-1", "--revision", removal)
    output, refusal = refuse(*command)
    assert "more than 0" in refusal
    told = run(*command, "--confirm", digest_of(output))
    assert told == f"Done, as revision {head_number()}.\n"
