import pytest

from fleet import models
from fleet.errors import ConfirmationRequired, Conflict, Invalid, NotFound
from fleet.history.change import change, head_number
from fleet.services.clusters import (
    cluster_decommission,
    cluster_freeze,
    cluster_purge,
    cluster_unfreeze,
)
from fleet.services.objects import object_create, object_delete, object_update
from fleet.services.undo import revision_revert
from tests.assigning import component_assign, patches_set
from tests.services.fleets import cluster, export, nothing_changes, profile, served
from tests.undo.acts import ACTS, NEW_CLUSTER

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.usefixtures("fleet")]


def revert(number: int | None = None, *, skip_conflicts: bool = False) -> int:
    """Takes back the newest revision, or the one with the number; gives the number of the new."""
    revision_revert(number=number or head_number(), skip_conflicts=skip_conflicts)
    return head_number()


def set_version(version: str) -> int:
    document = {"component_version": version}
    object_update(section="platform_components", id="base", document=document)
    return head_number()


def version() -> str:
    return models.Component.objects.get(pk="base").component_version


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_a_revert_puts_back_exactly_what_the_revision_changed(act):
    before = export()
    act()
    assert export() != before
    revert()
    assert export() == before


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_reverting_the_revert_does_it_again(act):
    act()
    after = export()
    revert()
    revert()
    assert export() == after


def test_a_cluster_that_was_purged_comes_back_with_its_children_and_onto_profile_lists():
    before = served("two")
    cluster_decommission(cluster="two")
    cluster_purge(cluster="two")
    revert(head_number())
    revert(head_number() - 2)
    assert served("two") == before


def test_reverting_a_freeze_makes_the_cluster_follow_again():
    cluster_freeze(cluster="one")
    frozen = head_number()
    set_version("1.1.0")
    revert(frozen)
    assert b'"component_version":"1.1.0"' in served("one")["platform-components"]


def test_reverting_an_unfreeze_brings_the_exact_frozen_answers_back():
    cluster_freeze(cluster="one")
    before = served("one")
    set_version("1.1.0")
    cluster_unfreeze(cluster="one")
    assert served("one") != before
    revert()
    assert served("one") == before


def test_what_others_changed_meanwhile_stays():
    number = set_version("1.1.0")
    patches_set(owner=cluster("one"), component="base", patches={"later": "1"})
    revert(number)
    assert version() == "1.0.0"
    assert models.ClusterPatch.objects.filter(cluster_id="one", key="later").exists()


def test_other_fields_of_the_same_object_that_were_changed_later_stay():
    number = set_version("1.1.0")
    object_update(section="platform_components", id="base", document={"oci_tag": "v7"})
    revert(number)
    assert models.Component.objects.get(pk="base").oci_tag == "v7"


def test_a_number_that_became_true_is_a_number_again():
    """To Python they are equal."""
    for schema in ({"const": 1}, {"const": True}):
        object_update(section="platform_components", id="extra", document={"values_schema": schema})
    revert()
    assert '"const": 1\n' in export()


def test_the_new_revision_names_the_one_that_it_reverts():
    number = set_version("1.1.0")
    assert models.Revision.objects.get(pk=revert(number)).reverts_id == number


def test_other_revisions_revert_nothing():
    assert models.Revision.objects.get(pk=set_version("1.1.0")).reverts_id is None


def test_a_revision_is_reverted_once():
    number = set_version("1.1.0")
    by = revert(number)
    with nothing_changes(), pytest.raises(Conflict) as refusal:
        revision_revert(number=number)
    assert refusal.value.message == f"Revision {number} was reverted by revision {by} already."


def test_after_its_revert_was_reverted_a_revision_can_be_reverted_again():
    number = set_version("1.1.0")
    revert(revert(number))
    assert version() == "1.1.0"
    revert(number)
    assert version() == "1.0.0"


def test_a_revert_that_was_reverted_twice_counts_again():
    number = set_version("1.1.0")
    first = revert(number)
    revert(revert(first))
    with nothing_changes(), pytest.raises(Conflict, match=f"reverted by revision {first} already"):
        revision_revert(number=number)


def test_there_is_no_such_revision():
    with nothing_changes(), pytest.raises(NotFound, match=r"There is no revision 999\."):
        revision_revert(number=999)


