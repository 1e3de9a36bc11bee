"""What the active clusters run, counted and listed."""

import pytest

from fleet.desired_state.component_selectors import Running
from fleet.history.change import change
from fleet.models import Cluster
from fleet.reports.versions import (
    BrokenDependency,
    ComponentUse,
    Unpinned,
    VersionUse,
    standing,
    take_census,
)
from fleet.services.clusters import cluster_decommission, cluster_freeze
from tests.factories import assign, make_cluster, make_component, make_profile


@pytest.mark.parametrize(
    ("version", "catalog", "expected"),
    [
        ("1.2.3", "1.2.3", "current"),
        ("latest", "latest", "current"),
        ("1.9.0", "1.10.0", "behind"),
        ("v1.2.4", "1.2.3", "ahead"),
        ("2.0.0-rc.1", "1.9.4", "ahead"),
        ("2.0.0-rc.1", "2.0.0", "other"),
        ("latest", "1.2.3", "other"),
        ("1.2.3", "latest", "other"),
        ("", "1.2.3", "other"),
        ("1" * 5_000, "1.2.3", "other"),
        ("１.2", "1.2.3", "other"),
    ],
)
def test_standing(version, catalog, expected):
    assert standing(version, catalog) == expected


@pytest.fixture
def layered(db):
    """podinfo: by a profile on dev at 2.0.0, on c2 at 3.0.0, on c3 disabled, on c4 (prod) alone."""
    with change():
        podinfo = make_component(id="podinfo")
        c2, c3, c4 = (make_cluster(id=name) for name in ("c2", "c3", "c4"))
        Cluster.objects.filter(pk="c4").update(environment="prod")
        make_cluster(id="c1")
        assign(make_profile(environments=["dev"]), podinfo, component_version="2.0.0")
        assign(c2, podinfo, component_version="3.0.0")
        assign(c3, podinfo, enabled=False)
        assign(c4, podinfo)


def test_versions_are_those_of_the_merge(layered):
    assert take_census().components == (
        ComponentUse(
            "podinfo",
            "1.0.0",
            (
                VersionUse("1.0.0", 1, "current"),
                VersionUse("2.0.0", 1, "ahead"),
                VersionUse("3.0.0", 1, "ahead"),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("version", "cluster"), [("1.0.0", "c4"), ("2.0.0", "c1"), ("3.0.0", "c2")]
)
def test_the_list_has_who_is_counted(layered, version, cluster):
    running = Running()
    found = Cluster.objects.filter(running.component("podinfo"))
    assert [it.pk for it in found.filter(running.version("podinfo", version))] == [cluster]


def test_of_an_artifact_the_tag_is_what_is_pinned(db):
    with change():
        agent = make_component(id="agent", kind="kustomize", oci_tag="v1")
        assign(make_cluster(id="c1"), agent, oci_tag="v2", component_version="9.9.9")
    [use] = take_census().components
    assert (use.catalog_version, [it.version for it in use.versions]) == ("v1", ["v2"])
    assert Cluster.objects.filter(Running().version("agent", "v2")).count() == 1


def test_only_active_clusters_are_counted(layered):
    cluster_freeze(cluster="c1")
    cluster_decommission(cluster="c2")
    [use] = take_census().components
    assert use.clusters == 1


def test_dependencies_and_latest(db):
    with change():
        traefik = make_component(id="traefik")
        podinfo = make_component(id="podinfo", depends_on=["traefik"], component_version="latest")
        for name in ("c1", "c2", "c3"):
            assign(make_cluster(id=name, environment="prod"), podinfo)
        assign(Cluster.objects.get(pk="c2"), traefik, enabled=False)
        assign(Cluster.objects.get(pk="c3"), traefik)
    census = take_census()
    assert census.dependencies == (
        (BrokenDependency("podinfo", "traefik", "disabled"), 1),
        (BrokenDependency("podinfo", "traefik", "missing"), 1),
    )
    assert census.unpinned == ((Unpinned("podinfo", "prod"), 3),)


def test_unknown_components_run_nowhere(layered):
    assert not Cluster.objects.filter(Running().component("nonsense")).exists()
    assert not Cluster.objects.filter(Running().version("nonsense", "1")).exists()
