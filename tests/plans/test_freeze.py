import pytest

from fleet import models
from fleet.errors import Conflict
from fleet.plans.formats import plan_text
from fleet.services.clusters import (
    cluster_decommission,
    cluster_freeze,
    cluster_recommission,
    cluster_unfreeze,
)
from fleet.services.objects import object_update
from tests.assigning import component_assign, namespace_unassign, patches_set
from tests.plans.effects import plan_of
from tests.services.fleets import cluster, nothing_changes, served
from tests.undo.acts import Act, of_cluster, of_profile, update

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fleet")]

AROUND: dict[str, Act] = {
    "the catalog": update(
        "platform_components",
        "base",
        component_version="9",
        patches={"a": "1"},
        depends_on=["extra"],
    ),
    "a profile": of_profile(patches_set, "gold", component="web", patches={"replicas": "9"}),
    "a profile's selector": update("profiles", "gold", labels={"tier": "none"}),
    "a profile's list": update("profiles", "picked", clusters=["one"]),
    "the cluster's values": of_cluster(patches_set, "one", component="web", patches={"a": "1"}),
    "the cluster's components": of_cluster(component_assign, "one", component="extra"),
    "the cluster's namespaces": of_cluster(namespace_unassign, "one", namespace="apps"),
    "the cluster's labels": update("clusters", "one", labels={}),
    "the cluster's environment": update("clusters", "one", environment="prod"),
    "the cluster's name": update("clusters", "one", cluster_name="uno"),
    "the cluster's DNS name": update("clusters", "one", cluster_dns="uno.example.com"),
    "the labels of a namespace": update("namespaces", "apps", labels={"a": "b"}),
    "the subjects of a rolebinding": update("rolebindings", "readers", subjects=[]),
}


@pytest.mark.parametrize("act", AROUND.values(), ids=AROUND)
def test_a_frozen_cluster_gets_the_same_bytes_whatever_changes(act):
    before = served("one")
    cluster_freeze(cluster="one")
    act()
    assert served("one") == before


@pytest.mark.parametrize("act", AROUND.values(), ids=AROUND)
def test_a_plan_says_that_a_frozen_cluster_will_not_follow(act):
    cluster_freeze(cluster="one")
    plan = plan_of(act)
    assert "one" not in plan.cluster_ids()
    assert [(item.code, item.clusters) for item in plan.warnings if item.code == "frozen"] == [
        ("frozen", ("one",))
    ]


def test_a_plan_says_so_in_words():
    cluster_freeze(cluster="one")
    plan = plan_of(update("clusters", "one", labels={}))
    assert plan_text(plan) == (
        "No cluster gets anything else than before.\n"
        "Warning: is frozen and will not follow this change (1 cluster (one))\n"
    )


@pytest.mark.parametrize("act", AROUND.values(), ids=AROUND)
def test_a_frozen_cluster_that_is_unfrozen_gets_what_it_would_have_got(act):
    cluster_freeze(cluster="one")
    frozen = served("one")
    act()
    cluster_unfreeze(cluster="one")
    assert served("one") != frozen


def test_freezing_changes_nothing_for_the_cluster():
    plan = plan_of(lambda: cluster_freeze(cluster="one"))
    assert (plan.is_empty, plan.warnings) == (True, ())


def test_the_dry_run_of_an_unfreeze_shows_all_that_waits():
    cluster_freeze(cluster="one")
    for name in ("the catalog", "the cluster's namespaces", "the subjects of a rolebinding"):
        AROUND[name]()
    plan = plan_of(lambda: cluster_unfreeze(cluster="one"))
    [group] = plan.groups
    assert group.clusters == ("one",)
    assert [(item.resource, item.id, item.action) for item in group.changes] == [
        ("platform-components", "base", "changed"),
        ("namespaces", "apps", "removed"),
        ("rolebindings", "readers", "changed"),
    ]


def test_unfreezing_where_nothing_waits_changes_nothing():
    cluster_freeze(cluster="one")
    assert plan_of(lambda: cluster_unfreeze(cluster="one")).is_empty


def test_freezing_again_keeps_the_answers_of_then():
    cluster_freeze(cluster="one")
    AROUND["the catalog"]()
    cluster_unfreeze(cluster="one")
    now = served("one")
    cluster_freeze(cluster="one")
    AROUND["a profile"]()
    assert served("one") == now


def test_a_cluster_is_frozen_once():
    cluster_freeze(cluster="one")
    with nothing_changes(), pytest.raises(Conflict) as refusal:
        cluster_freeze(cluster="one")
    assert refusal.value.message == "one is frozen; only an active cluster can be frozen."


def test_only_a_frozen_cluster_can_be_unfrozen():
    with nothing_changes(), pytest.raises(Conflict) as refusal:
        cluster_unfreeze(cluster="one")
    assert refusal.value.message == "one is active; only a frozen cluster can be unfrozen."


def test_a_decommissioned_cluster_cannot_be_frozen():
    cluster_decommission(cluster="one")
    with nothing_changes(), pytest.raises(Conflict, match="one is decommissioned"):
        cluster_freeze(cluster="one")


def test_a_frozen_cluster_can_be_decommissioned_and_comes_back_active():
    cluster_freeze(cluster="one")
    cluster_decommission(cluster="one")
    assert served("one")["namespaces"] == b'{"inputs":[]}'
    assert cluster_recommission(cluster="one").state == "active"
    assert not models.FrozenAnswers.objects.exists()


def test_the_other_clusters_follow():
    cluster_freeze(cluster="one")
    before = served("two")
    AROUND["the catalog"]()
    assert served("two") != before


def test_a_frozen_cluster_shows_what_it_is_set_to():
    cluster_freeze(cluster="one")
    object_update(section="clusters", id="one", document={"labels": {"a": "b"}})
    assert (cluster("one").labels, cluster("one").state) == ({"a": "b"}, "frozen")