def test_nothing_may_be_left_to_revert():
    number = set_version("1.1.0")
    set_version("1.0.0")
    with nothing_changes(), pytest.raises(Conflict) as refusal:
        revision_revert(number=number)
    assert refusal.value.message == f"Nothing of revision {number} is left to be reverted."


def test_an_object_that_was_deleted_since_is_no_longer_there_to_be_taken_back():
    object_create(section="namespaces", document={"id": "fresh"})
    number = head_number()
    object_delete(section="namespaces", id="fresh")
    with nothing_changes(), pytest.raises(Conflict, match="Nothing of revision"):
        revision_revert(number=number)


def conflicts(number: int) -> list[tuple[str, str]]:
    """Why the revision cannot be reverted; nothing is changed by the attempt."""
    with nothing_changes(), pytest.raises(Conflict) as refusal:
        revision_revert(number=number)
    return [(item["object"], item["reason"]) for item in refusal.value.details["conflicts"]]


def test_a_field_that_was_changed_later_is_a_conflict():
    number = set_version("1.1.0")
    set_version("1.2.0")
    reason = "has another component_version by now: '1.2.0'"
    assert conflicts(number) == [("component base", reason)]


def test_the_message_tells_the_first_conflict_and_counts_the_others():
    document = {"component_version": "1.1.0", "oci_tag": "v1"}
    object_update(section="platform_components", id="base", document=document)
    number = head_number()
    document = {"component_version": "1.2.0", "oci_tag": "v2"}
    object_update(section="platform_components", id="base", document=document)
    with pytest.raises(Conflict) as refusal:
        revision_revert(number=number)
    assert refusal.value.message == (
        "Later changes stand in the way: component base has another component_version by now: "
        "'1.2.0' (and 1 more)."
    )


def test_an_object_that_was_changed_and_then_deleted_is_a_conflict():
    object_update(section="namespaces", id="spare", document={"labels": {"a": "b"}})
    number = head_number()
    object_delete(section="namespaces", id="spare")
    assert conflicts(number) == [("namespace spare", "was deleted later")]


def test_a_new_object_that_was_changed_later_is_a_conflict():
    object_create(section="namespaces", document={"id": "fresh"})
    number = head_number()
    object_update(section="namespaces", id="fresh", document={"labels": {"a": "b"}})
    assert conflicts(number) == [("namespace fresh", "was changed later")]


def test_a_new_object_that_is_in_use_is_a_conflict():
    object_create(section="namespaces", document={"id": "fresh"})
    number = head_number()
    object_update(section="clusters", id="three", document={"namespaces": ["fresh"]})
    used = "is used by cluster namespace three / fresh"
    assert conflicts(number) == [("namespace fresh", used)]


def test_a_deleted_object_that_was_created_anew_otherwise_is_a_conflict():
    object_delete(section="namespaces", id="spare")
    number = head_number()
    object_create(section="namespaces", document={"id": "spare", "labels": {"a": "b"}})
    assert conflicts(number) == [("namespace spare", "was created anew later")]


def test_what_an_assignment_refers_to_may_be_gone():
    object_update(section="clusters", id="one", document={"namespaces": []})
    number = head_number()
    object_delete(section="namespaces", id="apps")
    gone = "refers to namespace apps, which is gone"
    assert conflicts(number) == [("cluster namespace one / apps", gone)]


def test_the_environment_that_a_cluster_came_from_may_be_gone():
    object_create(section="environments", document={"id": "brief"})
    object_update(section="clusters", id="one", document={"environment": "brief"})
    object_update(section="clusters", id="one", document={"environment": "dev"})
    number = head_number()
    object_delete(section="environments", id="brief")
    assert conflicts(number) == [("cluster one", "refers to environment brief, which is gone")]


def test_the_dns_name_that_a_cluster_had_may_be_taken():
    object_update(section="clusters", id="one", document={"cluster_dns": "uno.test"})
    number = head_number()
    object_update(section="clusters", id="two", document={"cluster_dns": "one.example.com"})
    taken = "had the DNS name one.example.com, which cluster two has by now"
    assert conflicts(number) == [("cluster one", taken)]


def test_the_dns_name_of_a_purged_cluster_may_be_taken():
    cluster_decommission(cluster="one")
    cluster_purge(cluster="one")
    number = head_number()
    object_update(section="clusters", id="two", document={"cluster_dns": "one.example.com"})
    taken = ("cluster one", "had the DNS name one.example.com, which cluster two has by now")
    assert taken in conflicts(number)


