"""What is wrong with a row of patches while it is being typed, and what it may be about."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.http import QueryDict

from fleet.admin.patch_keys import Key, key_problems, taken_apart
from fleet.admin.values import KINDS_OF_SCHEMAS, NULL, UNSET, ValueField, decompress
from fleet.desired_state.inherited import Below, schema_keys, schema_type, values_over
from fleet.desired_state.merge import ComponentSettings, Origin, component_settings
from fleet.desired_state.values import JSONText, Path, ValueProblem, parse_key
from fleet.models import Cluster, ClusterPatch, Component, ComponentPatch, Profile, ProfilePatch
from fleet.models.patch import key_validator
from fleet.plans.values_schema import schema_problems

PATCHES: dict[Any, tuple[Any, str]] = {
    Cluster: (ClusterPatch, "cluster_id"),
    Profile: (ProfilePatch, "profile_id"),
    Component: (ComponentPatch, "component_id"),
}
MOST_KEYS = 100
# Of one page: more than it shows, and what somebody adds by hand.
MOST_ROWS = 1_000

Pieces = list[tuple[Path, JSONText]]


@dataclass(frozen=True, slots=True)
class Row:
    """A row as it is typed, and what it must go with."""

    pk: str
    key: str
    typed: list[str]
    # Rows of this page: they may be edited too, so what is stored of them does not count.
    here: frozenset[str]
    other_keys: tuple[str, ...] = ()

    @classmethod
    def of(cls, form: QueryDict) -> "Row":
        return cls(
            pk=form.get("id", ""),
            key=form.get("key", ""),
            typed=[form.get(name, "") for name in ("kind", "text", "truth")],
            here=frozenset(form.getlist("here")[:MOST_ROWS]),
            other_keys=tuple(form.getlist("other")[:MOST_ROWS]),
        )

    @property
    def path(self) -> Path:
        return path_of(self.key)

    @property
    def has_value(self) -> bool:
        return bool(self.typed[0] or self.typed[1])


@dataclass(frozen=True, slots=True)
class PatchCheck:
    owner: Any
    component: Component | None
    below: Below
    row: Row

    def problems(self) -> dict[str, str]:
        """By the field that they belong to; what is not typed yet is not wrong yet."""
        found = {"key": "", "value": ""}
        pieces: Pieces = []
        try:
            if self.row.key:
                key_validator(self.row.key)
        except ValidationError as error:
            found["key"] = " ".join(error.messages)
        try:
            if self.row.has_value:
                pieces = self._pieces()
        except ValidationError as error:
            found["value"] = " ".join(error.messages)
        if self.component is None or not self.row.path:
            return found
        stored = self._stored()
        found["key"] = found["key"] or self._key_problem(pieces, stored)
        if pieces and not found["key"]:
            found["value"] = self._schema_problem(self.component, pieces, stored)
        return found

    def likely_kind(self) -> str:
        """By the schema, or else by what is inherited; empty where neither tells."""
        if self.component is None or not self.row.path:
            return ""
        wanted = schema_type(self.component.values_schema, self.row.path)
        if wanted in KINDS_OF_SCHEMAS:
            return KINDS_OF_SCHEMAS[wanted]
        found = self.below.at(self.component.pk, self.row.path)
        kind = decompress(found.value)[0] if found and found.at == self.row.path else ""
        return "" if kind == NULL else kind

    def _pieces(self) -> Pieces:
        field = ValueField(removable=not isinstance(self.owner, Component))
        value = field.clean(self.row.typed)
        if not self.row.path:
            return []
        if value == UNSET:
            return [(self.row.path, UNSET)]
        try:
            return [(parse_key(key), piece) for key, piece in taken_apart(self.row.key, value)]
        except ValueProblem as problem:
            raise ValidationError(str(problem)) from problem

    def _stored(self) -> list[Any]:
        """The other patches of the component in this layer, as they are saved."""
        table, owned_by = PATCHES[type(self.owner)]
        chosen = {owned_by: self.owner.pk, "component_id": self.component and self.component.pk}
        rows = table.objects.filter(**chosen).order_by().rows()
        return [row for row in rows if str(row.id) != self.row.pk]

    def _key_problem(self, pieces: Pieces, stored: Iterable[Any]) -> str:
        mine = pieces or [(self.row.path, "")]
        keys = [Key("", path, value == UNSET, self.row) for path, value in mine]
        keys += [
            Key("", parse_key(row.key), row.unset)
            for row in stored
            if str(row.id) not in self.row.here
        ]
        keys += [Key("", path, False) for path in map(path_of, self.row.other_keys) if path]
        return next((text for key, text in key_problems(keys) if key.form is self.row), "")

    def _schema_problem(self, component: Component, pieces: Pieces, stored: Iterable[Any]) -> str:
        """Only what this row brings: what is wrong or missing without it is not its fault."""
        if component.values_schema is None:
            return ""
        others = [
            (parse_key(row.key), UNSET if row.unset else row.value)
            for row in stored
            if not any(_meets(parse_key(row.key), own) for own, _ in pieces)
        ]
        lower = self.below.of(component.pk)
        without, after = (
            schema_problems(component.values_schema, values_over(lower, _said(own)))
            for own in (others, [*others, *pieces])
        )
        return next((problem for problem in after if problem not in without), "")


def known_keys(component: Component) -> list[str]:
    """To choose from: what the schema names, and what any layer sets."""
    found = set(schema_keys(component.values_schema, MOST_KEYS))
    for table, _ in PATCHES.values():
        own = table.objects.filter(component_id=component.pk).order_by("key")
        found.update(own.values_list("key", flat=True).distinct()[:MOST_KEYS])
    return sorted(found)[:MOST_KEYS]


def path_of(key: str) -> Path:
    """Empty as long as the key is none."""
    try:
        return parse_key(key)
    except ValueProblem:
        return ()


def _meets(one: Path, other: Path) -> bool:
    """Whether the two cannot stand beside each other."""
    length = min(len(one), len(other))
    return one[:length] == other[:length]


def _said(patches: Pieces) -> ComponentSettings:
    return component_settings(
        Origin("typed", ""),
        patches=[(path, value) for path, value in patches if value != UNSET],
        unset=[path for path, value in patches if value == UNSET],
    )
