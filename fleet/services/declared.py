"""Makes the fleet what documents say, all at once: `POST /apply`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fleet import models
from fleet.errors import Conflict
from fleet.history.change import Changes, change
from fleet.models.sections import SECTION_MODELS, SECTION_OF, SECTIONS, TARGETS
from fleet.resources.problems import Problems
from fleet.resources.reading import read_declared
from fleet.resources.specs import Spec
from fleet.services.apply import apply_specs
from fleet.services.bulk import decommission_many
from fleet.services.clusters import freeze_clusters
from fleet.services.objects import (
    check_claims,
    drop_leftover_patches,
    spell_uses,
    usages,
)
from fleet.services.rows import chunks
from fleet.services.states import States, apply_states, check_states, present_states

State = models.Cluster.State

CREATED, UPDATED, DELETED, DECOMMISSIONED = "created", "updated", "deleted", "decommissioned"
# Of rows that belong to an object: the section by the column that names the object.
OWNERS = {"component_id": "platform_components", "profile_id": "profiles", "cluster_id": "clusters"}


@dataclass(frozen=True, slots=True)
class AppliedObject:
    section: str
    id: str
    action: str

    @property
    def kind(self) -> str:
        return TARGETS[self.section]


@dataclass(frozen=True, slots=True)
class Applied:
    """What an apply did: the objects that it changed, and how many of those named it did not."""

    objects: tuple[AppliedObject, ...]
    unchanged: int

    def count(self, *actions: str) -> int:
        return sum(item.action in actions for item in self.objects)


def fleet_apply(*, documents: Mapping[str, Any], prune: bool = False) -> Applied:
    """Brings each object that is named to exactly what its document says. With `prune`, what is
    not named goes, of the kinds that the documents have: clusters are decommissioned."""
    with change() as opened:
        problems = Problems()
        wanted = read_declared(documents, prune=prune, problems=problems)
        stated = [spec for spec in wanted.specs if spec.state is not None]
        present = present_states(stated)
        check_states(stated, present, problems)
        if not problems.by_path:
            present = _frozen_as_they_are(stated, present)
        apply_specs(wanted.specs, problems=problems)
        check_claims(wanted.specs, problems)
        apply_states(stated, present)
        going = _unnamed(wanted.named) if prune else {}
        _prune(going)
        objects = _objects(opened.row_changes(), going.get("clusters", ()))
        touched = sum(item.action in {CREATED, UPDATED} for item in objects)
        return Applied(objects, sum(map(len, wanted.named.values())) - touched)


def _frozen_as_they_are(specs: Sequence[Spec], present: States) -> States:
    """With what they get before anything of this apply reaches them; that is what freezing is."""
    active = [
        spec.id
        for spec in specs
        if spec.state == State.FROZEN
        and spec.frozen_answers is None
        and present.get(spec.id) == State.ACTIVE
    ]
    if active:
        freeze_clusters(active)
    return {**present, **dict.fromkeys(active, State.FROZEN)}


def _unnamed(named: Mapping[str, set[str]]) -> dict[str, list[str]]:
    """What there is beside what is named, by section; of clusters, those that live: one that
    waits is not a part of the fleet yet, and nobody can have written it down."""
    unnamed = {}
    for section, ids in named.items():
        present = SECTION_MODELS[section].objects.order_by()
        if section == "clusters":
            present = present.filter(state__in=(State.ACTIVE, State.FROZEN))
        unnamed[section] = sorted(set(present.values_list("pk", flat=True)) - ids)
    return unnamed


def _prune(going: Mapping[str, Sequence[str]]) -> None:
    """What refers to others goes before them. What is still in use is told, all of it."""
    if going.get("clusters"):
        decommission_many(ids=going["clusters"])
    used: dict[str, dict[str, list[str]]] = {}
    for section in reversed(SECTIONS):
        if section != "clusters":
            used |= _delete(section, going.get(section, ()))
    if used:
        first, places = next(iter(used.items()))
        more = f" (and {len(used) - 1} more)" if len(used) > 1 else ""
        raise Conflict(
            f"{first} is not named, but still in use: {spell_uses(places)}{more}. A decommissioned "
            "cluster keeps what it has until it is purged.",
            {"used_by": used},
        )


def _delete(section: str, ids: Sequence[str]) -> dict[str, dict[str, list[str]]]:
    """Those that nothing uses; gives back the uses of the others."""
    model = SECTION_MODELS[section]
    if model is models.Component:
        for chunk in chunks(ids):
            models.ComponentDependency.objects.filter(component_id__in=chunk).delete()
        drop_leftover_patches(ids)
    used = usages(model, ids)
    for chunk in chunks([item for item in ids if item not in used]):
        model.objects.filter(pk__in=chunk).delete()
    return {f"{TARGETS[section]} {item}": places for item, places in sorted(used.items())}


def _objects(changes: Changes, decommissioned: Sequence[str]) -> tuple[AppliedObject, ...]:
    actions: dict[tuple[str, str], str] = {}
    for item in changes.rows:
        if item.model in SECTION_OF:
            action = {"+": CREATED, "-": DELETED}.get(item.kind, UPDATED)
            actions[SECTION_OF[item.model], item.pk] = action
    for item in changes.rows:
        owner = item.model.identity[0]
        if owner in OWNERS:
            actions.setdefault((OWNERS[owner], getattr(item.row, owner)), UPDATED)
    for clusters in changes.inserted.values():
        for cluster_id in clusters.values():
            actions.setdefault(("clusters", cluster_id), UPDATED)
    actions |= {("clusters", cluster_id): DECOMMISSIONED for cluster_id in decommissioned}
    found = [AppliedObject(section, item, action) for (section, item), action in actions.items()]
    return tuple(sorted(found, key=lambda item: (SECTIONS.index(item.section), item.id)))
