"""What the log says of a change."""

from collections.abc import Callable

import pytest

from fleet.history.change import change
from fleet.history.summaries import SAMPLE, stories
from fleet.models import (
    Cluster,
    ClusterComponent,
    ClusterPatch,
    Component,
    ComponentDependency,
    ComponentPatch,
    Namespace,
    Profile,
    ProfileEnvironment,
    Revision,
)
from fleet.services.clusters import cluster_freeze
from fleet.services.undo import revision_revert
from tests.admin.forms import number_of
from tests.factories import assign, make_cluster, make_component, make_namespace, patch, unset

pytestmark = pytest.mark.usefixtures("small_fleet")


def told() -> str:
    newest = Revision.objects.latest("number")
    return stories([newest])[newest.number].sentence


def podinfo() -> Component:
    return Component.objects.get(id="podinfo")


def c1() -> Cluster:
    return Cluster.objects.get(id="c1")


def p1() -> Profile:
    return Profile.objects.get(id="p1")


def set_value(value: str) -> None:
    ClusterPatch.objects.update(value=value)


def new_cluster() -> None:
    cluster = make_cluster(id="c2")
    for name in ("a", "b"):
        assign(cluster, make_component(id=name))
    assign(cluster, Namespace.objects.get(id="apps"))


CASES: dict[str, tuple[Callable[[], object], str]] = {
    "a patch that is set": (
        lambda: patch(c1(), podinfo(), "replicaCount", 3),
        "set replicaCount to 3 for podinfo on cluster c1",
    ),
    "a patch that is changed": (
        lambda: set_value('"blue"'),
        'set ui.color "red" → "blue" for podinfo on cluster c1',
    ),
    "a patch that is removed": (
        lambda: ClusterPatch.objects.all().delete(),
        'removed ui.color (was "red") of podinfo on cluster c1',
    ),
    "a key that is unset": (
        lambda: unset(p1(), podinfo(), "ui.color"),
        "unset ui.color for podinfo in profile p1",
    ),
    "a default": (
        lambda: ComponentPatch.objects.update(value="2"),
        "set replicaCount 1 → 2 for podinfo by default",
    ),
    "a long value": (
        lambda: set_value('"' + "x" * 100 + '"'),
        f'set ui.color "red" → "{"x" * 38}… for podinfo on cluster c1',
    ),
    "a field of an object": (
        lambda: Component.objects.filter(id="podinfo").update(component_version="2.0"),
        "changed component_version of component podinfo 1.0.0 → 2.0",
    ),
    "labels": (
        lambda: Cluster.objects.update(labels={}),
        'changed labels of cluster c1 {"tier":"gold"} → {}',
    ),
    "a version on one cluster": (
        lambda: ClusterComponent.objects.update(component_version="6.6"),
        "changed component_version of podinfo nothing → 6.6 on cluster c1",
    ),
    "a component that is disabled": (
        lambda: ClusterComponent.objects.update(enabled=False),
        "disabled podinfo on cluster c1",
    ),
    "a component that is assigned": (
        lambda: assign(p1(), podinfo()),
        "assigned podinfo to profile p1",
    ),
    "a component that is taken away": (
        lambda: ClusterComponent.objects.all().delete(),
        "took podinfo from cluster c1",
    ),
    "a namespace": (
        lambda: assign(p1(), Namespace.objects.get(id="apps")),
        "assigned namespace apps to profile p1",
    ),
    "a dependency that goes": (
        lambda: ComponentDependency.objects.all().delete(),
        "freed component podinfo of needing traefik",
    ),
    "a selector": (
        lambda: ProfileEnvironment.objects.create(profile_id="p1", environment_id="prod"),
        "added environment prod to the selector of profile p1",
    ),
    "a frozen cluster": (lambda: cluster_freeze(cluster="c1"), "froze cluster c1"),
    "a new object with rows": (
        new_cluster,
        "created 2 components and created cluster c2 with 2 components and 1 namespace",
    ),
    "two objects": (
        lambda: [make_namespace(id=name) for name in ("x", "y")],
        "created 2 namespaces",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_sentence(case):
    act, sentence = CASES[case]
    with change():
        act()
    assert told() == sentence


def test_the_same_on_several_clusters_is_told_once():
    with change():
        for number in range(14):
            assign(make_cluster(id=f"x{number}"), podinfo())
    with change():
        for number in range(14):
            patch(Cluster.objects.get(id=f"x{number}"), podinfo(), "replicaCount", 2)
    with change():
        ClusterPatch.objects.filter(key="replicaCount").update(value="3")
    assert told() == "set replicaCount 2 → 3 for podinfo on 14 clusters"


def test_many_alike_are_told_as_one_though_only_a_few_rows_are_read():
    with change():
        for number in range(SAMPLE + 5):
            patch(make_cluster(id=f"x{number}"), podinfo(), "replicaCount", number % 2)
    with change():
        ClusterPatch.objects.filter(key="replicaCount").update(value="3")
    assert told() == f"set replicaCount to 3 for podinfo on {SAMPLE + 5} clusters"


def test_many_that_differ_are_counted():
    with change():
        for number in range(SAMPLE + 5):
            patch(make_cluster(id=f"x{number}"), podinfo(), "replicaCount", number)
    assert told() == "wrote 25 clusters and 25 cluster patches"
    with change():
        ClusterPatch.objects.filter(cluster_id__in=["x1", "x2"]).update(value='"even"')
        ClusterPatch.objects.filter(cluster_id="x3").update(value='"odd"')
    assert told() == (
        'set replicaCount 1 → "even" for podinfo on cluster x1, '
        'set replicaCount 2 → "even" for podinfo on cluster x2 and 1 more change'
    )


def test_a_revert_says_what_it_reverts():
    with change() as done:
        set_value('"blue"')
    revision_revert(number=number_of(done))
    assert told() == (
        f"reverted revision {number_of(done)}: "
        'set ui.color "blue" → "red" for podinfo on cluster c1'
    )


def test_it_knows_how_many_clusters_got_something_else():
    with change() as done:
        set_value('"blue"')
    assert stories([Revision.objects.get(pk=number_of(done))])[number_of(done)].clusters == 1


def test_a_revision_without_rows_has_a_story():
    revision = Revision(number=999)
    assert stories([revision])[999].sentence == "changed nothing that is shown"
