"""From documents to specifications, one function for each kind of object."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from fleet import models
from fleet.desired_state.inputs import answers_from_document, answers_problem, encode
from fleet.documents.fields import Column, Reader, read_patches, read_unset
from fleet.documents.problems import Problems, describe, suggestion
from fleet.documents.specs import (
    NO_ATTRIBUTES,
    Claim,
    Replace,
    ReplacePatches,
    Spec,
    Together,
    tail_of,
)
from fleet.kubernetes import complete_subject

Entry = Mapping[str, Any]

# The sections of a seed and of the API's paths, in an order in which each refers to earlier ones.
SECTIONS = (
    "environments",
    "namespaces",
    "rolebindings",
    "platform_components",
    "profiles",
    "clusters",
)

ENVIRONMENT = {"rank": Column("rank", "whole number", 0)}
NAMESPACE = {
    "labels": Column("labels", "object", {}),
    "annotations": Column("annotations", "object", {}),
}
ROLEBINDING = {"role": Column("role"), "subjects": Column("subjects", "list", [])}
COMPONENT = {
    "kind": Column("kind", empty="helm", choices=tuple(models.Component.Kind.values)),
    "component_path": Column("component_path"),
    "component_version": Column("component_version", empty="latest"),
    "cluster_env_enabled": Column("cluster_env_enabled", "true or false", False),
    "oci_url": Column("oci_url"),
    "oci_tag": Column("oci_tag", empty="latest"),
    "values_schema": Column("values_schema", "object", None),
}
ASSIGNED_COMPONENT = {
    "enabled": Column("enabled", "true or false", None),
    "oci_tag": Column("oci_tag"),
    "component_path": Column("component_path"),
    "component_version": Column("component_version"),
}
NOT_OVERRIDDEN: Mapping[str, Any] = MappingProxyType(
    {column.name: column.empty for column in ASSIGNED_COMPONENT.values()}
)
PROFILE = {
    "weight": Column("weight", "whole number", 100),
    "labels": Column("labels", "object", {}),
}
CLUSTER = {
    "cluster_name": Column("name"),
    "cluster_dns": Column("dns"),
    "labels": Column("labels", "object", {}),
    "node_count": Column("node_count", "whole number", None),
    "vm_image": Column("vm_image"),
    "k0s_version": Column("k0s_version"),
}
# What a cluster may repeat of objects that it refers to.
EMBEDDED = {"namespaces": NAMESPACE, "rolebindings": ROLEBINDING}
ASSIGNMENTS = ("platform_components", "namespaces", "rolebindings", "patches", "values", "unset")

# What the model's fields are called on the wire, where that differs.
WIRE_NAMES: dict[Any, dict[str, str]] = {
    models.Cluster: {"name": "cluster_name", "dns": "cluster_dns"},
}


def read_environment(reader: Reader, item_id: str) -> Spec:
    reader.reject_unknown(("id", "_id", *ENVIRONMENT))
    return Spec(models.Environment, item_id, reader.path, reader.attributes(ENVIRONMENT))


def read_namespace(reader: Reader, item_id: str) -> Spec:
    reader.reject_unknown(("id", "_id", *NAMESPACE))
    return Spec(models.Namespace, item_id, reader.path, reader.attributes(NAMESPACE))


def read_rolebinding(reader: Reader, item_id: str) -> Spec:
    reader.reject_unknown(("id", "_id", *ROLEBINDING))
    return Spec(models.RoleBinding, item_id, reader.path, reader.attributes(ROLEBINDING))


def read_component(reader: Reader, item_id: str) -> Spec:
    reader.reject_unknown(("id", "_id", *COMPONENT, "depends_on", "patches", "values"))
    spec = Spec(models.Component, item_id, reader.path, reader.attributes(COMPONENT))
    needed = reader.ids("depends_on", "component")
    if needed is not None:
        if item_id in needed:
            reader.problem("depends_on", f"forms a cycle: {item_id} → {item_id}")
        spec.children[models.ComponentDependency] = _only(needed)
    views = read_patches(reader, by_component=False)
    if views is not None:
        # The catalog is the lowest layer: there is nothing below it to unset.
        spec.children[models.ComponentPatch] = ReplacePatches(views, frozenset())
    return spec


def read_profile(reader: Reader, item_id: str) -> Spec:
    reader.reject_unknown(("id", "_id", *PROFILE, "environments", "clusters", *ASSIGNMENTS))
    spec = Spec(models.Profile, item_id, reader.path, reader.attributes(PROFILE))
    environments = reader.ids("environments", "environment")
    if environments is not None:
        spec.children[models.ProfileEnvironment] = _only(environments)
    if "clusters" in reader.document:
        listed = reader.document["clusters"] is not None
        spec.attributes["lists_clusters"] = listed
        clusters = reader.ids("clusters", "cluster") or []
        spec.children[models.ProfileCluster] = _only(clusters)
    _read_assignments(
        reader,
        spec,
        models.ProfileComponent,
        models.ProfilePatch,
        models.ProfileNamespace,
        models.ProfileRoleBinding,
    )
    return spec


def read_cluster(reader: Reader, item_id: str) -> Spec:
    allowed = (*CLUSTER, "environment", "state", "frozen_answers", *ASSIGNMENTS)
    reader.reject_unknown(("id", "_id", *allowed))
    spec = Spec(models.Cluster, item_id, reader.path, reader.attributes(CLUSTER))
    if "environment" in reader.document:
        given = reader.document["environment"]
        if given is not None:
            reader.reference("environment", "environment", given)
        spec.attributes["environment_id"] = given
    spec.state = _read_state(reader)
    spec.frozen_answers = _read_frozen_answers(reader, spec.state)
    _read_assignments(
        reader,
        spec,
        models.ClusterComponent,
        models.ClusterPatch,
        models.ClusterNamespace,
        models.ClusterRoleBinding,
    )
    return spec


def _read_state(reader: Reader) -> str | None:
    given = reader.document.get("state")
    if given is None:
        return None
    return given if reader.chosen("state", given, models.Cluster.State.values) else None


def _read_frozen_answers(reader: Reader, state: str | None) -> str | None:
    given = reader.document.get("frozen_answers")
    if given is None:
        return None
    if state != models.Cluster.State.FROZEN:
        reader.problem("frozen_answers", "belong to a cluster whose state is frozen")
    problem = answers_problem(given)
    if problem:
        reader.problem("frozen_answers", problem)
        return None
    return encode(answers_from_document(given).to_document())


def _read_assignments(
    reader: Reader, spec: Spec, components: Any, patches: Any, namespaces: Any, rolebindings: Any
) -> None:
    assigned = reader.entries("platform_components")
    if assigned is not None:
        spec.children[components] = Replace(
            {
                tail_of(item_id): _read_assigned_component(reader, place, entry)
                for place, item_id, entry in assigned
                if reader.reference("", "component", item_id, where=f"{place}.id")
            },
            {tail_of(item_id): place for place, item_id, entry in assigned if len(entry) > 1},
        )
    for section, model in (("namespaces", namespaces), ("rolebindings", rolebindings)):
        referred = reader.entries(section)
        if referred is not None:
            spec.children[model] = _only(
                item_id
                for place, item_id, _ in referred
                if reader.reference("", TARGETS[section], item_id, where=f"{place}.id")
            )
            spec.claims += [
                _read_claim(reader, section, place, item_id, entry)
                for place, item_id, entry in referred
                if entry.keys() - {"id", "_id"}
            ]
    views, unset = read_patches(reader, by_component=True), read_unset(reader)
    if views is not None or unset is not None:
        given = {*(views.patches or ()), *(views.values or ())} if views else set()
        for tail in sorted(given & (unset or set())):
            reader.problem(f"unset.{tail[0]}", f"{tail[1]} has a value too; keep one of the two")
        spec.children[patches] = ReplacePatches(views, unset)


def _only(ids: Iterable[str]) -> Replace:
    """Children that have nothing but an id."""
    return Replace({tail_of(item_id): NO_ATTRIBUTES for item_id in ids})


def _read_assigned_component(
    reader: Reader, place: str, entry: Mapping[str, Any]
) -> Mapping[str, Any]:
    if len(entry) == 1:  # Nothing but its id, as in most clusters: the same for all of them.
        return NOT_OVERRIDDEN
    inner = reader.inside(place, entry)
    inner.reject_unknown(("id", "_id", *ASSIGNED_COMPONENT))
    return {**NOT_OVERRIDDEN, **inner.attributes(ASSIGNED_COMPONENT)}


def _read_claim(
    reader: Reader, section: str, place: str, item_id: str, entry: Mapping[str, Any]
) -> Claim:
    """The reference service's clusters carry their namespaces and rolebindings whole."""
    inner = reader.inside(place, entry)
    inner.reject_unknown(("id", "_id", *EMBEDDED[section]))
    return Claim(inner.path, SECTION_MODELS[section], item_id, inner.attributes(EMBEDDED[section]))


