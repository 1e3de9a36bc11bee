"""What profiles and clusters assign: six fields, the same for both."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

from fleet.models import ClusterComponent
from fleet.models.tracked import Row
from fleet.resources.base import IDS, ExactSerializer, FleetSerializer
from fleet.resources.fields import (
    Entry,
    ExactField,
    RowsField,
    StoredObject,
    must_be,
    only,
    raise_if_any,
    read_entries,
)
from fleet.resources.namespace import NamespaceSerializer
from fleet.resources.patches import PatchesField, UnsetField, ValuesField
from fleet.resources.problems import Problems, join
from fleet.resources.rolebinding import RoleBindingSerializer
from fleet.resources.specs import (
    Claim,
    GivenViews,
    Replace,
    ReplaceComponents,
    ReplacePatches,
    ReplaceReferences,
    Spec,
    Tail,
    tail_of,
)


class InheritedMarkField(ExactField):
    """That `enabled` is not said by this layer, but shown as it is in effect."""

    empty = False

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            raise must_be("true or false", data)
        return data


class AssignedComponentSerializer(ExactSerializer):
    """What a layer says of a component that it assigns. It inherits what is null."""

    enabled_inherited = InheritedMarkField()

    class Meta:
        # That of a profile has the same columns.
        model = ClusterComponent
        fields = (
            "enabled",
            "enabled_inherited",
            "oci_tag",
            "component_path",
            "component_version",
        )


# Most clusters say nothing of most components: the same object for all of them.
NOT_OVERRIDDEN: Mapping[str, Any] = MappingProxyType(
    {"enabled": None, "oci_tag": "", "component_path": "", "component_version": ""}
)


class AssignedComponentsField(RowsField):
    @cached_property
    def overrides(self) -> AssignedComponentSerializer:
        return AssignedComponentSerializer()

    def to_internal_value(self, data: Any) -> Replace:
        problems = Problems()
        entries = read_entries(data, problems)
        self.check_references(entries, problems)
        wanted: dict[Tail, Mapping[str, Any]] = {}
        places: dict[Tail, str] = {}
        marked: list[tuple[str, dict[str, Any]]] = []
        for entry in entries:
            tail = tail_of(entry.id)
            if len(entry.given) == 1:
                wanted[tail] = NOT_OVERRIDDEN
                continue
            own = self.overrides.read_fields(entry.given, entry.place, problems, IDS)
            if own.pop("enabled_inherited", False):
                marked.append((entry.id, own))
            wanted[tail] = own
            places[tail] = f"{self.field_name}{entry.place}"
            own |= {name: own.get(name, empty) for name, empty in NOT_OVERRIDDEN.items()}
        raise_if_any(problems)
        return ReplaceComponents(wanted, places, tuple(marked))

    def get_attribute(self, instance: StoredObject) -> Sequence[Row]:
        return sorted(super().get_attribute(instance), key=lambda row: row.component_id)

    def to_representation(self, value: Sequence[Row]) -> list[dict[str, Any]]:
        return [
            {
                "id": row.component_id,
                **self._enabled(row),
                "oci_tag": row.oci_tag or None,
                "component_path": row.component_path or None,
                "component_version": row.component_version or None,
            }
            for row in value
        ]

    def _enabled(self, row: Row) -> dict[str, bool]:
        """Always true or false, as the reference service has it. A seed has only what is set."""
        if row.enabled is not None:
            return {"enabled": row.enabled}
        if self.context.get("seed"):
            return {}
        owner_id = getattr(row, self.rows.identity[0])
        enabled = self.parent.inherits_enabled(owner_id, row.component_id)
        return {"enabled": enabled, "enabled_inherited": True}


class ReferredField(RowsField):
    """Namespaces or rolebindings. The reference service's clusters carry them whole: what is
    repeated of them must be so, since it is changed at its own address."""

    def __init__(self, serializer: type[FleetSerializer], **options: Any) -> None:
        model: Any = serializer.Meta.model
        super().__init__(model._meta.model_name, **options)
        self.serializer = serializer

    @cached_property
    def repeated(self) -> FleetSerializer:
        return self.serializer()

    def to_internal_value(self, data: Any) -> Replace:
        problems = Problems()
        entries = read_entries(data, problems)
        self.check_references(entries, problems)
        claims = tuple(
            self._claim(entry, problems) for entry in entries if entry.given.keys() - {"id", "_id"}
        )
        raise_if_any(problems)
        wanted = only(entry.id for entry in entries).wanted
        return ReplaceReferences(wanted, claims=claims)

    def _claim(self, entry: Entry, problems: Problems) -> Claim:
        values = self.repeated.read_fields(entry.given, entry.place, problems, IDS)
        place = f"{self.field_name}{entry.place}"
        return Claim(place, self.serializer.Meta.model, entry.id, values)

    def to_representation(self, value: Sequence[Row]) -> list[dict[str, str]]:
        return [{"id": item} for item in super().to_representation(value)]


class AssigningSerializer(FleetSerializer):
    platform_components = AssignedComponentsField("component")
    namespaces = ReferredField(NamespaceSerializer)
    rolebindings = ReferredField(RoleBindingSerializer)
    patches = PatchesField()
    values = ValuesField()
    unset = UnsetField()

    assignment_fields = (
        "platform_components",
        "namespaces",
        "rolebindings",
        "patches",
        "values",
        "unset",
    )

    def inherits_enabled(self, owner_id: str, component_id: str) -> bool:
        """What a component is where this layer does not say whether it is enabled."""
        return True

    def stays_inherited(self, owner_id: str, component_id: str, enabled: bool | None) -> bool:
        """Whether `enabled`, marked as inherited, is what it was when it was read."""
        return enabled == self.inherits_enabled(owner_id, component_id)

    def complete(self, spec: Spec, values: dict[str, Any], problems: Problems) -> None:
        for component_id, own in getattr(values.get("platform_components"), "marked", ()):
            if self.stays_inherited(spec.id, component_id, own["enabled"]):
                own["enabled"] = None
        for name in ("namespaces", "rolebindings"):
            spec.claims += getattr(values.get(name), "claims", ())
        patches, exact, unset = (values.get(name) for name in ("patches", "values", "unset"))
        if patches is None and exact is None and unset is None:
            return
        for tail in sorted({*(patches or ()), *(exact or ())} & (unset or set())):
            message = f"{tail[1]} has a value too; keep one of the two"
            problems.add(join(spec.path, f"unset.{tail[0]}"), message)
        views = None
        if patches is not None or exact is not None:
            views = GivenViews(patches, exact, self.context["together"])
        spec.children[self.Meta.rows["patches"]] = ReplacePatches(views, unset)
