"""One act for each service and each kind of object, on the small fleet of tests/services."""

from collections.abc import Callable
from typing import Any

from fleet.history.change import change
from fleet.models import Cluster
from fleet.services.clusters import (
    cluster_decommission,
    cluster_freeze,
    cluster_purge,
    cluster_recommission,
    cluster_unfreeze,
)
from fleet.services.objects import (
    clusters_patch,
    object_create,
    object_delete,
    object_patch,
    object_update,
)
from fleet.services.seeds import seed_import
from tests.assigning import (
    component_assign,
    component_unassign,
    namespace_assign,
    namespace_unassign,
    patches_drop,
    patches_set,
    patches_unset,
    rolebinding_assign,
    rolebinding_unassign,
)
from tests.services.fleets import cluster, profile

Act = Callable[[], Any]


def create(section: str, /, **document: Any) -> Act:
    return lambda: object_create(section=section, document=document)


def update(section: str, item_id: str, /, **document: Any) -> Act:
    return lambda: object_update(section=section, id=item_id, document=document)


def delete(section: str, item_id: str) -> Act:
    return lambda: object_delete(section=section, id=item_id)


def of_cluster(service: Callable[..., Any], cluster_id: str, /, **arguments: Any) -> Act:
    return lambda: service(owner=cluster(cluster_id), **arguments)


def of_profile(service: Callable[..., Any], profile_id: str, /, **arguments: Any) -> Act:
    return lambda: service(owner=profile(profile_id), **arguments)


def together(*acts: Act) -> Act:
    def run() -> None:
        with change():
            for act in acts:
                act()

    return run


NEW_CLUSTER = {
    "id": "new",
    "cluster_name": "new",
    "cluster_dns": "new.example.com",
    "environment": "uat",
    "labels": {"tier": "gold"},
    "node_count": 3,
    "platform_components": [{"id": "extra", "enabled": False}],
    "namespaces": ["apps"],
    "rolebindings": ["readers"],
    "patches": {"extra": {"a.b": "1"}},
    "unset": {"base": ["debug"]},
}

