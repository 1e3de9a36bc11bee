"""A valid row of every tracked model, and something to change in it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from fleet import models
from fleet.history.change import change
from tests.factories import build_cluster, fresh

# Not saved yet, nor is what they refer to.
BUILDERS: dict[Any, Callable[[], Any]] = {
    models.Environment: lambda: models.Environment(id=fresh("tier"), rank=5),
    models.Namespace: lambda: models.Namespace(id=fresh("namespace"), labels={"team": "a"}),
    models.RoleBinding: lambda: models.RoleBinding(id=fresh("rolebinding"), role="view"),
    models.Component: lambda: models.Component(
        id=fresh("component"), component_path="chart", oci_url="oci://registry.example.com/charts"
    ),
    models.ComponentDependency: lambda: models.ComponentDependency(
        component=new(models.Component), dependency=new(models.Component)
    ),
    models.ComponentPatch: lambda: models.ComponentPatch(
        component=new(models.Component), key="replicaCount", value="1"
    ),
    models.Cluster: lambda: build_cluster(node_count=3),
    models.FrozenAnswers: lambda: models.FrozenAnswers(cluster=new(models.Cluster), answers="{}"),
    models.ClusterComponent: lambda: models.ClusterComponent(
        cluster=new(models.Cluster), component=new(models.Component)
    ),
    models.ClusterPatch: lambda: models.ClusterPatch(
        cluster=new(models.Cluster), component=new(models.Component), key="replicas", value="1"
    ),
    models.ClusterNamespace: lambda: models.ClusterNamespace(
        cluster=new(models.Cluster), namespace=new(models.Namespace)
    ),
    models.ClusterRoleBinding: lambda: models.ClusterRoleBinding(
        cluster=new(models.Cluster), rolebinding=new(models.RoleBinding)
    ),
    models.Profile: lambda: models.Profile(id=fresh("profile"), weight=5),
    models.ProfileEnvironment: lambda: models.ProfileEnvironment(
        profile=new(models.Profile), environment=new(models.Environment)
    ),
    models.ProfileCluster: lambda: models.ProfileCluster(
        profile=new(models.Profile), cluster=new(models.Cluster)
    ),
    models.ProfileComponent: lambda: models.ProfileComponent(
        profile=new(models.Profile), component=new(models.Component)
    ),
    models.ProfilePatch: lambda: models.ProfilePatch(
        profile=new(models.Profile), component=new(models.Component), key="replicas", value="1"
    ),
    models.ProfileNamespace: lambda: models.ProfileNamespace(
        profile=new(models.Profile), namespace=new(models.Namespace)
    ),
    models.ProfileRoleBinding: lambda: models.ProfileRoleBinding(
        profile=new(models.Profile), rolebinding=new(models.RoleBinding)
    ),
    models.Token: lambda: models.Token(
        id=fresh("token"), kind=models.Token.Kind.CLUSTER, cluster=new(models.Cluster)
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
    models.Token: ("expires_at", datetime(2100, 1, 1, tzinfo=UTC)),
}


def new(model: Any) -> Any:
    return BUILDERS[model]()


def unsaved(model: Any) -> Any:
    """A valid row; what it refers to is saved already."""
    instance = new(model)
    with change():
        for field in model._meta.concrete_fields:
            if field.is_relation and field.is_cached(instance):
                getattr(instance, field.name).save()
    return instance


def saved(model: Any) -> Any:
    with change():
        instance = unsaved(model)
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
