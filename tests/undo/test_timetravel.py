import pytest

from fleet import models
from fleet.desired_state.inputs import RESOURCES
from fleet.desired_state.layers import CLUSTER_CHILDREN, SHARED_MODELS
from fleet.desired_state.merge import Origin, Traced
from fleet.errors import NotFound
from fleet.history.change import change, head_number
from fleet.history.time_travel import (
    TracedChange,
    changes_of,
    cluster_difference,
    merged_at,
    revisions_of,
)
from fleet.services.clusters import cluster_decommission, cluster_freeze, cluster_purge
from fleet.services.objects import object_update
from tests.answers import answers_at
from tests.assigning import component_unassign, patches_drop, patches_set
from tests.factories import make_fleet
from tests.services.fleets import cluster, profile, served
from tests.undo.acts import ACTS

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db, pytest.mark.usefixtures("fleet")]


def set_version(component: str, version: str) -> int:
    document = {"component_version": version}
    object_update(section="platform_components", id=component, document=document)
    return head_number()


def served_at(cluster_id: str, number: int) -> dict[str, bytes]:
    answers = answers_at(cluster_id, number)
    return {resource: answers.body(resource) for resource in RESOURCES}


PAST = (
    *("update component", "create profile", "update profile", "update namespace", "create cluster"),
    *("update cluster", "assign component of a cluster", "set patches of a profile"),
    *("unset patches of a cluster", "unassign rolebinding of a profile", "merge patch of many"),
    *("freeze", "import", "delete profile", "decommission", "decommission and purge"),
)


def test_the_answers_of_the_past_are_what_was_served_then():
    recorded = {}
    for name in PAST:
        ACTS[name]()
        for cluster_id in models.Cluster.objects.values_list("pk", flat=True):
            recorded[cluster_id, head_number()] = served(cluster_id)
    assert recorded == {key: served_at(*key) for key in recorded}


def test_the_past_of_a_purged_cluster_is_still_there():
    number, before = head_number(), served("two")
    cluster_decommission(cluster="two")
    cluster_purge(cluster="two")
    assert served_at("two", number) == before


def test_before_it_existed_a_cluster_got_nothing():
    with pytest.raises(NotFound, match="There was no cluster 'one' at revision"):
        answers_at("one", head_number() - 1)


def test_an_unknown_revision():
    with pytest.raises(NotFound, match="There is no revision 999"):
        answers_at("one", 999)


def test_the_merged_state_of_the_past_has_its_provenance():
    number = head_number()
    patches_set(owner=cluster("one"), component="web", patches={"replicas": "9"})
    [web] = [item for item in merged_at("one", number).components if item.id == "web"]
    assert web.component_version == Traced("2.1.0", Origin("cluster", "one"))
    assert dict(web.patches)[("replicas",)] == Traced("3", Origin("profile", "gold"))


def test_the_difference_of_a_cluster_tells_the_layers():
    number = head_number()
    patches_set(owner=cluster("one"), component="web", patches={"replicas": "9"})
    set_version("base", "1.1.0")
    patches_drop(owner=profile("gold"), component="web", keys=["ui.color"])
    catalog = Origin("catalog", "base")
    assert cluster_difference("one", number, head_number()) == [
        TracedChange(
            "platform-components",
            "base",
            "component_version",
            Traced('"1.0.0"', catalog),
            Traced('"1.1.0"', catalog),
        ),
        TracedChange(
            "platform-components",
            "web",
            "values.replicas",
            Traced("3", Origin("profile", "gold")),
            Traced("9", Origin("cluster", "one")),
        ),
        TracedChange(
            "platform-components",
            "web",
            "values.ui.color",
            None,
            Traced('"blue"', Origin("catalog", "web")),
        ),
    ]


def test_the_difference_has_two_directions():
    number = head_number()
    set_version("base", "1.1.0")
    [forth] = cluster_difference("one", number, number + 1)
    [back] = cluster_difference("one", number + 1, number)
    assert (forth.old, forth.new) == (back.new, back.old)


