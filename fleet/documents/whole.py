"""A fleet as documents that say everything: what one leaves out has its default."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fleet.documents.problems import Problems, suggestion
from fleet.documents.reading import (
    CLUSTER,
    COMPONENT,
    ENVIRONMENT,
    NAMESPACE,
    PROFILE,
    ROLEBINDING,
    SECTIONS,
    TARGETS,
    Entry,
    KnownIds,
    read_document,
    section_entries,
)
from fleet.documents.specs import Spec

# What a body calls the sections: that of components has a name of its own only in addresses.
KEYS = {section: section.removeprefix("platform_") for section in SECTIONS}

LAYER = ("platform_components", "namespaces", "rolebindings", "unset")
# To null, a reader gives the default.
BLANK: dict[str, dict[str, None]] = {
    "environments": dict.fromkeys(ENVIRONMENT),
    "namespaces": dict.fromkeys(NAMESPACE),
    "rolebindings": dict.fromkeys(ROLEBINDING),
    "platform_components": dict.fromkeys((*COMPONENT, "depends_on")),
    "profiles": dict.fromkeys((*PROFILE, "environments", "clusters", *LAYER)),
    "clusters": dict.fromkeys((*CLUSTER, "environment", *LAYER)),
}
WITH_PATCHES = {"platform_components", "profiles", "clusters"}


@dataclass(frozen=True, slots=True)
class WholeFleet:
    """What is wanted, and the ids of each section that the body has."""

    specs: list[Spec]
    named: dict[str, set[str]]


def read_fleet(body: Mapping[str, Any], *, prune: bool, problems: Problems) -> WholeFleet:
    sections = {KEYS[section]: section for section in SECTIONS}
    for key in body:
        if key not in sections:
            problems.add(str(key), "is not a kind of object" + suggestion(str(key), sections))
    entries = {
        section: section_entries(body[key], key, problems, by_index=True)
        for key, section in sections.items()
        if key in body
    }
    named = {section: {item_id for _, item_id, _ in items} for section, items in entries.items()}
    known = _known(named, prune)
    specs = [
        read_document(section, completed(section, entry), problems=problems, known=known, path=path)
        for section, items in entries.items()
        for path, _, entry in items
    ]
    return WholeFleet([spec for spec in specs if spec is not None], named)


def completed(section: str, entry: Entry) -> Entry:
    """The state is left out on purpose: who says nothing of it wants it to stay."""
    whole = {**BLANK[section], **entry}
    if section in WITH_PATCHES and "patches" not in entry and "values" not in entry:
        whole["patches"] = None
    return whole


def _known(named: Mapping[str, set[str]], prune: bool) -> KnownIds:
    """What may be referred to: not what is about to go. A cluster never goes that way."""
    known = KnownIds()
    for section, ids in named.items():
        if prune and section != "clusters":
            known[TARGETS[section]] = set(ids)
        else:
            known[TARGETS[section]] |= ids
    return known