READERS: dict[str, Callable[[Reader, str], Spec]] = {
    "environments": read_environment,
    "namespaces": read_namespace,
    "rolebindings": read_rolebinding,
    "platform_components": read_component,
    "profiles": read_profile,
    "clusters": read_cluster,
}
TARGETS = {
    "environments": "environment",
    "namespaces": "namespace",
    "rolebindings": "rolebinding",
    "platform_components": "component",
    "profiles": "profile",
    "clusters": "cluster",
}
SECTION_MODELS: dict[str, Any] = {
    "environments": models.Environment,
    "namespaces": models.Namespace,
    "rolebindings": models.RoleBinding,
    "platform_components": models.Component,
    "profiles": models.Profile,
    "clusters": models.Cluster,
}


class KnownIds(dict[str, set[str]]):
    """What documents may refer to, by target. Each is one query, when it is first asked for."""

    def __missing__(self, target: str) -> set[str]:
        section = next(section for section in SECTIONS if TARGETS[section] == target)
        ids = SECTION_MODELS[section].objects.order_by().values_list("pk", flat=True)
        self[target] = set(ids)
        return self[target]


def read_document(
    section: str,
    document: Any,
    *,
    problems: Problems,
    known: Mapping[str, set[str]],
    path: str = "",
    item_id: str | None = None,
    together: Together = Together.APART,
) -> Spec | None:
    """One object. `item_id` is that of the URL, where there is one; the body may repeat it."""
    if not isinstance(document, Mapping):
        problems.add(path or "body", f"must be an object, not {describe(document)}")
        return None
    reader = Reader(document, path, problems, known, together)
    given = _id_of(document)
    if document.get("_id", given) != given:
        reader.problem("_id", f"is {describe(document['_id'])}, but id is {describe(given)}")
    if item_id is not None and given not in (None, item_id):
        reader.problem("id", f"is {describe(given)}, but the address says {item_id!r}")
        return None
    found = item_id if item_id is not None else given
    if not isinstance(found, str) or not found:
        reader.problem("id", "is required, and must be text")
        return None
    return READERS[section](reader, found)


