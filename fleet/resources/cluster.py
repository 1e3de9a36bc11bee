import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.fields import SkipField

from fleet import models
from fleet.desired_state.inherited_enabled import InheritedEnabled
from fleet.desired_state.inputs import answers_from_document, answers_problem, encode
from fleet.resources.assignments import AssigningSerializer
from fleet.resources.fields import ChosenField, ExactField, ReferenceField, StoredObject
from fleet.resources.problems import Problems, describe, join
from fleet.resources.specs import Spec


class StateField(ChosenField):
    """May be repeated as it was read, and is named in a seed; it changes by acts of its own."""

    empty = None

    def to_internal_value(self, data: Any) -> str:
        if data not in list(self.choices):
            raise ValidationError(f"{describe(data)} must be one of: {', '.join(self.choices)}")
        return data


class FrozenAnswersField(ExactField):
    """What a cluster was frozen with. That is what Flux gets, so a person looks there; a seed needs
    it, to bring a frozen cluster back as it was."""

    def to_internal_value(self, data: Any) -> str:
        problem = answers_problem(data)
        if problem:
            raise ValidationError(problem)
        return encode(answers_from_document(data).to_document())

    def get_attribute(self, instance: StoredObject) -> Any:
        frozen = instance.children[models.FrozenAnswers]
        if not frozen or not self.context.get("seed"):
            raise SkipField
        return frozen[0]

    def to_representation(self, value: Any) -> Any:
        return json.loads(value.answers)


class ClusterSerializer(AssigningSerializer):
    environment = ReferenceField("environment", source="environment_id")
    state = StateField(choices=models.Cluster.State.choices)
    frozen_answers = FrozenAnswersField()

    class Meta:
        model = models.Cluster
        fields = (
            "id",
            "description",
            "cluster_name",
            "cluster_dns",
            "environment",
            "state",
            "labels",
            "node_count",
            "vm_image",
            "k0s_version",
            *AssigningSerializer.assignment_fields,
            "frozen_answers",
        )
        extra_kwargs = {"cluster_name": {"source": "name"}, "cluster_dns": {"source": "dns"}}
        rows = {
            "platform_components": models.ClusterComponent,
            "namespaces": models.ClusterNamespace,
            "rolebindings": models.ClusterRoleBinding,
            "patches": models.ClusterPatch,
        }

    @cached_property
    def inherited_enabled(self) -> InheritedEnabled:
        return InheritedEnabled()

    def prepare(self, objects: Sequence[StoredObject]) -> None:
        if self.context.get("seed"):
            return
        inheriting = [
            each.row
            for each in objects
            if any(row.enabled is None for row in each.children[models.ClusterComponent])
        ]
        if inheriting:
            self.inherited_enabled.prepare(inheriting)

    def inherits_enabled(self, owner_id: str, component_id: str) -> bool:
        return self.inherited_enabled.of(owner_id, component_id)

    def stays_inherited(self, owner_id: str, component_id: str, enabled: bool | None) -> bool:
        """A cluster that is not there yet was read elsewhere, or before it was purged."""
        return (
            super().stays_inherited(owner_id, component_id, enabled)
            or not models.Cluster.objects.filter(pk=owner_id).exists()
        )

    def read(self, document: Any, path: str, problems: Problems) -> Spec | None:
        given = isinstance(document, Mapping) and document.get("frozen_answers") is not None
        if given and document.get("state") != models.Cluster.State.FROZEN:
            message = "belong to a cluster whose state is frozen"
            problems.add(join(path, "frozen_answers"), message)
        return super().read(document, path, problems)

    def complete(self, spec: Spec, values: dict[str, Any], problems: Problems) -> None:
        super().complete(spec, values, problems)
        # Not written as a column: bringing a cluster to a state may take more than that.
        spec.state = spec.attributes.pop("state", None)
        spec.frozen_answers = values.get("frozen_answers")
