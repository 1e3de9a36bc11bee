import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from fleet.history.change import change, head_number
from fleet.plans.affected import affected_clusters
from fleet.plans.diff import FieldChange, ItemChange
from fleet.plans.formats import plan_document, plan_text
from fleet.plans.plan import Plan, Totals
from fleet.services.clusters import cluster_decommission, cluster_purge
from tests.assigning import component_assign, patches_set
from tests.factories import assign, make_cluster, make_component, make_fleet, make_profile
from tests.plans.effects import plan_of
from tests.services.fleets import cluster, export, profile
from tests.undo.acts import NEW_CLUSTER, Act, create, delete, of_cluster, of_profile, update

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fleet")]


def changes_for(plan: Plan, cluster_id: str) -> dict[tuple[str, str], ItemChange]:
    return {
        (item.resource, item.id): item
        for group in plan.groups
        if cluster_id in group.clusters
        for item in group.changes
    }


def set_version(version: str, component: str = "base") -> Act:
    return update("platform_components", component, component_version=version)


def test_an_input_that_is_added_has_all_its_fields():
    plan = plan_of(of_cluster(component_assign, "three", component="extra"))
    [item] = changes_for(plan, "three").values()
    assert (item.resource, item.id, item.action) == ("platform-components", "extra", "added")
    assert FieldChange("component_version", None, '"4.0.0"') in item.fields
    assert FieldChange("source.oci_tag", None, '"latest"') in item.fields


def test_an_input_that_is_removed_has_all_its_fields():
    plan = plan_of(update("clusters", "one", namespaces=[]))
    [item] = changes_for(plan, "one").values()
    assert (item.resource, item.id, item.action) == ("namespaces", "apps", "removed")
    assert item.fields == (FieldChange("labels.team", '"apps"', None),)


def test_an_input_that_is_changed_has_the_old_and_the_new_value():
    [item] = changes_for(plan_of(set_version("1.1.0")), "three").values()
    assert item.action == "changed"
    assert item.fields == (FieldChange("component_version", '"1.0.0"', '"1.1.0"'),)


def test_values_are_told_one_by_one_exactly_and_not_once_more_as_patches():
    plan = plan_of(
        of_cluster(patches_set, "one", component="web", patches={"replicas": "4", r"a\.b.c": "yes"})
    )
    [item] = changes_for(plan, "one").values()
    assert item.fields == (
        FieldChange(r"values.a\.b.c", None, '"yes"'),
        FieldChange("values.replicas", "3", "4"),
    )


def test_a_number_that_becomes_text_is_a_change():
    act = update("clusters", "one", values={"web": {"ui": {"message": "hello"}, "replicas": "3"}})
    [item] = changes_for(plan_of(act), "one").values()
    assert item.fields == (FieldChange("values.replicas", "3", '"3"'),)


def test_clusters_with_the_same_difference_are_one_group():
    plan = plan_of(set_version("1.1.0"))
    assert [group.clusters for group in plan.groups] == [("one", "three", "two")]


def test_clusters_with_different_differences_are_different_groups_the_largest_first():
    plan = plan_of(of_profile(patches_set, "everywhere", component="base", patches={"debug": "no"}))
    assert [group.clusters for group in plan.groups] == [("one", "three")]
    plan = plan_of(update("platform_components", "web", patches={"replicas": "2", "x": "1"}))
    assert [group.clusters for group in plan.groups] == [("one",), ("two",)]


def test_a_plan_in_words():
    assert plan_text(plan_of(set_version("1.1.0"))) == (
        "3 clusters (one, three, two):\n"
        "  ~ platform-components base\n"
        '      component_version: "1.0.0" → "1.1.0"\n'
        "In total: 3 clusters, 3 platform-components changed\n"
    )


def test_many_clusters_are_counted_and_the_first_few_named():
    for number in range(4):
        make_cluster(id=f"more-{number}")
    first, *_ = plan_text(plan_of(set_version("1.1.0"))).splitlines()
    assert first == "7 clusters (more-0, more-1, more-2, more-3, one and 2 more):"


def test_a_plan_for_programs():
    act = update("platform_components", "web", component_version="2.0.1", patches={"replicas": "1"})
    document = plan_document(plan_of(act))
    fields = [
        {"field": "component_version", "old": "2.0.0", "new": "2.0.1"},
        {"field": "values.ui.color", "old": "blue"},
    ]
    changed = {"resource": "platform-components", "id": "web", "action": "changed"}
    assert document["groups"] == [
        {"count": 1, "clusters": ["two"], "changes": [{**changed, "fields": fields}]}
    ]
    assert document["confirmation_required"] is False


def test_totals_count_clusters_and_inputs():
    plan = plan_of(
        update("profiles", "everywhere", platform_components=["extra"], namespaces=["apps", "logs"])
    )
    assert plan.totals == Totals(
        clusters=3,
        removing_clusters=3,
        added={"platform-components": 3, "namespaces": 2},
        changed={},
        removed={"platform-components": 3},
    )


def test_the_rows_that_are_written_are_counted():
    plan = plan_of(update("clusters", "one", namespaces=["spare"], node_count=3))
    assert plan.rows == {"cluster": 1, "clusternamespace": 2}


def test_a_new_cluster_gets_all_of_its_inputs():
    plan = plan_of(create("clusters", **NEW_CLUSTER))
    assert {item.action for item in changes_for(plan, "new").values()} == {"added"}
    assert ("rolebindings", "admins") in changes_for(plan, "new")
    assert plan.removing_clusters == ()


