from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from django.db import transaction
from django.db.models import ProtectedError
from django.utils import timezone

from fleet.errors import Conflict, Invalid, NotFound, UnrecordedWrite
from fleet.history.change import Actor, change, head_number
from fleet.history.time_travel import changes_of
from fleet.models import (
    TRACKED_MODELS,
    Cluster,
    ClusterComponent,
    Effect,
    Environment,
    FrozenAnswers,
    ProfileCluster,
    Revision,
)
from fleet.services.clusters import cluster_decommission
from tests.assigning import component_assign, patches_set
from tests.factories import assign, make_cluster, make_component, make_namespace, make_profile
from tests.revisions.samples import unsaved

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


def everything() -> dict[Any, Any]:
    """The fleet and its log, row by row."""
    tables = [*TRACKED_MODELS, *(model.history.model for model in TRACKED_MODELS), Revision, Effect]
    rows = {table: list(table.objects.order_by("pk").values_list()) for table in tables}
    return {"head": head_number(), **rows}


@contextmanager
def leaving_nothing(error: type[Exception], match: str | None = None) -> Iterator[None]:
    before = everything()
    with pytest.raises(error, match=match):
        yield
    assert everything() == before


def newest() -> Revision:
    return Revision.objects.get(number=head_number())


def told(number: int) -> list[tuple[str, str, Any, list[tuple[str, Any, Any]]]]:
    return [(item.kind, item.model.__name__, item.pk, item.fields()) for item in changes_of(number)]


def test_a_change_takes_the_next_number() -> None:
    before = head_number()
    with change() as opened:
        make_namespace()
    assert opened.revision == newest()
    assert newest().number == before + 1


def test_a_change_tells_who_and_through_what_and_why() -> None:
    with change(actor=Actor("alice"), source="api", reason="Because."):
        make_namespace()
    revision = newest()
    assert (revision.actor_kind, revision.actor) == ("user", "alice")
    assert (revision.source, revision.reason) == ("api", "Because.")


def test_a_write_outside_a_change_is_of_the_system_in_a_shell() -> None:
    make_namespace()
    revision = newest()
    assert (revision.actor_kind, revision.actor) == ("system", "system")
    assert (revision.source, revision.reason) == ("shell", "")


def test_a_change_tells_when() -> None:
    before = timezone.now()
    make_namespace()
    assert before <= newest().created_at <= timezone.now()


def test_history_rows_have_the_time_of_their_revision() -> None:
    namespace = make_namespace()
    assert namespace.history.get().history_date == newest().created_at


def test_what_was_created_is_told_with_its_values() -> None:
    Environment.objects.create(id="extra", rank=7)
    assert told(head_number()) == [
        ("+", "Environment", "extra", [("description", None, ""), ("rank", None, 7)])
    ]


def test_what_was_changed_is_told_with_old_and_new_values() -> None:
    cluster = make_cluster(node_count=3, vm_image="a")
    Cluster.objects.filter(pk=cluster.pk).update(node_count=5, vm_image="b")
    assert told(head_number()) == [
        ("~", "Cluster", cluster.pk, [("node_count", 3, 5), ("vm_image", "a", "b")])
    ]


def test_what_was_deleted_is_told_with_its_last_values() -> None:
    Environment.objects.create(id="extra", rank=7)
    Environment.objects.get(id="extra").delete()
    assert told(head_number()) == [
        ("-", "Environment", "extra", [("description", "", None), ("rank", 7, None)])
    ]


def test_what_a_cascade_took_is_told() -> None:
    cluster, component = make_cluster(), make_component()
    row = assign(cluster, component, oci_tag="v2")
    cluster_decommission(cluster=cluster.pk)
    Cluster.objects.get(pk=cluster.pk).delete()
    kinds = [(kind, model, pk) for kind, model, pk, _ in told(head_number())]
    assert kinds == [("-", "Cluster", cluster.pk), ("-", "ClusterComponent", row.pk)]


def test_several_writes_of_one_row_are_told_as_one() -> None:
    cluster = make_cluster(node_count=3)
    with change():
        for count in (4, 5, 6):
            Cluster.objects.filter(pk=cluster.pk).update(node_count=count)
    assert told(head_number()) == [("~", "Cluster", cluster.pk, [("node_count", 3, 6)])]


def test_a_row_created_and_changed_is_told_as_created() -> None:
    with change():
        tier = Environment.objects.create(id="extra", rank=7)
        tier.rank = 8
        tier.save()
    assert told(head_number()) == [
        ("+", "Environment", "extra", [("description", None, ""), ("rank", None, 8)])
    ]


