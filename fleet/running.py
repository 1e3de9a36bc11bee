"""Clusters by the components that they run, in SQL: what `fleet.census` counts, as lists.

As there, a component that is disabled does not run. A test holds the two together.
"""

from typing import Any

from django.db.models import (
    BooleanField,
    Case,
    CharField,
    Exists,
    OuterRef,
    Q,
    Subquery,
    Value,
    When,
)
from django.db.models.lookups import Exact

from fleet import models
from fleet.layers import build_shared, read_shared_rows
from fleet.selection import selected_by


class Running:
    def __init__(self) -> None:
        self._shared = build_shared(read_shared_rows())

    def component(self, component: str) -> Q:
        """Clusters that have it by any layer, enabled."""
        if component not in self._shared.components:
            return Q(pk__in=[])
        enabled = self._setting(component, "enabled", True, BooleanField())
        return self.assigned(component) & Q(Exact(enabled, Value(True)))

    def version(self, component: str, version: str) -> Q:
        """Clusters on which this version of it is pinned: of an artifact, this tag."""
        catalog = self._shared.components.get(component)
        if catalog is None:
            return Q(pk__in=[])
        helm = catalog.kind == models.Component.Kind.HELM
        field = "component_version" if helm else "oci_tag"
        pinned = self._setting(component, field, getattr(catalog, field), CharField())
        return Q(Exact(pinned, Value(version)))

    def assigned(self, component: str) -> Q:
        """Clusters that have it by any layer, enabled or not."""
        assigned = Q(Exists(_own(component)))
        for profile in self._shared.profiles:
            said = profile.layer.components.get(component)
            if said is not None and said.assigned is not None:
                assigned |= selected_by(profile)
        return assigned

    def _setting(self, component: str, field: str, catalog: Any, kind: Any) -> Case:
        """A field of its settings as the layers give it, the cluster's own first."""
        own = _own(component)
        blank = {f"{field}__isnull": True} if field == "enabled" else {field: ""}
        given = [
            When(selected_by(profile), then=Value(value.value))
            for profile in reversed(self._shared.profiles)
            if (said := profile.layer.components.get(component)) and (value := getattr(said, field))
        ]
        override = Subquery(own.values(field)[:1])
        return Case(
            When(Exists(own.exclude(**blank)), then=override),
            *given,
            default=Value(catalog),
            output_field=kind,
        )


def _own(component: str) -> Any:
    return models.ClusterComponent.objects.filter(component_id=component, cluster_id=OuterRef("pk"))
