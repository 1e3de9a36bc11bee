"""From documents to specifications."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from fleet.models.sections import SECTIONS, TARGETS
from fleet.resources.embedded import with_embedded
from fleet.resources.fields import id_of
from fleet.resources.known_ids import KnownIds
from fleet.resources.problems import Problems, describe, suggestion
from fleet.resources.registry import SERIALIZERS
from fleet.resources.specs import Spec, Together

# What a body of `/apply` calls the sections: only in addresses do components have a longer name.
KEYS = {section: section.removeprefix("platform_") for section in SECTIONS}

# The path, the id and the document of an object in a list.
Entry = tuple[str, str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class DeclaredFleet:
    """What is wanted, and the ids of each section that the body has."""

    specs: list[Spec]
    named: dict[str, set[str]]


def read_object(
    section: str,
    document: Any,
    *,
    problems: Problems,
    known: KnownIds,
    item_id: str | None = None,
    together: Together = Together.APART,
) -> Spec | None:
    """`item_id` is that of the address, where there is one; the body may repeat it."""
    context = {"known": known, "together": together, "id": item_id}
    return SERIALIZERS[section](context=context).read(document, "", problems)


def read_seed(documents: Any, *, problems: Problems) -> list[Spec]:
    """A whole fleet: sections of objects, which may refer to one another."""
    if not isinstance(documents, Mapping):
        problems.add("seed", f"must be an object with {', '.join(SECTIONS)}")
        return []
    for name in documents:
        if name not in SECTIONS:
            problems.add(str(name), "is not a section" + suggestion(str(name), SECTIONS))
    documents = with_embedded(documents, problems)
    entries = {
        section: read_list(documents[section], section, problems)
        for section in SECTIONS
        if documents.get(section) is not None
    }
    known = KnownIds()
    for section, items in entries.items():
        known[TARGETS[section]] |= {item_id for _, item_id, _ in items}
    return _read_all(entries, known, problems)


def read_declared(body: Mapping[str, Any], *, prune: bool, problems: Problems) -> DeclaredFleet:
    """Documents that say everything: what one leaves out has its default."""
    sections = {KEYS[section]: section for section in SECTIONS}
    for key in body:
        if key not in sections:
            problems.add(str(key), "is not a kind of object" + suggestion(str(key), sections))
    entries = {
        section: read_list(body[key], key, problems, by_index=True)
        for key, section in sections.items()
        if key in body
    }
    named = {section: {item_id for _, item_id, _ in items} for section, items in entries.items()}
    known = _known_after(named, prune)
    return DeclaredFleet(_read_all(entries, known, problems, complete=True), named)


def _read_all(
    entries: Mapping[str, list[Entry]],
    known: KnownIds,
    problems: Problems,
    *,
    complete: bool = False,
) -> list[Spec]:
    specs = []
    for section, items in entries.items():
        serializer = SERIALIZERS[section](context={"known": known, "together": Together.APART})
        for path, _, entry in items:
            document = serializer.completed(entry) if complete else entry
            spec = serializer.read(document, path, problems)
            if spec is not None:
                specs.append(spec)
    return specs


def _known_after(named: Mapping[str, set[str]], prune: bool) -> KnownIds:
    """What may be referred to: not what is about to go. A cluster never goes that way."""
    known = KnownIds()
    for section, ids in named.items():
        if prune and section != "clusters":
            known[TARGETS[section]] = set(ids)
        else:
            known[TARGETS[section]] |= ids
    return known


def read_list(items: Any, name: str, problems: Problems, *, by_index: bool = False) -> list[Entry]:
    """The path of a seed has the id, which people know better than [17]; a program knows the
    index."""
    if not isinstance(items, list):
        problems.add(name, f"must be a list, not {describe(items)}")
        return []
    found: dict[str, Entry] = {}
    for index, item in enumerate(items):
        item_id = id_of(item) if isinstance(item, Mapping) else None
        if not isinstance(item_id, str) or not item_id:
            problems.add(f"{name}[{index}].id", "is required, and must be text")
        elif item_id in found:
            problems.add(f"{name}[{index}].id", f"{item_id!r} is in the list twice")
        else:
            found[item_id] = (f"{name}[{index if by_index else item_id}]", item_id, item)
    return list(found.values())


@cache
def wire_names(model: Any) -> dict[str, str]:
    """What the fields of the model are called on the wire, where that differs."""
    for serializer in SERIALIZERS.values():
        if serializer.Meta.model is model:
            columns = serializer().columns
            return {field.source: name for name, field in columns.items() if field.source != name}
    return {}
