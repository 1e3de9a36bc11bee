"""What lists can be filtered by. A parameter that is not known is an error, never ignored."""

import re
from datetime import UTC, datetime
from typing import Any

import django_filters
from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Exists, OuterRef, Q, QuerySet, fields
from django.db.models.lookups import Exact
from django_filters.fields import IsoDateTimeField

from fleet import models
from fleet.api.revision_objects import revisions_touching
from fleet.desired_state.selectors import (
    has_label,
    running_component,
    version_of,
    with_namespace,
    with_rolebinding,
)
from fleet.errors import Invalid
from fleet.kubernetes import labels_validator
from fleet.resources.fields import INT32
from fleet.resources.problems import suggestion


class WholeNumberField(forms.IntegerField):
    """Django's takes 1.0, 1_000 and digits of any script too."""

    def to_python(self, value: Any) -> int | None:
        if value and not re.fullmatch("-?[0-9]{1,10}", value):
            raise ValidationError("must be a whole number")
        return super().to_python(value)


class WholeNumberFilter(django_filters.NumberFilter):
    field_class = WholeNumberField

    def __init__(self, *args: Any, **options: Any) -> None:
        limits = {"min_value": INT32.start, "max_value": INT32.stop - 1}
        super().__init__(*args, **limits, **options)


class MomentField(IsoDateTimeField):
    """In the first and the last hours of the calendar not every zone has a date."""

    def to_python(self, value: Any) -> datetime | None:
        moment = super().to_python(value)
        try:
            return moment.astimezone(UTC) if moment else None
        except OverflowError:
            raise ValidationError("must be within the years 1 to 9999") from None


class MomentFilter(django_filters.IsoDateTimeFilter):
    field_class = MomentField


class YesNoFilter(django_filters.TypedChoiceFilter):
    """`true` or `false`. Of anything else, django-filter's own would make “any”."""

    def __init__(self, **options: Any) -> None:
        choices = [("true", "true"), ("false", "false")]
        super().__init__(choices=choices, coerce=lambda text: text == "true", **options)


class FleetFilterSet(django_filters.FilterSet):
    """`search` looks into the given fields; `ordering` takes those of Meta.ordering."""

    FILTER_DEFAULTS = {
        **django_filters.FilterSet.FILTER_DEFAULTS,
        fields.IntegerField: {"filter_class": WholeNumberFilter},
        fields.PositiveIntegerField: {"filter_class": WholeNumberFilter},
        fields.BooleanField: {"filter_class": YesNoFilter},
    }

    search = django_filters.CharFilter(
        method="filter_search", label="text in ids, names and descriptions"
    )

    searched: tuple[str, ...] = ("id", "description")

    def filter_search(self, queryset: QuerySet, name: str, value: str) -> QuerySet:
        wanted = Q()
        for field in self.searched:
            wanted |= Q(**{f"{field}__icontains": value})
        return queryset.filter(wanted)


class LabelFilter(django_filters.CharFilter):
    """`label=key:value`, several times for several labels; `label=key` for any value."""

    def filter(self, queryset: QuerySet, value: Any) -> QuerySet:
        for text in filter(None, self._given()):
            key, colon, wanted = text.partition(":")
            try:
                labels_validator({key: wanted})
            except ValidationError as error:
                raise Invalid(f"label: {error.message}.", {"label": [error.message]}) from None
            queryset = queryset.filter(has_label(key, wanted if colon else None))
        return queryset

    def _given(self) -> list[str]:
        data = self.parent.data
        name = self.field_name
        return data.getlist(name) if hasattr(data, "getlist") else [data[name]] * (name in data)


class ReferenceFilter(django_filters.CharFilter):
    """Owners that have a row in a table of assignments with this value in a column."""

    def __init__(self, table: Any, owner: str, column: str, **options: Any) -> None:
        super().__init__(**options)
        self.table, self.owner, self.column = table, owner, column

    def filter(self, queryset: QuerySet, value: Any) -> QuerySet:
        if not value:
            return queryset
        where = {self.owner: OuterRef("pk"), self.column: value}
        return queryset.filter(Exists(self.table.objects.filter(**where)))


def ordering(*columns: str, **named: str) -> django_filters.OrderingFilter:
    """By columns of the model; `named` are those that the wire calls otherwise."""
    return django_filters.OrderingFilter(fields={name: name for name in columns} | named)


class EnvironmentFilters(FleetFilterSet):
    ordering = ordering("id", "rank")

    class Meta:
        model = models.Environment
        fields = ["id", "rank"]


class ClusterFilters(FleetFilterSet):
    searched = ("id", "name", "dns", "description")

    cluster_name = django_filters.CharFilter("name")
    cluster_dns = django_filters.CharFilter("dns", lookup_expr="iexact")
    environment = django_filters.CharFilter("environment_id")
    state = django_filters.ChoiceFilter(choices=models.Cluster.State.choices)
    label = LabelFilter(label="label, as key:value or key")
    component = django_filters.CharFilter(method="filter_component", label="has the component")
    component_version = django_filters.CharFilter(
        method="filter_version", label="version of that component"
    )
    namespace = django_filters.CharFilter(method="filter_namespace", label="has the namespace")
    rolebinding = django_filters.CharFilter(
        method="filter_rolebinding", label="has the role binding"
    )
    profile_list = ReferenceFilter(
        models.ProfileCluster, "cluster_id", "profile_id", label="on the list of the profile"
    )
    ordering = ordering(
        "id", "environment", "state", "node_count", name="cluster_name", dns="cluster_dns"
    )

    class Meta:
        model = models.Cluster
        fields = ["id", "node_count", "vm_image", "k0s_version"]

    def filter_component(self, queryset: QuerySet, name: str, value: str) -> QuerySet:
        return queryset.filter(running_component(value))

    def filter_namespace(self, queryset: QuerySet, name: str, value: str) -> QuerySet:
        return queryset.filter(with_namespace(value))

    def filter_rolebinding(self, queryset: QuerySet, name: str, value: str) -> QuerySet:
        return queryset.filter(with_rolebinding(value))

    def filter_version(self, queryset: QuerySet, name: str, value: str) -> QuerySet:
        component = self.data.get("component")
        if not component:
            message = "needs component too, to know whose version is meant"
            raise Invalid(f"component_version {message}.", {"component_version": [message]})
        return queryset.filter(Exact(version_of(component), value))


