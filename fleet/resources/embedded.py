"""The reference service's clusters carry their namespaces and rolebindings whole.

Here these have fields of their own, the same for all clusters. So those that a seed lists nowhere
else are taken from its clusters, and those that differ are problems, never guesses.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from fleet.kubernetes import complete_subject
from fleet.resources.fields import id_of
from fleet.resources.problems import Problems
from fleet.resources.registry import SERIALIZERS

EMBEDDED = ("namespaces", "rolebindings")


def with_embedded(documents: Mapping[str, Any], problems: Problems) -> Mapping[str, Any]:
    merged = dict(documents)
    for section in EMBEDDED:
        listed = documents.get(section)
        if listed is not None and not isinstance(listed, list):
            continue
        listed = listed or []
        columns = SERIALIZERS[section]().columns
        known = {id_of(item): item for item in listed if _has_id(item)}
        fresh: dict[str, Mapping[str, Any]] = {}
        for path, item in _embedded(documents, section):
            first = known.get(id_of(item)) or fresh.setdefault(id_of(item), item)
            if any(
                plain(name, first.get(name)) != plain(name, item[name])
                for name in columns
                if name in item
            ):
                problems.add(path, f"differs from another entry of {section} with the same id")
        merged[section] = [*listed, *fresh.values()]
    return merged


def _embedded(
    documents: Mapping[str, Any], section: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What clusters carry of a section with fields beside the id."""
    clusters = documents.get("clusters")
    for cluster in clusters if isinstance(clusters, list) else []:
        items = cluster.get(section) if isinstance(cluster, Mapping) else None
        for index, item in enumerate(items if isinstance(items, list) else []):
            if _has_id(item) and item.keys() - {"id", "_id"}:
                yield f"clusters[{id_of(cluster)}].{section}[{index}]", item


def plain(name: str, value: Any) -> Any:
    """The value of a field without what may be left out."""
    if name == "subjects" and isinstance(value, list):
        return [complete_subject(subject) for subject in value]
    return value or None


def _has_id(item: Any) -> bool:
    return isinstance(item, Mapping) and isinstance(id_of(item), str)