def test_a_decommissioned_cluster_loses_all_of_its_inputs():
    plan = plan_of(lambda: cluster_decommission(cluster="three"))
    assert {item.action for item in changes_for(plan, "three").values()} == {"removed"}
    assert plan.removing_clusters == ("three",)


def test_a_purged_cluster_keeps_what_it_has():
    cluster_decommission(cluster="three")
    plan = plan_of(lambda: cluster_purge(cluster="three"))
    assert (plan.groups, plan.purged, plan.removing_clusters) == ((), ("three",), ())
    assert plan_text(plan) == (
        "No cluster gets anything else than before.\n"
        "Forgotten, and keeps what it has: 1 cluster (three)\n"
    )


def test_a_move_to_another_environment_changes_paths_profiles_and_what_inputs_say():
    changes = changes_for(plan_of(update("clusters", "one", environment="lab")), "one")
    moved = FieldChange("cluster.environment", '"dev"', '"lab"')
    path = FieldChange("resolved_path", '"agent/dev"', '"agent/lab"')
    assert changes["namespaces", "apps"].fields == (moved,)
    assert changes["platform-components", "agent"].fields == (path, moved)
    assert changes["rolebindings", "writers"].action == "added"


def test_a_selector_that_selects_other_clusters_adds_here_and_removes_there():
    plan = plan_of(update("profiles", "gold", labels={}, environments=["qa"]))
    assert changes_for(plan, "three")["platform-components", "agent"].action == "added"
    assert changes_for(plan, "one")["platform-components", "agent"].action == "removed"
    assert changes_for(plan, "two") == {}


def test_a_cluster_on_a_list_gets_what_the_profile_says():
    plan = plan_of(update("profiles", "picked", clusters=["one"]))
    debug = FieldChange("values.debug", None, "true")
    assert changes_for(plan, "one")["platform-components", "base"].fields == (debug,)
    assert changes_for(plan, "two")["platform-components", "base"].fields == (
        FieldChange("values.debug", "true", None),
    )


NO_EFFECT: dict[str, Act] = {
    "an environment's rank": update("environments", "dev", rank=8),
    "what provisioning needs": update("clusters", "one", node_count=8),
    "a label that no profile asks for": update("clusters", "three", labels={"a": "b"}),
    "a component that nobody has": set_version("4.4.4", "extra"),
    "a new namespace": create("namespaces", id="fresh"),
    "a profile that selects nobody": create("profiles", id="fresh", clusters=[]),
    "what a higher layer overrides": of_profile(
        component_assign, "everywhere", component="base", enabled=True
    ),
    "a namespace that nobody has": delete("namespaces", "spare"),
}


@pytest.mark.parametrize("act", NO_EFFECT.values(), ids=NO_EFFECT)
def test_what_concerns_no_cluster_has_an_empty_plan(act):
    plan = plan_of(act)
    assert plan.is_empty
    assert plan_text(plan) == "No cluster gets anything else than before.\n"
    assert plan.rows


def test_a_change_of_nothing_has_no_rows():
    plan = plan_of(set_version("1.0.0"))
    assert (plan.is_empty, plan.rows) == (True, {})


def test_a_dry_run_plans_what_the_real_run_does():
    act = update("profiles", "everywhere", platform_components=["extra"], rolebindings=[])
    planned = plan_of(act)
    with change() as opened:
        act()
    assert opened.plan == planned


def test_a_dry_run_has_no_revision():
    with change(dry_run=True) as opened:
        set_version("1.1.0")()
    assert opened.revision is None


def test_a_dry_run_of_many_acts_is_one_plan():
    before, head = export(), head_number()
    with change(dry_run=True) as opened:
        patches_set(owner=cluster("one"), component="web", patches={"a": "1"})
        patches_set(owner=profile("gold"), component="base", patches={"a": "1"})
    assert (export(), head_number()) == (before, head)
    assert opened.plan
    assert set(changes_for(opened.plan, "one")) == {
        ("platform-components", "base"),
        ("platform-components", "web"),
    }


def looked_at(act: Act) -> set[str] | None:
    with change(dry_run=True) as opened:
        act()
        return affected_clusters(opened.row_changes())


def test_a_component_that_only_clusters_have_concerns_just_these():
    having = make_cluster()
    assign(having, make_component(id="own"))
    assert looked_at(set_version("1.1.0", "own")) == {having.pk}


def test_a_component_that_a_profile_has_may_concern_any_cluster():
    assign(make_profile(), make_component(id="own"))
    assert looked_at(set_version("1.1.0", "own")) is None


def test_a_new_value_of_a_component_concerns_the_clusters_that_have_it():
    having = make_cluster()
    assign(having, make_component(id="own"))
    act = update("platform_components", "own", patches={"a": "1"})
    assert looked_at(act) == {having.pk}


def test_a_new_component_concerns_no_cluster():
    assert looked_at(lambda: make_component(id="own")) == set()


def queries_of_a_plan() -> int:
    with CaptureQueriesContext(connection) as queries, change(dry_run=True):
        set_version("1.1.0")()
    return len(queries)


def test_a_plan_takes_as_many_queries_for_few_clusters_as_for_many():
    few = queries_of_a_plan()
    make_fleet(50)
    assert queries_of_a_plan() == few
