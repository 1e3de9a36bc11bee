"""A valid row of every tracked model, and something to change in it."""

from collections.abc import Callable
from typing import Any

from fleet import models
from tests.factories import (
    build_cluster,
    fresh,
    make_cluster,
    make_component,
    make_namespace,
    make_profile,
    make_rolebinding,
)

# Not saved yet; what they refer to is.
UNSAVED: dict[Any, Callable[[], Any]] = {
    models.Environment: lambda: models.Environment(id=fresh("tier"), rank=5),
    models.Namespace: lambda: models.Namespace(id=fresh("namespace"), labels={"team": "a"}),
    models.RoleBinding: lambda: models.RoleBinding(id=fresh("rolebinding"), role="view"),
    models.Component: lambda: models.Component(
        id=fresh("component"), component_path="chart", oci_url="oci://registry.example.com/charts"
    ),
    models.ComponentDependency: lambda: models.ComponentDependency(
        component=make_component(), dependency=make_component()
    ),
    models.ComponentPatch: lambda: models.ComponentPatch(
        component=make_component(), key="replicaCount", value="1"
    ),
    models.Cluster: lambda: build_cluster(node_count=3),
    models.FrozenAnswers: lambda: models.FrozenAnswers(cluster=make_cluster(), answers="{}"),
    models.ClusterComponent: lambda: models.ClusterComponent(
        cluster=make_cluster(), component=make_component()
    ),
    models.ClusterPatch: lambda: models.ClusterPatch(
        cluster=make_cluster(), component=make_component(), key="replicaCount", value="1"
    ),
    models.ClusterNamespace: lambda: models.ClusterNamespace(
        cluster=make_cluster(), namespace=make_namespace()
    ),
    models.ClusterRoleBinding: lambda: models.ClusterRoleBinding(
        cluster=make_cluster(), rolebinding=make_rolebinding()
    ),
    models.Profile: lambda: models.Profile(id=fresh("profile"), weight=5),
    models.ProfileEnvironment: lambda: models.ProfileEnvironment(
        profile=make_profile(), environment_id="dev"
    ),
    models.ProfileCluster: lambda: models.ProfileCluster(
        profile=make_profile(), cluster=make_cluster()
    ),
    models.ProfileComponent: lambda: models.ProfileComponent(
        profile=make_profile(), component=make_component()
    ),
    models.ProfilePatch: lambda: models.ProfilePatch(
        profile=make_profile(), component=make_component(), key="replicaCount", value="1"
    ),
    models.ProfileNamespace: lambda: models.ProfileNamespace(
        profile=make_profile(), namespace=make_namespace()
    ),
    models.ProfileRoleBinding: lambda: models.ProfileRoleBinding(
        profile=make_profile(), rolebinding=make_rolebinding()
    ),
}

# A field beside key and identity, and another value for it. The other models have none.
EDITS: dict[Any, tuple[str, Any]] = {
    models.Environment: ("rank", 7),
    models.Namespace: ("labels", {"team": "b"}),
    models.RoleBinding: ("role", "edit"),
    models.Component: ("component_version", "2.0.0"),
    models.ComponentPatch: ("value", "2"),
    models.Cluster: ("node_count", 7),
    models.FrozenAnswers: ("answers", "[]"),
    models.ClusterComponent: ("enabled", False),
    models.ClusterPatch: ("value", "2"),
    models.Profile: ("weight", 7),
    models.ProfileComponent: ("enabled", False),
    models.ProfilePatch: ("value", "2"),
}


def saved(model: Any) -> Any:
    instance = UNSAVED[model]()
    instance.save()
    return model.objects.get(pk=instance.pk)


def values_of(instance: Any) -> dict[str, Any]:
    """By column, without a key that is yet to be generated."""
    return {
        field.attname: getattr(instance, field.attname)
        for field in instance._meta.concrete_fields
        if getattr(instance, field.attname) is not None
    }


def another_identity(model: Any) -> dict[str, Any]:
    """Another value for the last column of those that say what a row is about."""
    column = model.identity[-1]
    field = model._meta.get_field(column)
    if field.related_model is None:
        return {column: fresh("another")}
    return {column: saved(field.related_model).pk}