def read_documents(documents: Any, *, problems: Problems) -> list[Spec]:
    """A whole seed: sections of objects, which may refer to one another."""
    if not isinstance(documents, Mapping):
        problems.add("seed", f"must be an object with {', '.join(SECTIONS)}")
        return []
    for name in documents:
        if name not in SECTIONS:
            problems.add(str(name), "is not a section" + suggestion(str(name), SECTIONS))
    documents = _with_embedded(documents, problems)
    entries = {
        section: section_entries(documents[section], section, problems)
        for section in SECTIONS
        if documents.get(section) is not None
    }
    known = KnownIds()
    for section, items in entries.items():
        known[TARGETS[section]] |= {item_id for _, item_id, _ in items}
    specs = (
        read_document(section, entry, problems=problems, known=known, path=path)
        for section, items in entries.items()
        for path, _, entry in items
    )
    return [spec for spec in specs if spec is not None]


def section_entries(
    items: Any, name: str, problems: Problems, *, by_index: bool = False
) -> list[tuple[str, str, Entry]]:
    """Its entries as (path, id, entry).

    The path of a seed has the id, which people know better than [17]; a program knows the index.
    """
    if not isinstance(items, list):
        problems.add(name, f"must be a list, not {describe(items)}")
        return []
    found: dict[str, tuple[str, str, Entry]] = {}
    for index, item in enumerate(items):
        item_id = _id_of(item) if isinstance(item, Mapping) else None
        if not isinstance(item_id, str) or not item_id:
            problems.add(f"{name}[{index}].id", "is required, and must be text")
        elif item_id in found:
            problems.add(f"{name}[{index}].id", f"{item_id!r} is in the list twice")
        else:
            found[item_id] = (f"{name}[{index if by_index else item_id}]", item_id, item)
    return list(found.values())


def _with_embedded(documents: Mapping[str, Any], problems: Problems) -> Mapping[str, Any]:
    """The reference service's clusters carry their namespaces and rolebindings whole.

    Here these have fields of their own, the same for all clusters: those that the seed lists
    nowhere else are taken from the clusters, and those that differ are problems, never guesses.
    """
    merged = dict(documents)
    for section, columns in EMBEDDED.items():
        listed = documents.get(section)
        if listed is not None and not isinstance(listed, list):
            continue
        listed = listed or []
        known = {_id_of(item): item for item in listed if _has_id(item)}
        fresh: dict[str, Mapping[str, Any]] = {}
        for path, item in _embedded(documents, section):
            first = known.get(_id_of(item)) or fresh.setdefault(_id_of(item), item)
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
                yield f"clusters[{_id_of(cluster)}].{section}[{index}]", item


def plain(name: str, value: Any) -> Any:
    """The value of a field without what may be left out."""
    if name == "subjects" and isinstance(value, list):
        return [complete_subject(subject) for subject in value]
    return value or None


def _has_id(item: Any) -> bool:
    return isinstance(item, Mapping) and isinstance(_id_of(item), str)


def _id_of(item: Mapping[str, Any]) -> Any:
    return item.get("id", item.get("_id"))
