"""Small acts on a cluster or a profile, as a client makes them: by a part of its document."""

from collections.abc import Iterable, Mapping
from typing import Any

from fleet import models
from fleet.services.objects import object_document, object_patch, object_update

Owner = models.Cluster | models.Profile


def section_of(owner: Owner) -> str:
    return "clusters" if isinstance(owner, models.Cluster) else "profiles"


def document_of(owner: Owner) -> dict[str, Any]:
    return object_document(section=section_of(owner), id=owner.pk)


def component_assign(*, owner: Owner, component: str, **overrides: Any) -> None:
    """Or changes the overrides of one that is assigned; None inherits."""
    assigned = {item["id"]: item for item in document_of(owner)["platform_components"]}
    entry = {**assigned.get(component, {"id": component}), **overrides}
    if "enabled" in overrides:
        entry.pop("enabled_inherited", None)
    assigned[component] = entry
    _replace(owner, "platform_components", [*assigned.values()])


def component_unassign(*, owner: Owner, component: str) -> None:
    _take(owner, "platform_components", component)


def namespace_assign(*, owner: Owner, namespace: str) -> None:
    _put(owner, "namespaces", namespace)


def namespace_unassign(*, owner: Owner, namespace: str) -> None:
    _take(owner, "namespaces", namespace)


def rolebinding_assign(*, owner: Owner, rolebinding: str) -> None:
    _put(owner, "rolebindings", rolebinding)


def rolebinding_unassign(*, owner: Owner, rolebinding: str) -> None:
    _take(owner, "rolebindings", rolebinding)


def patches_set(*, owner: Owner, component: str, patches: Mapping[str, Any]) -> None:
    _patch(owner, patches={component: patches})


def patches_unset(*, owner: Owner, component: str, keys: Iterable[str]) -> None:
    _patch(owner, unset={component: sorted({*_unset(owner, component), *keys})})


def patches_drop(*, owner: Owner, component: str, keys: Iterable[str]) -> None:
    """Values and unset marks alike."""
    gone = set(keys)
    left = [key for key in _unset(owner, component) if key not in gone]
    _patch(owner, patches={component: dict.fromkeys(gone)}, unset={component: left})


def _unset(owner: Owner, component: str) -> list[str]:
    return document_of(owner)["unset"].get(component, [])


def _put(owner: Owner, field: str, item: str) -> None:
    assigned = {*(entry["id"] for entry in document_of(owner)[field]), item}
    _replace(owner, field, sorted(assigned))


def _take(owner: Owner, field: str, item: str) -> None:
    entries = document_of(owner)[field]
    _replace(owner, field, [entry for entry in entries if entry["id"] != item])


def _replace(owner: Owner, field: str, entries: list[Any]) -> None:
    object_update(section=section_of(owner), id=owner.pk, document={field: entries})


def _patch(owner: Owner, **patch: Any) -> None:
    object_patch(section=section_of(owner), id=owner.pk, patch=patch)