OBJECTS: dict[str, Act] = {
    "create environment": create("environments", id="stage", rank=4),
    "update environment": update("environments", "dev", rank=7),
    "delete environment": together(
        update("profiles", "labs", environments=[]), delete("environments", "lab")
    ),
    "create namespace": create("namespaces", id="fresh", labels={"a": "b"}),
    "update namespace": update("namespaces", "apps", annotations={"owner": "jo"}),
    "delete namespace": delete("namespaces", "spare"),
    "create rolebinding": create("rolebindings", id="fresh", role="view"),
    "update rolebinding": update(
        "rolebindings", "readers", subjects=[{"kind": "Group", "name": "all"}]
    ),
    "delete rolebinding": together(
        update("profiles", "labs", rolebindings=[]), delete("rolebindings", "writers")
    ),
    "create component": create(
        "platform_components",
        id="fresh",
        component_path="fresh",
        oci_url="oci://registry.example.com/charts",
        depends_on=["base", "web"],
        values={"a": {"b": [1, None]}},
        values_schema={"type": "object"},
    ),
    "update component": update(
        "platform_components", "web", component_version="2.2.0", depends_on=[], patches={"x": "1"}
    ),
    "delete component": delete("platform_components", "extra"),
    "create profile": create(
        "profiles", id="fresh", environments=["prod"], clusters=["two"], namespaces=["apps"]
    ),
    "update profile": update(
        "profiles", "gold", weight=5, labels={}, environments=["dev"], clusters=["one", "three"]
    ),
    "delete profile": delete("profiles", "gold"),
    "create cluster": lambda: object_create(section="clusters", document=NEW_CLUSTER),
    "update cluster": update(
        "clusters", "one", environment="prod", labels={}, vm_image="debian", cluster_dns="uno.test"
    ),
    "merge patch": lambda: object_patch(
        section="clusters", id="one", patch={"patches": {"web": {"ui.message": None}}}
    ),
    "merge patch of many": lambda: clusters_patch(
        ids=["one", "three"], patch={"labels": {"tier": "silver"}}
    ),
}
ASSIGNMENTS: dict[str, Act] = {
    f"{verb} of a {kind}": act
    for kind, of, owner in (("cluster", of_cluster, "one"), ("profile", of_profile, "gold"))
    for verb, act in {
        "assign component": of(component_assign, owner, component="extra", enabled=False),
        "override component": of(component_assign, owner, component="web", oci_tag="v9"),
        "assign namespace": of(namespace_assign, owner, namespace="spare"),
        "assign rolebinding": of(rolebinding_assign, owner, rolebinding="writers"),
        "set patches": of(patches_set, owner, component="web", patches={"replicas": 7, "a": "b"}),
        "unset patches": of(patches_unset, owner, component="base", keys=["debug"]),
    }.items()
} | {
    "unassign component of a cluster": of_cluster(component_unassign, "one", component="web"),
    "unassign component of a profile": of_profile(component_unassign, "gold", component="agent"),
    "unassign namespace of a cluster": of_cluster(namespace_unassign, "one", namespace="apps"),
    "unassign namespace of a profile": of_profile(
        namespace_unassign, "everywhere", namespace="logs"
    ),
    "unassign rolebinding of a cluster": of_cluster(
        rolebinding_unassign, "one", rolebinding="readers"
    ),
    "unassign rolebinding of a profile": of_profile(
        rolebinding_unassign, "labs", rolebinding="writers"
    ),
    "drop patches of a cluster": of_cluster(
        patches_drop, "one", component="web", keys=["ui.message"]
    ),
    "drop patches of a profile": of_profile(
        patches_drop, "gold", component="web", keys=["replicas", "ui.color"]
    ),
}
STATES: dict[str, Act] = {
    "freeze": lambda: cluster_freeze(cluster="one"),
    "decommission": lambda: cluster_decommission(cluster="one"),
    "freeze, then decommission": together(
        lambda: cluster_freeze(cluster="one"), lambda: cluster_decommission(cluster="one")
    ),
    "decommission and purge": together(
        lambda: cluster_decommission(cluster="two"), lambda: cluster_purge(cluster="two")
    ),
    "decommission and recommission another": together(
        lambda: cluster_decommission(cluster="three"),
        lambda: cluster_recommission(cluster="three"),
        lambda: cluster_decommission(cluster="two"),
    ),
    "freeze and unfreeze with a change": together(
        lambda: cluster_freeze(cluster="one"),
        lambda: cluster_unfreeze(cluster="one"),
        update("clusters", "one", node_count=8),
    ),
}
IMPORTS: dict[str, Act] = {
    "import": lambda: seed_import(
        documents={
            "namespaces": [{"id": "imported"}, {"id": "apps", "labels": {}}],
            "profiles": [{"id": "gold", "namespaces": ["imported"], "clusters": ["new"]}],
            "clusters": [NEW_CLUSTER, {"id": "one", "state": "frozen"}],
        }
    ),
    "several objects at once": together(
        create("namespaces", id="fresh"),
        of_cluster(namespace_assign, "three", namespace="fresh"),
        of_profile(namespace_assign, "gold", namespace="fresh"),
        update("clusters", "three", labels={"tier": "gold"}),
        update("platform_components", "base", component_version="1.1.0"),
        of_cluster(component_unassign, "two", component="web"),
    ),
    "a row deleted and created anew": together(
        of_cluster(component_unassign, "one", component="web"),
        of_cluster(component_assign, "one", component="web"),
        of_cluster(component_unassign, "two", component="web"),
        of_cluster(component_assign, "two", component="web"),
        update("clusters", "two", node_count=4),
    ),
    "a cluster purged and created anew": together(
        lambda: cluster_decommission(cluster="one"),
        lambda: cluster_purge(cluster="one"),
        create(
            "clusters",
            id="one",
            cluster_name="one",
            cluster_dns="one.example.com",
            environment="prod",
            platform_components=["web"],
        ),
    ),
    "a DNS name that moves on": together(
        update("clusters", "one", cluster_dns="former.example.com"),
        update("clusters", "two", cluster_dns="one.example.com"),
        lambda: Cluster.objects.filter(pk="one").update(node_count=1),
    ),
}
ACTS = OBJECTS | ASSIGNMENTS | STATES | IMPORTS