def test_a_row_deleted_and_created_anew_is_told_as_changed() -> None:
    Environment.objects.create(id="extra", rank=7)
    with change():
        Environment.objects.get(id="extra").delete()
        Environment.objects.create(id="extra", rank=8)
    assert told(head_number()) == [("~", "Environment", "extra", [("rank", 7, 8)])]


def test_a_change_remembers_the_clusters_that_get_something_else() -> None:
    follower = make_cluster(environment="qa")
    make_cluster(environment="dev")
    assign(make_profile(environments=["qa"]), make_component())
    concerned = set(Effect.objects.filter(revision=newest()).values_list("cluster_id", flat=True))
    assert concerned == {follower.pk}


def test_a_change_without_effect_on_clusters_remembers_none() -> None:
    make_cluster()
    make_component()
    assert not newest().effects.exists()


@pytest.mark.parametrize("model", [model for model in TRACKED_MODELS if model is not FrozenAnswers])
def test_a_change_tells_whether_clusters_have_it_in_common(model: Any) -> None:
    """The catalog and the profiles; but which clusters a profile lists is read with each of them,
    and so is the name of its environment."""
    instance = unsaved(model)
    instance.save()
    of_all = model.__name__.startswith(("Component", "Namespace", "RoleBinding", "Profile"))
    assert newest().is_shared == (of_all and model is not ProfileCluster)


@pytest.fixture
def wide_from_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fleet.history.change.WIDE_CLUSTERS", 2)


def change_for(environment: str) -> None:
    """What its clusters get, and nothing for others."""
    assign(make_profile(environments=[environment]), make_component())


@pytest.mark.usefixtures("wide_from_two")
def test_a_change_to_half_of_the_clusters_is_wide() -> None:
    for environment in ("qa", "qa", "dev", "dev"):
        make_cluster(environment=environment)
    change_for("qa")
    assert newest().is_wide


@pytest.mark.usefixtures("wide_from_two")
def test_a_change_to_less_than_half_of_the_clusters_is_not_wide() -> None:
    for environment in ("qa", "qa", "dev", "dev", "dev"):
        make_cluster(environment=environment)
    change_for("qa")
    assert not newest().is_wide


@pytest.mark.usefixtures("wide_from_two")
def test_a_change_to_few_clusters_is_not_wide_even_if_these_are_all() -> None:
    make_cluster(environment="qa")
    change_for("qa")
    assert not newest().is_wide


@pytest.mark.usefixtures("wide_from_two")
def test_a_wide_change_remembers_its_clusters_too() -> None:
    clusters = {make_cluster(environment="qa").pk for _ in range(2)}
    change_for("qa")
    assert set(newest().effects.values_list("cluster_id", flat=True)) == clusters


def test_a_change_to_all_of_a_small_fleet_is_not_wide() -> None:
    for _ in range(3):
        make_cluster(environment="qa")
    change_for("qa")
    assert not newest().is_wide


@pytest.mark.usefixtures("wide_from_two")
def test_a_change_that_removes_most_clusters_is_wide() -> None:
    clusters = [make_cluster() for _ in range(2)]
    with change():
        for cluster in clusters:
            cluster_decommission(cluster=cluster.pk)
        Cluster.objects.all().delete()
    assert newest().is_wide


def save_as_it_is(cluster: Cluster) -> None:
    cluster.save()


def update_as_it_is(cluster: Cluster) -> None:
    Cluster.objects.filter(pk=cluster.pk).update(node_count=cluster.node_count)


def set_and_set_back(cluster: Cluster) -> None:
    for count in (9, cluster.node_count):
        Cluster.objects.filter(pk=cluster.pk).update(node_count=count)


def delete_and_create_anew(cluster: Cluster) -> None:
    values = Cluster.objects.filter(pk=cluster.pk).values().get()
    cluster.delete()
    Cluster.objects.create(**values)


def do_nothing(cluster: Cluster) -> None:
    pass


@pytest.mark.parametrize(
    "act", [do_nothing, save_as_it_is, update_as_it_is, set_and_set_back, delete_and_create_anew]
)
def test_a_change_that_alters_nothing_takes_no_revision(act: Any) -> None:
    cluster = make_cluster(node_count=3)
    before = everything()
    with change() as opened:
        act(cluster)
    assert opened.revision is None
    assert everything() == before


def test_creating_and_deleting_in_one_change_takes_no_revision() -> None:
    before = everything()
    with change() as opened:
        component = make_component()
        row = assign(make_profile(id="short-lived"), component)
        row.profile.delete()
        component.delete()
    assert opened.revision is None
    assert everything() == before


