"""Create, update and delete the objects of the fleet, given as documents (fleet/resources)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from django.db import transaction

from fleet import models
from fleet.errors import Conflict, Invalid, NotFound
from fleet.gc_pause import without_garbage_collection
from fleet.history.change import change
from fleet.models.sections import SECTION_MODELS, TARGETS
from fleet.resources.cluster import ClusterSerializer
from fleet.resources.embedded import plain
from fleet.resources.known_ids import KnownIds
from fleet.resources.merge_patch import patched_fields
from fleet.resources.problems import Problems, join, near
from fleet.resources.reading import read_object
from fleet.resources.showing import documents_of
from fleet.resources.specs import Spec, Together
from fleet.services.apply import apply_specs
from fleet.services.rows import chunks, is_plain

SHOWN = 10

# Where an object may be in use: by model, the tables that refer to it and how to tell whose it is.
USES: dict[Any, tuple[tuple[str, Any, str, str], ...]] = {
    models.Component: (
        ("clusters", models.ClusterComponent, "component_id", "cluster_id"),
        ("clusters", models.ClusterPatch, "component_id", "cluster_id"),
        ("profiles", models.ProfileComponent, "component_id", "profile_id"),
        ("profiles", models.ProfilePatch, "component_id", "profile_id"),
        ("platform_components", models.ComponentDependency, "dependency_id", "component_id"),
    ),
    models.Namespace: (
        ("clusters", models.ClusterNamespace, "namespace_id", "cluster_id"),
        ("profiles", models.ProfileNamespace, "namespace_id", "profile_id"),
    ),
    models.RoleBinding: (
        ("clusters", models.ClusterRoleBinding, "rolebinding_id", "cluster_id"),
        ("profiles", models.ProfileRoleBinding, "rolebinding_id", "profile_id"),
    ),
    models.Environment: (
        ("clusters", models.Cluster, "environment_id", "id"),
        ("profiles", models.ProfileEnvironment, "environment_id", "profile_id"),
    ),
    models.Profile: (),
}


def object_get(*, section: str, id: str) -> Any:
    found = SECTION_MODELS[section].objects.filter(pk=id).first() if is_plain(id) else None
    if found is None:
        raise _not_found(section, id)
    return found


def object_document(*, section: str, id: str) -> dict[str, Any]:
    found = documents_of(section, [id]) if is_plain(id) else []
    if not found:
        raise _not_found(section, id)
    return found[0]


def _not_found(section: str, id: str) -> NotFound:
    known = SECTION_MODELS[section].objects.order_by().values_list("pk", flat=True)
    return NotFound(f"There is no {TARGETS[section]} {id!r}{near(id, known)}.")


def object_create(*, section: str, document: Mapping[str, Any]) -> Any:
    with change():
        spec = _read(section, document, None, Together.APART)
        if SECTION_MODELS[section].objects.filter(pk=spec.id).exists():
            raise Conflict(
                f"There is a {TARGETS[section]} {spec.id!r} already.",
                {"id": [f"{spec.id!r} exists already"]},
            )
        _apply(spec)
        return object_get(section=section, id=spec.id)


def object_update(*, section: str, id: str, document: Mapping[str, Any]) -> None:
    """Replaces the fields that the document names, and leaves the others."""
    with change():
        object_get(section=section, id=id)
        _apply(_read(section, document, id, Together.COPIED))


def object_patch(*, section: str, id: str, patch: Mapping[str, Any]) -> None:
    """JSON Merge Patch at every depth: null removes."""
    with change():
        present = object_document(section=section, id=id)
        _require_object(patch)
        _apply(_read(section, patched_fields(present, patch), id, Together.EDITED))


@without_garbage_collection()
def clusters_patch(*, ids: Sequence[str], patch: Mapping[str, Any]) -> list[str]:
    """The same merge patch on many clusters, all or none. Gives back those that it changed."""
    with change():
        _require_object(patch)
        for name in ("id", "_id", "cluster_dns", "cluster_name", "state"):
            if name in patch:
                message = "cannot be the same for many clusters"
                raise Invalid(f"{name} {message}.", {name: [message]})
        if not ids:
            _try_patch(patch)
        problems = Problems()
        specs: list[Spec] = []
        serializer = ClusterSerializer(context={"known": KnownIds(), "together": Together.EDITED})
        for chunk in chunks(ids):
            for document in documents_of("clusters", chunk):
                wanted = patched_fields(document, patch) | {"id": document["id"]}
                spec = serializer.read(wanted, "", problems)
                # What is wrong with the patch is wrong everywhere; saying it once will do.
                problems.raise_if_any()
                if spec is None:
                    continue
                if not specs:
                    check_claims([spec], problems)
                spec.path = f"clusters[{spec.id}]"
                specs.append(spec)
        apply_specs(specs, problems=problems)
        return [spec.id for spec in specs if spec.wrote]


def _try_patch(patch: Mapping[str, Any]) -> None:
    """A patch that meets no cluster is right or wrong all the same: on one that is not kept."""
    environment = models.Environment.objects.first()
    if environment is None:
        return
    trial = f"trial-{uuid4().hex}"
    with transaction.atomic():
        models.Cluster.objects.create(id=trial, name=trial, dns=trial, environment=environment)
        clusters_patch(ids=[trial], patch=patch)
        transaction.set_rollback(True)


def _require_object(patch: Any) -> None:
    if not isinstance(patch, Mapping):
        message = "must be an object of fields to change"
        raise Invalid(f"The body {message}.", {"body": [message]})


def object_delete(*, section: str, id: str) -> None:
    """Clusters are not deleted but decommissioned, and then purged."""
    with change():
        found = object_get(section=section, id=id)
        if isinstance(found, models.Cluster):
            raise Conflict("A cluster is decommissioned first, and then purged.")
        if isinstance(found, models.Component):
            drop_leftover_patches([id])
        used = usage(found)
        if used:
            raise Conflict(f"{id} is still in use: {spell_uses(used)}.", {"used_by": used})
        found.delete()


def drop_leftover_patches(components: Sequence[str]) -> None:
    """Values of layers for components that no layer assigns any more: nobody gets them, and they
    go with the component. The plan names their rows."""
    for chunk in chunks(components):
        assigned = {
            component
            for model in (models.ClusterComponent, models.ProfileComponent)
            for component in model.objects.filter(component_id__in=chunk)
            .order_by()
            .values_list("component_id", flat=True)
        }
        leftover = [component for component in chunk if component not in assigned]
        for patches in (models.ClusterPatch, models.ProfilePatch):
            patches.objects.filter(component_id__in=leftover).delete()


def usage(found: Any) -> dict[str, list[str]]:
    """Where an object is used, by kind, such as {"clusters": […], "profiles": […]}."""
    return usages(type(found), [found.pk]).get(found.pk, {})


def usages(model: Any, ids: Sequence[str]) -> dict[str, dict[str, list[str]]]:
    """The same for many; those that are used nowhere are left out."""
    used: dict[str, dict[str, set[str]]] = {}
    for kind, user_model, column, user in USES[model]:
        for chunk in chunks(ids):
            rows = user_model.objects.filter(**{f"{column}__in": chunk}).order_by()
            for item, by in rows.values_list(column, user):
                used.setdefault(item, {}).setdefault(kind, set()).add(by)
    return {
        item: {kind: sorted(users) for kind, users in kinds.items()} for item, kinds in used.items()
    }


def spell_uses(used: Mapping[str, list[str]]) -> str:
    return "; ".join(_spell(kind, ids) for kind, ids in used.items())


def _spell(kind: str, ids: list[str]) -> str:
    more = f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
    return f"{kind} {', '.join(ids[:SHOWN])}{more}"


def _read(
    section: str, document: Mapping[str, Any], item_id: str | None, together: Together
) -> Spec:
    problems = Problems()
    spec = read_object(
        section,
        document,
        problems=problems,
        known=KnownIds(),
        item_id=item_id,
        together=together,
    )
    if spec is not None and not is_plain(spec.id):
        problems.add("id", "has a character that no name can have")
    problems.raise_if_any()
    if spec is None:
        raise Invalid("The document cannot be read.")
    check_claims([spec], problems)
    if spec.state is not None or spec.frozen_answers is not None:
        _refuse_state(spec)
    return spec


def check_claims(specs: Sequence[Spec], problems: Problems) -> None:
    """What a document repeats of an object must be so: it is changed at its own address."""
    claims = [(spec.path, claim) for spec in specs for claim in spec.claims]
    for path, claim in claims:
        found = claim.model.objects.get(pk=claim.id)
        for name, value in claim.fields.items():
            own = getattr(found, name)
            if plain(name, value) != plain(name, own):
                kind = claim.model._meta.verbose_name
                message = f"is not that of the {kind} {claim.id!r}, which is changed by itself"
                problems.add(join(path, f"{claim.place}.{name}"), message)
    problems.raise_if_any()


def _refuse_state(spec: Spec) -> None:
    """A state may be repeated as it was read, but changes only by an act of its own."""
    present = models.Cluster.objects.filter(pk=spec.id).values_list("state", flat=True).first()
    if spec.state != (present or models.Cluster.State.ACTIVE):
        raise Invalid(
            "state changes by freeze, unfreeze, decommission and recommission.",
            {"state": ["changes by freeze, unfreeze, decommission and recommission"]},
        )
    kept = models.FrozenAnswers.objects.filter(pk=spec.id).values_list("answers", flat=True).first()
    given = spec.frozen_answers
    if given is not None and json.loads(given) != json.loads(kept or "null"):
        raise Invalid(
            "frozen_answers stay as they were when the cluster was frozen.",
            {"frozen_answers": ["stay as they were when the cluster was frozen"]},
        )


def _apply(spec: Spec) -> None:
    apply_specs([spec], problems=Problems())
