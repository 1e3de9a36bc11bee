from typing import Any

from fleet.models import Component, ComponentDependency, ComponentPatch
from fleet.resources.base import FleetSerializer
from fleet.resources.fields import RowsField
from fleet.resources.patches import PatchesField, ValuesField
from fleet.resources.problems import Problems, join
from fleet.resources.specs import GivenViews, ReplacePatches, Spec, tail_of


class ComponentSerializer(FleetSerializer):
    depends_on = RowsField("component")
    patches = PatchesField(by_component=False)
    values = ValuesField(by_component=False)

    class Meta:
        model = Component
        fields = (
            "id",
            "description",
            "kind",
            "component_path",
            "component_version",
            "cluster_env_enabled",
            "oci_url",
            "oci_tag",
            "depends_on",
            "values_schema",
            "patches",
            "values",
        )
        rows = {"depends_on": ComponentDependency, "patches": ComponentPatch}

    def complete(self, spec: Spec, values: dict[str, Any], problems: Problems) -> None:
        if tail_of(spec.id) in getattr(values.get("depends_on"), "wanted", ()):
            message = f"forms a cycle: {spec.id} → {spec.id}"
            problems.add(join(spec.path, "depends_on"), message)
        if "patches" in values or "values" in values:
            views = GivenViews(
                values.get("patches"), values.get("values"), self.context["together"]
            )
            # The catalog is the lowest layer: there is nothing below it to unset.
            spec.children[ComponentPatch] = ReplacePatches(views, frozenset())