def test_a_change_inside_a_change_joins_it() -> None:
    before = head_number()
    with change(actor=Actor("alice"), source="api", reason="Both") as outer:
        make_namespace()
        with change(actor=Actor("bob"), source="cli", reason="One") as inner:
            make_namespace()
    assert inner is outer
    assert head_number() == before + 1
    assert (newest().actor, newest().source, newest().reason) == ("alice", "api", "Both")


def test_changes_one_after_the_other_are_two() -> None:
    before = head_number()
    with change():
        make_namespace()
    with change():
        make_namespace()
    assert head_number() == before + 2


def test_an_exception_leaves_nothing() -> None:
    cluster = make_cluster()
    with leaving_nothing(ZeroDivisionError), change():
        assign(cluster, make_component())
        cluster.delete()
        raise ZeroDivisionError


def test_after_an_exception_writes_are_recorded_again() -> None:
    with pytest.raises(ZeroDivisionError), change():
        raise ZeroDivisionError
    before = head_number()
    make_namespace()
    assert head_number() == before + 1


def test_a_refusal_by_a_guard_leaves_nothing() -> None:
    first = make_component()
    second = make_component(depends_on=[first.pk])
    with leaving_nothing(Invalid, match="forms a cycle"), change():
        make_namespace()
        first.dependencies.create(dependency=second)


def test_a_rolled_back_savepoint_is_not_recorded() -> None:
    cluster = make_cluster(node_count=3)
    with change():
        with suppress(ZeroDivisionError), transaction.atomic():
            Cluster.objects.filter(pk=cluster.pk).update(node_count=9)
            Environment.objects.create(id="extra")
            raise ZeroDivisionError
        kept = make_namespace()
    assert [(kind, pk) for kind, _, pk, _ in told(head_number())] == [("+", kept.pk)]


def test_a_transaction_around_a_change_takes_it_back() -> None:
    with leaving_nothing(ZeroDivisionError), transaction.atomic():
        make_namespace()
        raise ZeroDivisionError


def test_a_refused_act_leaves_nothing_in_a_change_that_goes_on() -> None:
    cluster, component = make_cluster(), make_component()
    with change():
        with pytest.raises(Invalid, match="empty part"):
            patches_set(owner=cluster, component=component.pk, patches={"a": 1, "b..c": 2})
        kept = make_namespace()
    assert [(kind, pk) for kind, _, pk, _ in told(head_number())] == [("+", kept.pk)]


def test_a_dry_run_leaves_nothing() -> None:
    cluster, component = make_cluster(), make_component()
    before = everything()
    with change(dry_run=True) as opened:
        component_assign(owner=cluster, component=component.pk)
        make_namespace()
    assert opened.revision is None
    assert everything() == before


def test_a_dry_run_gives_the_plan_of_the_real_run() -> None:
    cluster, component = make_cluster(), make_component()
    plans = []
    for dry_run in (True, False):
        with change(dry_run=dry_run) as opened:
            component_assign(owner=cluster, component=component.pk, oci_tag="v2")
            patches_set(owner=cluster, component=component.pk, patches={"replicaCount": "3"})
        plans.append(opened.plan)
    dry, real = plans
    assert dry == real
    assert dry is not None
    assert dry.cluster_ids() == [cluster.pk]


def test_a_dry_run_that_is_refused_leaves_nothing() -> None:
    with leaving_nothing(NotFound), change(dry_run=True):
        make_namespace()
        cluster_decommission(cluster="nobody")


def test_a_dry_run_inside_a_change_is_refused() -> None:
    """Joined to it, it would be made for real."""
    with leaving_nothing(RuntimeError, match="dry run"), change(), change(dry_run=True):
        make_namespace()


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_row_cannot_become_one_about_something_else(dry_run: bool) -> None:
    row = assign(make_cluster(), make_component())
    other = make_cluster()
    with leaving_nothing(UnrecordedWrite, match="cannot change"), change(dry_run=dry_run):
        ClusterComponent.objects.filter(pk=row.pk).update(cluster=other)


def test_a_revision_that_was_recorded_cannot_be_deleted() -> None:
    """Its history rows point to it."""
    make_namespace()
    with leaving_nothing(ProtectedError), transaction.atomic():
        newest().delete()


def test_frozen_clusters_are_not_written_by_hand() -> None:
    cluster = make_cluster()
    with leaving_nothing(Conflict, match="only with its answers"):
        Cluster.objects.filter(pk=cluster.pk).update(state="frozen")
