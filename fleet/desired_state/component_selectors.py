"""Clusters by the components that they run, in SQL: what `fleet.reports.versions` counts, as lists.

As there, a component that is disabled does not run. A test holds the two together.
"""

from typing import Any

from django.db.models import BooleanField, Case, CharField, Field, Q, Value
from django.db.models.lookups import Exact

from fleet import models
from fleet.desired_state.layers import build_shared, read_shared_rows
from fleet.desired_state.selectors import running_component, setting_of


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
        return running_component(component, self._shared.profiles)

    def _setting(self, component: str, field: str, catalog: Any, kind: Field) -> Case:
        return setting_of(component, field, Value(catalog), kind, self._shared.profiles)