def test_without_the_conflicts_the_rest_is_reverted():
    with change():
        set_version("1.1.0")
        object_update(section="namespaces", id="apps", document={"labels": {}})
    number = head_number()
    set_version("1.2.0")
    revert(number, skip_conflicts=True)
    assert version() == "1.2.0"
    assert models.Namespace.objects.get(pk="apps").labels == {"team": "apps"}


def test_of_one_object_the_fields_without_conflict_are_reverted():
    document = {"cluster_dns": "uno.test", "node_count": 5, "vm_image": "debian"}
    object_update(section="clusters", id="one", document=document)
    number = head_number()
    object_update(section="clusters", id="two", document={"cluster_dns": "one.example.com"})
    object_update(section="clusters", id="one", document={"vm_image": "ubuntu"})
    revert(number, skip_conflicts=True)
    found = cluster("one")
    assert (found.dns, found.node_count, found.vm_image) == ("uno.test", None, "ubuntu")


def test_where_all_is_in_conflict_nothing_is_left_to_revert():
    number = set_version("1.1.0")
    set_version("1.2.0")
    with nothing_changes(), pytest.raises(Conflict, match="Nothing of revision"):
        revision_revert(number=number, skip_conflicts=True)


def test_a_new_cluster_stays_when_something_of_it_was_changed_later():
    object_create(section="clusters", document=NEW_CLUSTER)
    number = head_number()
    patches_set(owner=cluster("new"), component="extra", patches={"a.b": "2"})
    revert(number, skip_conflicts=True)
    assert models.ClusterPatch.objects.get(cluster_id="new", key="a.b").value == "2"


def test_a_new_component_stays_when_its_assignment_was_changed_later():
    document = {"id": "fresh", "component_path": "fresh", "oci_url": "oci://example.com/x"}
    with change():
        object_create(section="platform_components", document=document)
        component_assign(owner=profile("gold"), component="fresh")
        object_create(section="namespaces", document={"id": "fresh"})
    number = head_number()
    component_assign(owner=profile("gold"), component="fresh", enabled=False)
    revert(number, skip_conflicts=True)
    assert models.ProfileComponent.objects.get(component_id="fresh").enabled is False
    assert not models.Namespace.objects.filter(pk="fresh").exists()


def test_the_children_of_a_cluster_that_cannot_come_back_stay_away():
    object_create(section="environments", document={"id": "brief"})
    object_update(section="clusters", id="one", document={"environment": "brief"})
    cluster_decommission(cluster="one")
    with change():
        cluster_purge(cluster="one")
        object_update(section="namespaces", id="spare", document={"labels": {"a": "b"}})
    number = head_number()
    object_delete(section="environments", id="brief")
    revert(number, skip_conflicts=True)
    assert models.Namespace.objects.get(pk="spare").labels == {}
    assert not models.ClusterComponent.objects.filter(cluster_id="one").exists()


def test_the_removal_guard_holds_for_a_revert(settings):
    settings.GUARD_CLUSTERS = 1
    object_update(section="profiles", id="everywhere", document={"namespaces": ["logs", "apps"]})
    with nothing_changes(), pytest.raises(ConfirmationRequired) as refusal:
        revision_revert(number=head_number())
    assert refusal.value.plan.removing_clusters == ("three", "two")


def test_a_revert_that_the_guard_stopped_can_be_confirmed(settings):
    settings.GUARD_CLUSTERS = 1
    before = export()
    object_update(section="profiles", id="everywhere", document={"namespaces": ["logs", "apps"]})
    number = head_number()
    with change(dry_run=True) as opened:
        revision_revert(number=number)
    assert opened.plan
    with change(confirm=opened.plan.digest):
        revision_revert(number=number)
    assert export() == before


def test_a_revert_may_not_close_a_cycle():
    object_update(section="platform_components", id="web", document={"depends_on": []})
    number = head_number()
    object_update(section="platform_components", id="base", document={"depends_on": ["web"]})
    with nothing_changes(), pytest.raises(Invalid, match="base → web → base"):
        revision_revert(number=number)


def test_a_dry_run_of_a_revert_changes_nothing_and_shows_its_effect():
    number = set_version("1.1.0")
    with nothing_changes(), change(dry_run=True) as opened:
        revision_revert(number=number)
    assert opened.plan
    assert opened.plan.totals.changed == {"platform-components": 3}
