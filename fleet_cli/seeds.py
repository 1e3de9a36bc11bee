"""The reference service's seed, as POST /apply takes it."""

from collections.abc import Iterator, Mapping
from typing import Any

from fleet_cli.errors import Refused
from fleet_cli.tree import SECTIONS

# Its clusters carry these whole; here they are objects of their own, the same for all clusters.
EMBEDDED = {"namespaces": ("labels", "annotations"), "rolebindings": ("role", "subjects")}


def body_of(seed: Any) -> dict[str, list[Any]]:
    known = {section: kind for kind, section in SECTIONS.items()}
    if not isinstance(seed, Mapping) or not seed:
        raise Refused(f"A seed is an object with {', '.join(known)}.")
    for name, section in seed.items():
        if name not in known:
            raise Refused(f"{name!r} is not a section of a seed ({', '.join(known)}).")
        if not isinstance(section, list):
            raise Refused(f"{name} must be a list.")
    body = {known[name]: list(section) for name, section in seed.items()}
    for kind, fields in EMBEDDED.items():
        listed = {_id(item): item for item in body.get(kind, []) if isinstance(item, Mapping)}
        for item in _embedded(body.get("clusters", []), kind):
            whole = {"id": _id(item), **{name: item[name] for name in fields if item.get(name)}}
            first = listed.get(_id(item))
            if first is None:
                listed[_id(item)] = whole
                body.setdefault(kind, []).append(whole)
            elif any(
                (first.get(name) or None) != (item[name] or None) for name in fields if name in item
            ):
                raise Refused(f"{kind} {_id(item)!r} is not the same on all clusters.")
    body["clusters"] = [_with_references(cluster) for cluster in body.get("clusters", [])]
    if "clusters" not in seed:
        del body["clusters"]
    return body


def _embedded(clusters: list[Any], kind: str) -> Iterator[Mapping[str, Any]]:
    for cluster in clusters:
        for item in (cluster.get(kind) or []) if isinstance(cluster, Mapping) else []:
            if isinstance(item, Mapping) and item.keys() - {"id", "_id"}:
                yield item


def _with_references(cluster: Any) -> Any:
    if not isinstance(cluster, Mapping):
        return cluster
    referring = {
        kind: [_id(item) if isinstance(item, Mapping) else item for item in cluster[kind]]
        for kind in EMBEDDED
        if isinstance(cluster.get(kind), list)
    }
    return {**cluster, **referring}


def _id(item: Mapping[str, Any]) -> Any:
    return item.get("id", item.get("_id"))
