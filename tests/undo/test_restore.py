import pytest

from fleet import models
from fleet.errors import Conflict, NotFound
from fleet.history.change import change, head_number
from fleet.services.clusters import (
    cluster_decommission,
    cluster_freeze,
    cluster_purge,
    cluster_unfreeze,
)
from fleet.services.objects import object_create, object_delete, object_update
from fleet.services.undo import cluster_restore
from tests.assigning import component_unassign, namespace_assign, patches_set
from tests.services.fleets import cluster, export, nothing_changes, served
from tests.undo.acts import NEW_CLUSTER

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fleet")]

EVERYTHING_ELSE = {
    "cluster_name": "other",
    "cluster_dns": "other.example.com",
    "environment": "prod",
    "labels": {"tier": "silver"},
    "node_count": 9,
    "vm_image": "debian",
    "k0s_version": "v1",
    "platform_components": [{"id": "web", "oci_tag": "v9"}, {"id": "extra", "enabled": False}],
    "namespaces": ["spare"],
    "rolebindings": [],
    "patches": {"web": {"ui.message": "bye", "replicas": "5"}},
    "unset": {"base": ["debug"]},
}


@pytest.fixture
def then() -> int:
    """A revision with the small fleet, to come back to."""
    return head_number()


def purge(cluster_id: str) -> None:
    cluster_decommission(cluster=cluster_id)
    cluster_purge(cluster=cluster_id)


def test_fields_labels_assignments_and_patches_come_back(then):
    before = export()
    object_update(section="clusters", id="one", document=EVERYTHING_ELSE)
    cluster_restore(cluster="one", number=then)
    assert export() == before


def test_the_restored_cluster_is_given_back(then):
    object_update(section="clusters", id="one", document={"node_count": 9})
    assert cluster_restore(cluster="one", number=then).node_count is None


def test_a_state_comes_back(then):
    cluster_decommission(cluster="one")
    assert cluster_restore(cluster="one", number=then).state == "active"


def test_frozen_answers_come_back_exactly(then):
    cluster_freeze(cluster="one")
    frozen, before = head_number(), served("one")
    patches_set(owner=cluster("one"), component="web", patches={"ui.message": "later"})
    cluster_unfreeze(cluster="one")
    assert served("one") != before
    cluster_restore(cluster="one", number=frozen)
    assert served("one") == before


def test_a_frozen_cluster_is_restored_to_an_active_one(then):
    cluster_freeze(cluster="one")
    cluster_restore(cluster="one", number=then)
    assert not models.FrozenAnswers.objects.filter(pk="one").exists()


def test_a_purged_cluster_comes_back_also_onto_profile_lists(then):
    before = export()
    purge("two")
    cluster_restore(cluster="two", number=then)
    assert export() == before


def test_a_profile_that_is_gone_does_not_keep_a_purged_cluster_away(then):
    purge("two")
    object_delete(section="profiles", id="picked")
    cluster_restore(cluster="two", number=then)
    assert not models.ProfileCluster.objects.exists()


def test_the_lists_of_profiles_stay_as_they_are_for_a_cluster_that_is_there(then):
    object_update(section="profiles", id="picked", document={"clusters": ["one"]})
    object_update(section="clusters", id="two", document={"node_count": 9})
    cluster_restore(cluster="two", number=then)
    assert list(models.ProfileCluster.objects.values_list("cluster_id", flat=True)) == ["one"]


def test_the_rest_of_the_fleet_stays_as_it_is(then):
    object_update(section="platform_components", id="base", document={"component_version": "9"})
    object_update(section="clusters", id="two", document={"node_count": 9})
    object_update(section="clusters", id="one", document={"node_count": 9})
    cluster_restore(cluster="one", number=then)
    assert cluster("two").node_count == 9
    assert models.Component.objects.get(pk="base").component_version == "9"


def test_any_revision_in_between_can_be_restored(then):
    for count in (1, 2, 3):
        object_update(section="clusters", id="one", document={"node_count": count})
    assert cluster_restore(cluster="one", number=then + 2).node_count == 2


def test_a_cluster_that_was_created_anew_becomes_what_it_was_first(then):
    before = export()
    purge("three")
    object_create(section="clusters", document=NEW_CLUSTER | {"id": "three"})
    cluster_restore(cluster="three", number=then)
    assert export() == before


def test_restoring_the_present_takes_no_revision(then):
    with nothing_changes():
        cluster_restore(cluster="one", number=then)


def test_a_restore_is_one_revision(then):
    object_update(section="clusters", id="one", document=EVERYTHING_ELSE)
    cluster_restore(cluster="one", number=then)
    assert head_number() == then + 2


def test_a_dry_run_shows_the_effect_and_changes_nothing(then):
    component_unassign(owner=cluster("one"), component="web")
    with nothing_changes(), change(dry_run=True) as opened:
        cluster_restore(cluster="one", number=then)
    assert opened.plan
    assert opened.plan.totals.added == {"platform-components": 1}


def test_before_the_cluster_existed_there_is_nothing_to_restore(then):
    with nothing_changes(), pytest.raises(NotFound) as refusal:
        cluster_restore(cluster="one", number=then - 1)
    assert refusal.value.message == f"There was no cluster 'one' at revision {then - 1}."


def test_while_the_cluster_was_purged_there_is_nothing_to_restore(then):
    purge("one")
    with nothing_changes(), pytest.raises(NotFound):
        cluster_restore(cluster="one", number=head_number())


def test_an_unknown_revision(then):
    with nothing_changes(), pytest.raises(NotFound, match="There is no revision 999"):
        cluster_restore(cluster="one", number=999)


def test_a_component_that_was_deleted_since_is_named(then):
    component_unassign(owner=cluster("two"), component="web")
    object_update(section="clusters", id="one", document={"platform_components": [], "patches": {}})
    object_update(section="profiles", id="gold", document={"patches": {}, "unset": {}})
    object_delete(section="platform_components", id="web")
    with nothing_changes(), pytest.raises(Conflict) as refusal:
        cluster_restore(cluster="one", number=then)
    assert refusal.value.message == "It refers to what is no longer there: component web."
    assert refusal.value.details == {"missing": ["component web"]}


def test_an_environment_that_was_deleted_since_is_named(then):
    object_create(section="environments", document={"id": "brief"})
    object_update(section="clusters", id="one", document={"environment": "brief"})
    number = head_number()
    object_update(section="clusters", id="one", document={"environment": "dev"})
    object_delete(section="environments", id="brief")
    with nothing_changes(), pytest.raises(Conflict) as refusal:
        cluster_restore(cluster="one", number=number)
    assert refusal.value.details == {"missing": ["environment brief"]}


def test_a_dns_name_that_another_cluster_has_by_now_is_refused(then):
    namespace_assign(owner=cluster("one"), namespace="spare")
    object_update(section="clusters", id="one", document={"cluster_dns": "uno.example.com"})
    object_update(section="clusters", id="two", document={"cluster_dns": "one.example.com"})
    with nothing_changes(), pytest.raises(Conflict) as refusal:
        cluster_restore(cluster="one", number=then)
    message = "'one.example.com' is the DNS name of cluster two by now"
    assert refusal.value.details == {"cluster_dns": [message]}
