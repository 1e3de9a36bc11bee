"""Builders of fleets for tests: valid by default, with ids that no other test uses.

Each write is a change of its own, with a revision; several belong into `with change():`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import Any

from fleet import models
from fleet.desired_state.values import to_json
from fleet.history.change import change
from fleet.models.patch import PatchRow

Owner = models.Cluster | models.Profile
numbers = count(1)


def save(instance: Any) -> Any:
    instance.full_clean()
    instance.save()
    return instance


def fresh(prefix: str) -> str:
    return f"{prefix}-{next(numbers)}"


def make_cluster(**overrides: Any) -> models.Cluster:
    """`environment` is an id."""
    return save(build_cluster(**overrides))


def build_cluster(**overrides: Any) -> models.Cluster:
    cluster_id = overrides.pop("id", None) or fresh("cluster")
    defaults = {
        "name": cluster_id,
        "dns": f"{cluster_id}.k8s.example.com",
        "environment_id": overrides.pop("environment", "dev"),
    }
    return models.Cluster(id=cluster_id, **defaults | overrides)


def make_component(*, depends_on: Iterable[str] = (), **overrides: Any) -> models.Component:
    component_id = overrides.pop("id", None) or fresh("component")
    defaults = {
        "component_path": f"charts/{component_id}",
        "component_version": "1.0.0",
        "oci_url": "oci://registry.example.com/charts",
        "oci_tag": "v1.0.0",
    }
    with change():
        component = save(models.Component(id=component_id, **defaults | overrides))
        for needed in depends_on:
            save(models.ComponentDependency(component=component, dependency_id=needed))
    return component


def make_profile(
    *,
    environments: Iterable[str] = (),
    clusters: Iterable[models.Cluster] | None = None,
    **overrides: Any,
) -> models.Profile:
    """`clusters` is the explicit list; None for a profile without one."""
    overrides.setdefault("id", fresh("profile"))
    overrides.setdefault("lists_clusters", clusters is not None)
    with change():
        profile = save(models.Profile(**overrides))
        for environment in environments:
            save(models.ProfileEnvironment(profile=profile, environment_id=environment))
        for cluster in clusters or ():
            save(models.ProfileCluster(profile=profile, cluster=cluster))
    return profile


def make_namespace(**overrides: Any) -> models.Namespace:
    overrides.setdefault("id", fresh("namespace"))
    return save(models.Namespace(**overrides))


def make_rolebinding(**overrides: Any) -> models.RoleBinding:
    overrides.setdefault("id", fresh("rolebinding"))
    overrides.setdefault("role", "view")
    overrides.setdefault("subjects", [{"kind": "Group", "name": "team"}])
    return save(models.RoleBinding(**overrides))


def assign(
    owner: Owner,
    assigned: models.Component | models.Namespace | models.RoleBinding,
    **overrides: Any,
) -> Any:
    """Puts a component, with overrides, or a namespace or rolebinding on a cluster or profile."""
    of_cluster = isinstance(owner, models.Cluster)
    row: Any
    reference: dict[str, Any]
    if isinstance(assigned, models.Component):
        row = models.ClusterComponent if of_cluster else models.ProfileComponent
        reference = {"component": assigned}
    elif isinstance(assigned, models.Namespace):
        row = models.ClusterNamespace if of_cluster else models.ProfileNamespace
        reference = {"namespace": assigned}
    else:
        row = models.ClusterRoleBinding if of_cluster else models.ProfileRoleBinding
        reference = {"rolebinding": assigned}
    return save(row(**_owned(owner), **reference, **overrides))


def patch(
    owner: Owner | models.Component, component: models.Component, key: str, value: Any
) -> PatchRow:
    """An exact value; the owner of a default of the catalog is the component itself."""
    return save(_patch_row(owner, component, key=key, value=to_json(value)))


def unset(owner: Owner, component: models.Component, key: str) -> PatchRow:
    return save(_patch_row(owner, component, key=key, unset=True))


def _patch_row(owner: Any, component: models.Component, **values: Any) -> PatchRow:
    if isinstance(owner, models.Component):
        assert owner == component
        return models.ComponentPatch(component=component, **values)
    of_cluster = isinstance(owner, models.Cluster)
    row = models.ClusterPatch if of_cluster else models.ProfilePatch
    return row(**_owned(owner), component=component, **values)


def _owned(owner: Owner) -> dict[str, Owner]:
    return {"cluster" if isinstance(owner, models.Cluster) else "profile": owner}


@dataclass(frozen=True)
class Fleet:
    clusters: list[models.Cluster]
    components: list[models.Component]
    profiles: list[models.Profile]
    namespaces: list[models.Namespace]
    rolebindings: list[models.RoleBinding]


def make_fleet(clusters: int = 50) -> Fleet:
    """Active clusters over four environments, with all that a cluster can have; one revision.

    One profile is for all clusters, the other for those of prod with the label tier=gold.
    """
    with change():
        base = make_component()
        shop = make_component(depends_on=[base.id], cluster_env_enabled=True)
        agent = make_component(kind="kustomize")
        patch(shop, shop, "replicaCount", 2)
        patch(shop, shop, "ui.color", "#2f855a")
        namespaces = [make_namespace(labels={"team": "shop"}), make_namespace()]
        rolebindings = [make_rolebinding(), make_rolebinding(role="edit")]
        everywhere = make_profile(weight=10)
        gold = make_profile(weight=20, environments=["prod"], labels={"tier": "gold"})
        assign(everywhere, base)
        assign(everywhere, namespaces[0])
        assign(gold, agent, oci_tag="v2.0.0")
        assign(gold, rolebindings[0])
        patch(gold, shop, "replicaCount", 5)
        unset(gold, shop, "ui.color")
        made = [
            build_cluster(
                environment=("dev", "qa", "uat", "prod")[number % 4],
                labels={"tier": "gold" if number % 3 else "silver"},
            )
            for number in range(clusters)
        ]
        _equip(made, shop, namespaces[1], rolebindings[1])
    return Fleet(made, [base, shop, agent], [everywhere, gold], namespaces, rolebindings)


def _equip(
    clusters: list[models.Cluster],
    component: models.Component,
    namespace: models.Namespace,
    rolebinding: models.RoleBinding,
) -> None:
    """In bulk: 50 clusters in a few queries."""
    for cluster in clusters:
        cluster.clean_fields(exclude=["environment"])
    models.Cluster.objects.bulk_create(clusters)
    models.ClusterComponent.objects.bulk_create(
        models.ClusterComponent(cluster=cluster, component=component, enabled=number % 5 != 0)
        for number, cluster in enumerate(clusters)
    )
    models.ClusterPatch.objects.bulk_create(
        models.ClusterPatch(cluster=cluster, component=component, key=key, value=to_json(value))
        for number, cluster in enumerate(clusters)
        for key, value in (("ingress.host", cluster.dns), ("weight", number % 7))
    )
    models.ClusterNamespace.objects.bulk_create(
        models.ClusterNamespace(cluster=cluster, namespace=namespace) for cluster in clusters
    )
    models.ClusterRoleBinding.objects.bulk_create(
        models.ClusterRoleBinding(cluster=cluster, rolebinding=rolebinding) for cluster in clusters
    )
