"""Profile selection in SQL: which clusters, for lists and filters of any size.

`Profile.selects` of the merge is the rule; this is the same rule for the database, and a test holds
the two together.
"""

from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import (
    Case,
    CharField,
    Exists,
    Expression,
    F,
    Field,
    Func,
    OuterRef,
    Q,
    Subquery,
    TextField,
    Value,
    When,
)
from django.db.models.lookups import Exact, IsNull

from fleet import models
from fleet.desired_state.layers import build_shared, read_shared_rows
from fleet.desired_state.merge import Layer, Profile


class LabelValue(Func):
    """The value of one label. Unlike Django's key transform it takes "0" for a key, not an index.

    The key must be one that Kubernetes takes: it has no quotes then.
    """

    output_field = TextField()

    def __init__(self, key: str, column: str = "labels", **extra: Any) -> None:
        super().__init__(F(column), **extra)
        self.key = key

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        column, parameters = compiler.compile(self.source_expressions[0])
        return f"JSON_EXTRACT({column}, %s)", [*parameters, f'$."{self.key}"']

    def as_postgresql(
        self, compiler: Any, connection: Any, **context: Any
    ) -> tuple[str, list[Any]]:
        column, parameters = compiler.compile(self.source_expressions[0])
        return f"({column} ->> %s)", [*parameters, self.key]


def has_label(key: str, value: str | None = None) -> Q:
    """With this label, of this value or of any."""
    label = LabelValue(key)
    return Q(IsNull(label, False)) if value is None else Q(Exact(label, value))


def selected_by(profile: Profile) -> Q:
    selected = Q()
    if profile.environments:
        selected &= Q(environment_id__in=sorted(profile.environments))
    for key, value in profile.labels:
        selected &= has_label(key, value)
    if profile.lists_clusters:
        listed = models.ProfileCluster.objects.filter(
            profile_id=profile.id, cluster_id=OuterRef("pk")
        )
        selected &= Q(Exists(listed))
    # An empty Q would vanish in an alternative, where it must be the side that is always true.
    return selected or Q(pk__isnull=False)


def running_component(component: str, profiles: Sequence[Profile] | None = None) -> Q:
    """Clusters that have it by any layer, enabled or not."""

    def assigns(layer: Layer) -> bool:
        said = layer.components.get(component)
        return said is not None and said.assigned is not None

    own = {"component_id": component}
    return _given_by_layers(models.ClusterComponent, own, assigns, profiles)


def with_namespace(namespace: str) -> Q:
    own = {"namespace_id": namespace}
    return _given_by_layers(models.ClusterNamespace, own, lambda it: namespace in it.namespaces)


def with_rolebinding(rolebinding: str) -> Q:
    own = {"rolebinding_id": rolebinding}
    return _given_by_layers(
        models.ClusterRoleBinding, own, lambda it: rolebinding in it.rolebindings
    )


def _given_by_layers(
    table: Any,
    own: dict[str, str],
    assigns: Callable[[Layer], bool],
    profiles: Sequence[Profile] | None = None,
) -> Q:
    """By a row of the cluster's own, or by the layer of a profile that selects it."""
    given = Q(Exists(table.objects.filter(cluster_id=OuterRef("pk"), **own)))
    for profile in _profiles() if profiles is None else profiles:
        if assigns(profile.layer):
            given |= selected_by(profile)
    return given


def version_of(component: str) -> Expression:
    """The version that the layers give a cluster, highest first."""
    catalog = models.Component.objects.filter(pk=component).values("component_version")[:1]
    return setting_of(component, "component_version", Subquery(catalog), CharField(), _profiles())


def setting_of(
    component: str,
    field: str,
    catalog: Any,
    kind: Field,
    profiles: Sequence[Profile],
) -> Case:
    """A field of a component's settings as the layers give it, the cluster's own first."""
    own = models.ClusterComponent.objects.filter(component_id=component, cluster_id=OuterRef("pk"))
    inherits = {f"{field}__isnull": True} if field == "enabled" else {field: ""}
    given = [
        When(selected_by(profile), then=Value(value.value))
        for profile in reversed(profiles)
        if (said := profile.layer.components.get(component)) and (value := getattr(said, field))
    ]
    return Case(
        When(Exists(own.exclude(**inherits)), then=Subquery(own.values(field)[:1])),
        *given,
        default=catalog,
        output_field=kind,
    )


def _profiles() -> tuple[Profile, ...]:
    return build_shared(read_shared_rows()).profiles
