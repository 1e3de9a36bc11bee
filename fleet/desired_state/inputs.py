"""From merged state to the inputs that Flux gets: the items of each answer and its bytes. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fleet.desired_state.merge import (
    CatalogComponent,
    Cluster,
    MergedComponent,
    Namespace,
    RoleBinding,
)
from fleet.desired_state.values import check_text, flat_view, nest

COMPONENTS = "platform-components"
NAMESPACES = "namespaces"
ROLEBINDINGS = "rolebindings"
RESOURCES = (COMPONENTS, NAMESPACES, ROLEBINDINGS)

# Flux Operator refuses a larger body, and silently drops, then prunes, what is beyond the limit.
MAX_BYTES = 900 * 1024
MAX_INPUTS = 10_000

# The names of the fields that come with an item, and what stands around them.
TEXTS_OF_AN_ITEM = 100
# One that an item waits for, with its kind.
MOST_OF_A_NAME = 300
NO_TEXT = '""'
NO_INPUTS = b'{"inputs":[]}'

# Made once: `json.dumps` with options makes one for each call, which is half of what it costs.
ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def encode(value: Any) -> str:
    """Keeps the order of keys: each shape below lists its fields in one fixed order."""
    return ENCODER.encode(value)


@dataclass(frozen=True, slots=True)
class Item:
    """One input without its `cluster` block, which all inputs of a cluster share.

    What plans look at in every component stands beside the body, which need not be parsed then.
    """

    id: str
    body: str
    enabled: bool = True
    version: str = ""
    depends_on: tuple[str, ...] = ()
    kind: str = ""
    values_json: str = NO_TEXT

    def fields(self) -> dict[str, Any]:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Answers:
    """What a cluster gets from each endpoint."""

    cluster: str
    items: Mapping[str, tuple[Item, ...]]

    def body(self, resource: str) -> bytes:
        return body_of([part.encode() for part in self.parts(resource)], self.tail.encode())

    def parts(self, resource: str) -> list[str]:
        """The inputs without the end that all of them share, `tail`."""
        return [item.body[:-1] + more for item, more in self._with_more(resource)]

    @property
    def tail(self) -> str:
        return f',"cluster":{self.cluster}}}'

    def size(self, resource: str) -> int:
        """Length of the body, without making it."""
        items = self.items[resource]
        tail = len(self.tail.encode()) - len("}")
        commas = max(len(items) - 1, 0)
        texts = sum(
            len(item.body.encode()) + len(more.encode()) for item, more in self._with_more(resource)
        )
        return texts + len(items) * tail + commas + len(NO_INPUTS)

    def is_surely_below(self, resource: str, size: int) -> bool:
        """By a quick look: no character takes more than four bytes, and no text that comes with an
        item more than TEXTS_OF_AN_ITEM."""
        items = self.items[resource]
        own = TEXTS_OF_AN_ITEM + len(self.cluster)
        most = sum(
            own + len(item.body) + len(item.values_json) + len(item.depends_on) * MOST_OF_A_NAME
            for item in items
        )
        return 4 * (most + len(NO_INPUTS)) < size

    def _with_more(self, resource: str) -> Iterator[tuple[Item, str]]:
        """Each item with the text of the fields that are there for templates, and say nothing new.

        `values_json` is the values as text, where a null is among them. Flux Operator keeps inputs
        where that is lost, and with it what Helm is told to leave out.
        `waits_for` is what it depends on, where that is here: a template sees one item at a time,
        and whatever waits for something that is not on the cluster, or is disabled, waits for ever.
        `depends_on` stays what the catalog says.
        """
        items = self.items[resource]
        if resource != COMPONENTS:
            yield from ((item, "") for item in items)
            return
        kinds = {item.id: item.kind for item in items if item.enabled}
        for item in items:
            here = tuple((needed, kinds[needed]) for needed in item.depends_on if needed in kinds)
            yield item, f',"values_json":{item.values_json},"waits_for":{_waits(here)}'

    def to_document(self) -> dict[str, Any]:
        return {
            "cluster": json.loads(self.cluster),
            **{
                resource: [item.fields() for item in self.items[resource]] for resource in RESOURCES
            },
        }


def body_of(parts: Sequence[bytes], tail: bytes) -> bytes:
    if not parts:
        return NO_INPUTS
    return b"".join((b'{"inputs":[', (tail + b",").join(parts), tail, b"]}"))


@lru_cache(maxsize=4096)
def _waits(here: tuple[tuple[str, str], ...]) -> str:
    """Kept, since a component waits for the same on most clusters."""
    return encode([{"id": needed, "kind": kind} for needed, kind in here])


def nothing(cluster: Cluster) -> Answers:
    """A decommissioned cluster: Flux cleans up."""
    return Answers(encode(cluster_block(cluster)), dict.fromkeys(RESOURCES, ()))


# The fields of an item, in the order in which they are written.
SHAPES: dict[str, dict[str, type]] = {
    COMPONENTS: {
        "id": str,
        "kind": str,
        "component_path": str,
        "component_version": str,
        "cluster_env_enabled": bool,
        "resolved_path": str,
        "depends_on": list,
        "enabled": bool,
        "patches": dict,
        "values": dict,
        "source": dict,
    },
    NAMESPACES: {"id": str, "labels": dict, "annotations": dict},
    ROLEBINDINGS: {"id": str, "role": str, "subjects": list},
}
# What an item gets when its answer is written; in the item itself, it would be there twice.
RENDERED: dict[str, type] = {"values_json": str, "waits_for": list, "cluster": dict}


def input_shape(resource: str) -> dict[str, type]:
    """The fields of an input, as Flux gets it."""
    rendered = RENDERED if resource == COMPONENTS else {"cluster": RENDERED["cluster"]}
    return SHAPES[resource] | rendered


def answers_problem(document: Any) -> str:
    """What is wrong with answers that come from outside; empty where nothing is."""
    needed = ("cluster", *RESOURCES)
    if not isinstance(document, dict) or set(document) != set(needed):
        return f"must be an object with {', '.join(needed)}"
    block = document["cluster"]
    if not isinstance(block, dict) or set(block) != {"name", "dns", "environment"}:
        return "must have a cluster with name, dns and environment"
    if not all(isinstance(value, str) for value in block.values()):
        return "must have text for name, dns and environment of its cluster"
    for resource, shape in SHAPES.items():
        items = document[resource]
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            return f"must have a list of objects in {resource}"
        for item in items:
            for name, kind in shape.items():
                if not isinstance(item.get(name), kind):
                    return f"must have {name} in every item of {resource}"
            for name, value in item.items():
                if name in RENDERED:
                    return f"must not have {name}, which answers get, in an item of {resource}"
                if value is None:
                    return f"must not have null as {name} in an item of {resource}"
        if len({item["id"] for item in items}) != len(items):
            return f"has an id twice in {resource}"
    for item in document[COMPONENTS]:
        if not isinstance(item["source"].get("oci_tag"), str):
            return f"must have source.oci_tag in every item of {COMPONENTS}"
        if not all(isinstance(needed, str) for needed in item["depends_on"]):
            return f"must have ids in depends_on of every item of {COMPONENTS}"
    try:
        check_text(encode(document))
    except ValueError as problem:
        return str(problem)
    return ""


def answers_from_document(document: Mapping[str, Any]) -> Answers:
    """The inverse of `to_document`, byte for byte."""
    return Answers(
        encode(document["cluster"]),
        {
            resource: tuple(item_of(fields) for fields in document[resource])
            for resource in RESOURCES
        },
    )


def item_of(fields: Mapping[str, Any]) -> Item:
    body = encode(fields)
    # To look into all values takes long, and few have one.
    with_null = "null" in body and has_null(fields.get("values", {}))
    return Item(
        fields["id"],
        body,
        fields.get("enabled", True),
        _pin(fields),
        tuple(fields.get("depends_on", ())),
        fields.get("kind", ""),
        encode(encode(fields["values"])) if with_null else NO_TEXT,
    )


def has_null(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(has_null(child) for child in value.values())
    if isinstance(value, list):
        return any(has_null(child) for child in value)
    return value is None


def _pin(fields: Mapping[str, Any]) -> str:
    """What fixes the version: of a Helm chart its version, of an artifact its tag."""
    if fields.get("kind") == "kustomize":
        return fields["source"]["oci_tag"]
    return fields.get("component_version", "")


def cluster_block(cluster: Cluster) -> dict[str, Any]:
    return {"name": cluster.name, "dns": cluster.dns, "environment": cluster.environment}


def cluster_entry(row: Any) -> dict[str, Any]:
    """An input of `/api/v2/flux/clusters`, for a management plane, from a cluster's row."""
    return {
        "id": row.id,
        "cluster_name": row.name,
        "cluster_dns": row.dns,
        "environment": row.environment_id,
        "state": row.state,
        "labels": dict(sorted(row.labels.items())),
        # Never null: a null at this level makes Flux Operator fail on all inputs.
        "node_count": row.node_count or 0,
        "vm_image": row.vm_image,
        "k0s_version": row.k0s_version,
    }


