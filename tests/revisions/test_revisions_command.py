import pytest

from fleet.history.change import Actor, change, head_number
from fleet.models import Cluster, Revision
from fleet.services.undo import revision_revert
from tests.factories import assign, make_cluster, make_component, make_profile, patch
from tests.revisions.commands import refuse, run

pytestmark = pytest.mark.django_db


def headline(number: int, rest: str) -> str:
    time = Revision.objects.get(number=number).created_at
    return f"{number:>6}  {time:%Y-%m-%d %H:%M:%S}  {rest}\n"


@pytest.fixture
def cluster() -> Cluster:
    return make_cluster(id="demo-1", node_count=3)


def test_the_newest_come_first(cluster: Cluster) -> None:
    with change(actor=Actor("alice"), source="api", reason="More nodes"):
        Cluster.objects.filter(pk=cluster.pk).update(node_count=5)
    newest = head_number()
    assert run("revisions").startswith(
        headline(newest, "api        alice  More nodes") + headline(newest - 1, "shell      system")
    )


def test_the_first_is_that_of_the_migrations() -> None:
    assert run("revisions", "list").endswith(
        headline(1, "migration  system  The usual environments")
    )


def test_no_more_than_twenty_are_listed_unless_asked_for(cluster: Cluster) -> None:
    for count in range(10, 35):
        Cluster.objects.filter(pk=cluster.pk).update(node_count=count)
    assert len(run("revisions").splitlines()) == 20
    assert len(run("revisions", "list", "--limit", "23").splitlines()) == 23


@pytest.mark.parametrize("limit", ["0", "-1"])
def test_a_limit_below_one_is_refused(limit: str) -> None:
    assert refuse("revisions", "list", "--limit", limit) == ("", "--limit must be at least 1.")


def test_those_of_a_cluster_are_those_that_changed_what_it_gets(cluster: Cluster) -> None:
    """Also through a profile; neither those of others, nor of what no cluster gets."""
    component = make_component()
    with change(reason="A profile"):
        assign(make_profile(), component)
    number = head_number()
    make_cluster(id="demo-2")
    Cluster.objects.filter(pk=cluster.pk).update(node_count=5)
    assert run("revisions", "list", "--cluster", "demo-1") == headline(
        number, "shell      system  A profile"
    )


def test_a_cluster_that_nothing_reached_has_no_revisions(cluster: Cluster) -> None:
    assert run("revisions", "list", "--cluster", "demo-1") == "No revisions.\n"


def test_one_is_shown_with_all_that_it_changed(cluster: Cluster) -> None:
    component = make_component(id="podinfo")
    old = patch(component, component, "ui.color", "red")
    with change(actor=Actor("alice"), source="cli", reason="Much at once"):
        Cluster.objects.filter(pk=cluster.pk).update(node_count=5, vm_image="ubuntu")
        assign(cluster, component)
        patch(cluster, component, "replicaCount", 3)
        old.delete()
    assert run("revisions", "show", str(head_number())) == (
        headline(head_number(), "cli        alice  Much at once")
        + "Changed what 1 cluster(s) get.\n"
        "  - component patch podinfo / ui.color deleted\n"
        "  ~ cluster demo-1 changed\n"
        "      node_count: 3 → 5\n"
        "      vm_image: '' → 'ubuntu'\n"
        "  + cluster component demo-1 / podinfo created\n"
        "  + cluster patch demo-1 / podinfo / replicaCount created\n"
    )


def test_a_revert_and_what_it_reverted_name_each_other(cluster: Cluster) -> None:
    Cluster.objects.filter(pk=cluster.pk).update(node_count=5)
    number = head_number()
    revision_revert(number=number)
    assert f"\nWas reverted by revision {number + 1}.\n" in run("revisions", "show", str(number))
    assert f"\nReverts revision {number}.\n" in run("revisions", "show", str(number + 1))


@pytest.mark.parametrize("number", ["0", "987654", "99999999999999999999"])
def test_an_unknown_one_is_refused(number: str) -> None:
    assert refuse("revisions", "show", number) == ("", f"There is no revision {number}.")