class ComponentFilters(FleetFilterSet):
    searched = ("id", "component_path", "oci_url", "description")

    depends_on = ReferenceFilter(
        models.ComponentDependency, "component_id", "dependency_id", label="depends on"
    )
    ordering = ordering("id", "kind", "component_path", "component_version")

    class Meta:
        model = models.Component
        fields = [
            "id",
            "kind",
            "component_path",
            "component_version",
            "cluster_env_enabled",
            "oci_url",
            "oci_tag",
        ]


class NamespaceFilters(FleetFilterSet):
    label = LabelFilter(label="label, as key:value or key")
    ordering = ordering("id")

    class Meta:
        model = models.Namespace
        fields = ["id"]


class RoleBindingFilters(FleetFilterSet):
    searched = ("id", "role", "description")

    ordering = ordering("id", "role")

    class Meta:
        model = models.RoleBinding
        fields = ["id", "role"]


class ProfileFilters(FleetFilterSet):
    environment = ReferenceFilter(
        models.ProfileEnvironment, "profile_id", "environment_id", label="selects the environment"
    )
    cluster = ReferenceFilter(
        models.ProfileCluster, "profile_id", "cluster_id", label="lists the cluster"
    )
    component = ReferenceFilter(
        models.ProfileComponent, "profile_id", "component_id", label="assigns the component"
    )
    namespace = ReferenceFilter(
        models.ProfileNamespace, "profile_id", "namespace_id", label="assigns the namespace"
    )
    rolebinding = ReferenceFilter(
        models.ProfileRoleBinding, "profile_id", "rolebinding_id", label="assigns the role binding"
    )
    label = LabelFilter(label="label, as key:value or key")
    ordering = ordering("id", "weight")

    class Meta:
        model = models.Profile
        fields = ["id", "weight"]


class TokenFilters(FleetFilterSet):
    searched = ("id",)

    kind = django_filters.ChoiceFilter(choices=models.Token.Kind.choices)
    cluster = django_filters.CharFilter("cluster_id")
    ordering = ordering("id", "kind", "expires_at")

    class Meta:
        model = models.Token
        fields = ["id"]


class RevisionFilters(django_filters.FilterSet):
    actor = django_filters.CharFilter("actor")
    source = django_filters.ChoiceFilter(choices=models.Revision.Source.choices)
    cluster = django_filters.CharFilter("effects__cluster_id", label="changed the cluster")
    since = MomentFilter("created_at", lookup_expr="gte", label="since")
    until = MomentFilter("created_at", lookup_expr="lt", label="before")
    object = django_filters.CharFilter(
        method="filter_object", label="touched the object, as section/id"
    )
    search = django_filters.CharFilter(
        "reason", lookup_expr="icontains", label="text in the reason"
    )
    ordering = ordering("number")

    class Meta:
        model = models.Revision
        fields: list[str] = []

    def filter_object(self, queryset: QuerySet, name: str, value: str) -> QuerySet:
        """`platform_components/podinfo`: revisions that touched the object or rows of its own."""
        return queryset.filter(pk__in=revisions_touching(value))


def apply_filters(filterset: Any, request: Any, queryset: QuerySet, *others: str) -> QuerySet:
    """Everything that is wrong with the parameters, at once. `others` are allowed beside filters.

    An empty filter would choose everything: of `environment=$TIER`, when TIER is not set.
    """
    allowed = {*filterset.base_filters, *others}
    # A form of the browsable API sends all of its fields, also those that nobody filled in.
    from_form = request.method == "GET" and request.accepted_renderer.format == "api"
    problems = {
        name: ["is not a filter here" + suggestion(name, allowed)]
        for name in request.query_params
        if name not in allowed
    }
    for name, values in request.query_params.lists():
        if any("\x00" in value for value in values):
            problems[name] = ["contains a NUL character"]
        elif name in filterset.base_filters and not from_form and not all(map(str.strip, values)):
            problems[name] = ["is empty"]
        elif len(values) > 1 and name != "label":
            problems[name] = ["is given more than once"]
    filters = filterset(request.query_params, queryset=queryset, request=request)
    if not problems and filters.is_valid():
        return _in_total_order(filters.qs)
    for name, messages in ({} if problems else filters.errors).items():
        problems[name] = [str(message) for message in messages]
    first = next(iter(problems))
    raise Invalid(f"{first}: {problems[first][0]}", problems)


def _in_total_order(queryset: QuerySet) -> QuerySet:
    """Pages of objects that are equal in what they are ordered by must not overlap."""
    ordering = queryset.query.order_by or queryset.model._meta.ordering
    return queryset.order_by(*ordering, "pk")