def clusters_body(entries: list[dict[str, Any]]) -> bytes:
    return encode({"inputs": entries}).encode()


def component_fields(component: MergedComponent, environment: str) -> dict[str, Any]:
    catalog: CatalogComponent = component.catalog
    path = component.component_path.value
    patches = [(path, traced.value) for path, traced in component.patches]
    return {
        "id": component.id,
        "kind": catalog.kind,
        "component_path": path,
        "component_version": component.component_version.value,
        "cluster_env_enabled": catalog.cluster_env_enabled,
        "resolved_path": f"{path}/{environment}" if catalog.cluster_env_enabled else path,
        "depends_on": list(catalog.depends_on),
        "enabled": component.enabled.value,
        "patches": flat_view(patches),
        "values": nest(patches),
        "source": {"oci_url": catalog.oci_url, "oci_tag": component.oci_tag.value},
    }


def namespace_fields(namespace: Namespace) -> dict[str, Any]:
    return {
        "id": namespace.id,
        "labels": dict(namespace.labels),
        "annotations": dict(namespace.annotations),
    }


def rolebinding_fields(rolebinding: RoleBinding) -> dict[str, Any]:
    subjects = []
    for subject in rolebinding.subjects:
        fields = {"kind": subject.kind, "name": subject.name, "apiGroup": subject.api_group}
        if subject.namespace:
            fields["namespace"] = subject.namespace
        subjects.append(fields)
    return {"id": rolebinding.id, "role": rolebinding.role, "subjects": subjects}