def test_a_revision_does_not_differ_from_itself():
    assert cluster_difference("one", head_number(), head_number()) == []


def test_the_difference_tells_what_the_inputs_say_of_the_cluster():
    number = head_number()
    object_update(section="clusters", id="three", document={"environment": "uat"})
    origin = Origin("cluster", "three")
    assert cluster_difference("three", number, head_number()) == [
        TracedChange(
            "cluster", "three", "environment", Traced('"qa"', origin), Traced('"uat"', origin)
        )
    ]


def test_the_difference_from_before_the_cluster_is_all_that_it_gets():
    number = head_number()
    changes = cluster_difference("three", number - 1, number)
    assert all(change.old is None for change in changes)
    assert ("namespaces", "logs") in {(change.resource, change.id) for change in changes}


def test_a_frozen_cluster_differs_by_nothing_whatever_happens():
    number = head_number()
    cluster_freeze(cluster="one")
    set_version("base", "1.1.0")
    assert cluster_difference("one", number, head_number()) == []


def test_what_a_decommissioned_cluster_lost_is_told_with_the_layers_that_gave_it():
    number = head_number()
    cluster_decommission(cluster="three")
    lost = {
        (change.resource, change.id): change
        for change in cluster_difference("three", number, head_number())
    }
    assert set(lost) == {
        ("namespaces", "logs"),
        ("platform-components", "base"),
        ("rolebindings", "admins"),
    }
    assert lost["namespaces", "logs"].old
    assert lost["namespaces", "logs"].old.origin == Origin("profile", "everywhere")


def numbers_of(cluster_id: str) -> list[int]:
    return [revision.number for revision in revisions_of(cluster_id)]


def test_the_revisions_of_a_cluster_are_those_that_changed_what_it_gets():
    first = head_number()
    catalog = set_version("base", "1.1.0")
    set_version("extra", "4.1.0")
    patches_set(owner=profile("gold"), component="web", patches={"a": "1"})
    of_profile = head_number()
    patches_set(owner=profile("picked"), component="web", patches={"a": "1"})
    object_update(section="clusters", id="two", document={"node_count": 3})
    object_update(section="clusters", id="one", document={"node_count": 3})
    component_unassign(owner=cluster("one"), component="web")
    assert numbers_of("one") == [head_number(), of_profile, catalog, first]


def test_a_change_that_another_layer_hides_is_not_among_them():
    set_version("web", "2.0.1")
    assert head_number() not in numbers_of("one")
    assert head_number() in numbers_of("two")


def test_what_happened_around_a_frozen_cluster_is_not_among_them():
    first = head_number()
    cluster_freeze(cluster="one")
    set_version("base", "1.1.0")
    assert numbers_of("one") == [first]


def test_a_purge_is_among_them():
    cluster_decommission(cluster="two")
    cluster_purge(cluster="two")
    assert numbers_of("two")[0] == head_number()


def test_the_changes_of_a_revision_are_told_with_old_and_new_values():
    with change():
        set_version("base", "1.1.0")
        component_unassign(owner=cluster("two"), component="web")
    component, assignment = changes_of(head_number())
    assert (component.kind, component.pk) == ("~", "base")
    assert component.fields() == [("component_version", "1.0.0", "1.1.0")]
    assert (assignment.kind, assignment.identity()) == ("-", ("two", "web"))


@pytest.mark.parametrize("clusters", [1, 50])
def test_answers_of_the_past_take_a_fixed_number_of_queries(clusters, django_assert_num_queries):
    fleet, number = make_fleet(clusters), head_number()
    tables = len(SHARED_MODELS) + len(CLUSTER_CHILDREN) + len(["revision", "cluster"])
    with django_assert_num_queries(tables):
        answers_at(fleet.clusters[0].id, number)


@pytest.mark.parametrize("clusters", [1, 50])
def test_the_revisions_of_a_cluster_take_one_query(clusters, django_assert_num_queries):
    fleet = make_fleet(clusters)
    with django_assert_num_queries(1):
        assert len(revisions_of(fleet.clusters[0].id)) == 1
