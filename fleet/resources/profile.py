from typing import Any

from fleet import models
from fleet.resources.assignments import AssigningSerializer
from fleet.resources.fields import RowsField, StoredObject
from fleet.resources.problems import Problems
from fleet.resources.specs import Replace, Spec


class ListedClustersField(RowsField):
    """The only clusters that a profile may select. An empty list selects none; `null`, the default,
    is no list."""

    @property
    def empty(self) -> Replace | None:
        return None

    def get_attribute(self, instance: StoredObject) -> Any:
        return super().get_attribute(instance) if instance.row.lists_clusters else None

    def to_representation(self, value: Any) -> Any:
        return None if value is None else super().to_representation(value)


class ProfileSerializer(AssigningSerializer):
    environments = RowsField("environment")
    clusters = ListedClustersField("cluster")

    class Meta:
        model = models.Profile
        fields = (
            "id",
            "description",
            "weight",
            "environments",
            "labels",
            "clusters",
            *AssigningSerializer.assignment_fields,
        )
        rows = {
            "environments": models.ProfileEnvironment,
            "clusters": models.ProfileCluster,
            "platform_components": models.ProfileComponent,
            "namespaces": models.ProfileNamespace,
            "rolebindings": models.ProfileRoleBinding,
            "patches": models.ProfilePatch,
        }

    def complete(self, spec: Spec, values: dict[str, Any], problems: Problems) -> None:
        super().complete(spec, values, problems)
        if "clusters" in values:
            spec.attributes["lists_clusters"] = values["clusters"] is not None
            spec.children[models.ProfileCluster] = values["clusters"] or Replace({})
