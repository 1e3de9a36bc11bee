import pytest

from fleet import models
from fleet.errors import Conflict, Invalid
from fleet.history.change import change
from fleet.services.objects import object_create, object_delete, object_update
from fleet.services.seeds import seed_import
from tests.assigning import patches_set
from tests.factories import make_component
from tests.plans.fleets import clusters_with_podinfo, component
from tests.services.fleets import nothing_changes

pytestmark = pytest.mark.django_db


def test_an_answer_larger_than_flux_takes_is_refused_and_the_clusters_are_named():
    clusters_with_podinfo(2)
    with nothing_changes(), pytest.raises(Conflict) as refusal:
        patches_set(
            owner=models.Profile.objects.get(), component="podinfo", patches={"a": "x" * 470_000}
        )
    assert refusal.value.details == {
        "clusters": ["cluster-0", "cluster-1"],
        "limits": {"bytes": 921_600, "inputs": 10_000},
    }


def test_an_answer_as_large_as_flux_takes_is_fine():
    clusters_with_podinfo(1)
    patches_set(
        owner=models.Profile.objects.get(), component="podinfo", patches={"a": "x" * 460_000}
    )


def test_a_dry_run_is_refused_too():
    clusters_with_podinfo(1)
    with nothing_changes(), pytest.raises(Conflict), change(dry_run=True):
        patches_set(
            owner=models.Profile.objects.get(), component="podinfo", patches={"a": "x" * 470_000}
        )


def test_more_inputs_than_flux_takes_are_refused():
    [cluster_id] = clusters_with_podinfo(1)
    names = [f"ns-{number}" for number in range(10_000)]
    models.Namespace.objects.bulk_create(models.Namespace(id=name) for name in names)
    with nothing_changes(), pytest.raises(Conflict) as refusal:
        models.ClusterNamespace.objects.bulk_create(
            models.ClusterNamespace(cluster_id=cluster_id, namespace_id=name) for name in names
        )
    assert refusal.value.details["clusters"] == ["cluster-0"]
    assert "10001 inputs" in refusal.value.message


IN_USE = {
    ("platform_components", "podinfo"): {
        "clusters": ["cluster-0"],
        "profiles": ["everywhere"],
        "platform_components": ["portal"],
    },
    ("namespaces", "podinfo"): {"profiles": ["everywhere"]},
    ("environments", "dev"): {"clusters": ["cluster-0"]},
    ("rolebindings", "readers"): {"clusters": ["cluster-0"]},
}


@pytest.mark.parametrize(("where", "users"), IN_USE.items(), ids=lambda item: str(item))
def test_what_is_in_use_cannot_be_deleted(where, users):
    section, item_id = where
    clusters_with_podinfo(1)
    make_component(id="portal", depends_on=["podinfo"])
    object_create(section="rolebindings", document={"id": "readers", "role": "view"})
    document = {"rolebindings": ["readers"], "patches": {"podinfo": {"a": "1"}}}
    object_update(section="clusters", id="cluster-0", document=document)
    with nothing_changes(), pytest.raises(Conflict) as refusal:
        object_delete(section=section, id=item_id)
    assert refusal.value.details == {"used_by": users}


def test_the_refusal_tells_where_it_is_used():
    clusters_with_podinfo(1)
    with pytest.raises(Conflict) as refusal:
        object_delete(section="namespaces", id="podinfo")
    assert refusal.value.message == "podinfo is still in use: profiles everywhere."


CYCLES = {
    "of one": ([component("a", "a")], "a → a"),
    "of two": ([component("a", "b"), component("b", "a")], "a → b → a"),
    "of three": ([component("a", "b"), component("b", "c"), component("c", "a")], "a → b → c → a"),
    "with a way in": ([component("a", "b"), component("b", "c"), component("c", "b")], "b → c → b"),
}


@pytest.mark.parametrize(("components", "cycle"), CYCLES.values(), ids=CYCLES)
def test_a_cycle_is_refused_and_spelled_out(components, cycle):
    with nothing_changes(), pytest.raises(Invalid) as refusal:
        seed_import(documents={"platform_components": components})
    assert f"forms a cycle: {cycle}" in str(refusal.value.details)


def test_a_cycle_is_refused_where_it_is_closed():
    seed_import(documents={"platform_components": [component("b"), component("a", "b")]})
    with nothing_changes(), pytest.raises(Invalid) as refusal:
        object_update(section="platform_components", id="b", document={"depends_on": ["a"]})
    assert refusal.value.details == {
        "platform_components[a].depends_on": ["forms a cycle: a → b → a"]
    }


def test_two_ways_to_one_dependency_are_no_cycle():
    diamond = [component("a", "b", "c"), component("b", "d"), component("c", "d"), component("d")]
    seed_import(documents={"platform_components": diamond})


def test_keys_of_one_layer_that_lead_through_one_another_are_refused():
    clusters_with_podinfo(1)
    owner = models.Cluster.objects.get()
    patches_set(owner=owner, component="podinfo", patches={"ui": "plain"})
    with nothing_changes(), pytest.raises(Invalid) as refusal:
        owner.patches.create(component_id="podinfo", key="ui.color", value='"blue"')
    where = "clusters[cluster-0].patches.podinfo.ui.color"
    message = "leads through ui, which has a value of its own; keep one of the two"
    assert refusal.value.details == {where: [message]}


def test_keys_of_different_layers_may():
    clusters_with_podinfo(1)
    patches_set(owner=models.Profile.objects.get(), component="podinfo", patches={"ui": "plain"})
    patches_set(owner=models.Cluster.objects.get(), component="podinfo", patches={"ui.color": "b"})
