"""The objects of the API: as they are shown, created, replaced and patched, from one table each."""

from dataclasses import dataclass

from fleet import models
from fleet.api.openapi.components import Schema, schema
from fleet.api.openapi.types import (
    ANNOTATIONS,
    ANNOTATIONS_PATCH,
    BLANK,
    BOOLEAN,
    DNS_NAME_ANY_CASE,
    JSON,
    LABELS,
    LABELS_PATCH,
    NEVER,
    PATCH_KEY,
    PATCHES,
    VALUES,
    by_name,
    dns_name,
    exactly,
    many,
    name,
    or_null,
    text,
    whole,
)
from fleet.kubernetes import RBAC_GROUP
from fleet.models.fields import MAX_DESCRIPTION
from fleet.models.profile import MAX_WEIGHT
from fleet.resources.fields import INT32

MAX_INTEGER = INT32.stop - 1


@dataclass(frozen=True, slots=True)
class Field:
    shown: Schema
    # As sent by POST and PUT, and by PATCH, where that differs.
    given: Schema | None = None
    patch: Schema | None = None
    # POST cannot do without it, and null is no value for it.
    needed: bool = False
    # May be sent as it was read, but not changed.
    fixed: bool = False

    def sent(self, *, patch: bool) -> Schema:
        wanted = (self.patch if patch else None) or self.given or self.shown
        if self.fixed:
            return self.shown | {"readOnly": True}
        return wanted if self.needed else or_null(wanted)


Fields = dict[str, Field]


def one_of(choices: list[str]) -> Schema:
    return {"type": "string", "enum": choices}


def entries(what: str, entry: Schema | None = None) -> Schema:
    """What is assigned, as objects or as plain ids."""
    entry = entry or exactly({"id": name(what)})
    return many({"anyOf": [name(what), entry]}, uniqueItems=True)


def by_component(part: Schema, **options: str) -> Schema:
    return by_name(part, name("component"), **options)


SUBJECT: Schema = {
    "anyOf": [
        exactly(
            {"kind": one_of(["User", "Group"]), "name": text(minLength=1)},
            apiGroup={"enum": [RBAC_GROUP, None]},
        ),
        exactly(
            {"kind": one_of(["ServiceAccount"]), "name": dns_name(), "namespace": name()},
            apiGroup={"enum": ["", None]},
        ),
    ]
}
SHOWN_SUBJECT = exactly(
    {
        "kind": one_of(["User", "Group", "ServiceAccount"]),
        "name": text(),
        "apiGroup": one_of([RBAC_GROUP, ""]),
    },
    namespace=text(),
)
OVERRIDES = {
    "oci_tag": or_null(text(128)),
    "component_path": or_null(text(255)),
    "component_version": or_null(text(128)),
}
ASSIGNED = schema(
    "AssignedComponent",
    exactly(
        {"id": name("component"), "enabled": BOOLEAN, **OVERRIDES},
        enabled_inherited={
            "const": True,
            "description": "That `enabled` is what lower layers say; in a profile, `true`.",
        },
    ),
)
GIVEN_ASSIGNED = schema(
    "AssignedComponentGiven",
    exactly(
        {"id": name("component")},
        enabled=or_null(BOOLEAN),
        enabled_inherited=or_null(
            BOOLEAN
            | {"description": "As it was read: `enabled` is inherited where it is what it was."}
        ),
        **OVERRIDES,
    )
    | {"description": "`null` inherits."},
)
KEYS = many(PATCH_KEY)
TEXTS = by_name(text(), PATCH_KEY)

URL = rf"^(https?|oci)://[^{BLANK}/?#{NEVER}][^{BLANK}{NEVER}]*$"
ROLE = rf"^[^{BLANK}/%{NEVER}]([^/%{NEVER}]*[^{BLANK}/%{NEVER}])?$"
LABEL_FIELD = Field(LABELS, patch=LABELS_PATCH)
LAYER: Fields = {
    "platform_components": Field(many(ASSIGNED), entries("component", GIVEN_ASSIGNED)),
    "namespaces": Field(many(exactly({"id": name("namespace")})), entries("namespace")),
    "rolebindings": Field(many(exactly({"id": name("rolebinding")})), entries("rolebinding")),
    "patches": Field(
        by_component(TEXTS),
        by_component(PATCHES),
        by_component(or_null(PATCHES), description="`null` drops a component, or a key."),
    ),
    "values": Field(by_component(VALUES), patch=by_component(or_null(VALUES))),
    "unset": Field(
        by_component(KEYS, description="Keys of lower layers to ignore."),
        patch=by_component(or_null(KEYS)),
    ),
}
DESCRIPTION = Field(text(MAX_DESCRIPTION))
FIELDS: dict[str, Fields] = {
    "environments": {"description": DESCRIPTION, "rank": Field(whole(0, MAX_INTEGER))},
    "namespaces": {
        "description": DESCRIPTION,
        "labels": LABEL_FIELD,
        "annotations": Field(ANNOTATIONS, patch=ANNOTATIONS_PATCH),
    },
    "rolebindings": {
        "description": DESCRIPTION,
        "role": Field(
            text(255, pattern=ROLE) | {"not": {"enum": [".", ".."]}},
            needed=True,
        ),
        "subjects": Field(many(SHOWN_SUBJECT), many(SUBJECT)),
    },
    "platform_components": {
        "description": DESCRIPTION,
        "kind": Field(one_of(models.Component.Kind.values)),
        "component_path": Field(text(255, minLength=1), needed=True),
        "component_version": Field(text(128, minLength=1)),
        "cluster_env_enabled": Field(BOOLEAN),
        "oci_url": Field(text(2048, pattern=URL), needed=True),
        "oci_tag": Field(text(128, minLength=1)),
        "depends_on": Field(many(name("component")), entries("component")),
        "values_schema": Field(
            or_null(by_name(JSON, text(), description="A JSON Schema for the merged values."))
        ),
        "patches": Field(TEXTS, PATCHES),
        "values": Field(VALUES),
    },
    "profiles": {
        "description": DESCRIPTION,
        "weight": Field(whole(-MAX_WEIGHT, MAX_WEIGHT)),
        "environments": Field(many(name("environment")), entries("environment")),
        "labels": LABEL_FIELD,
        "clusters": Field(
            or_null(many(name("cluster"))),
            or_null(entries("cluster")),
        ),
        **LAYER,
    },
    "clusters": {
        "description": DESCRIPTION,
        "cluster_name": Field(name(), needed=True),
        "cluster_dns": Field(dns_name(), dns_name(DNS_NAME_ANY_CASE), needed=True),
        "environment": Field(name("environment"), needed=True),
        "state": Field(one_of(models.Cluster.State.values), fixed=True),
        "labels": LABEL_FIELD,
        "node_count": Field(or_null(whole(0, MAX_INTEGER))),
        "vm_image": Field(text(255)),
        "k0s_version": Field(text(255)),
        **LAYER,
    },
}


@dataclass(frozen=True, slots=True)
class Documents:
    """References to the four shapes of a section's objects."""

    shown: Schema
    new: Schema
    replacement: Schema
    patch: Schema


def documents(title: str, fields: Fields) -> Documents:
    shown = {"id": name()} | {item: field.shown for item, field in fields.items()}
    sent = {item: field.sent(patch=False) for item, field in fields.items()}
    patch = {item: field.sent(patch=True) for item, field in fields.items()}
    same = {"id": name(readOnly=True, description="May be repeated, but not changed.")}
    required = ["id", *(item for item, field in fields.items() if field.needed)]
    new = exactly({}, id=name(), **sent) | {"required": required}
    return Documents(
        schema(title, exactly(shown)),
        schema(f"{title}New", new),
        schema(f"{title}Replacement", exactly({}, **same, **sent)),
        schema(f"{title}Patch", exactly({}, **same, **patch)),
    )


TITLES = {
    "environments": "Environment",
    "namespaces": "Namespace",
    "rolebindings": "RoleBinding",
    "platform_components": "Component",
    "profiles": "Profile",
    "clusters": "Cluster",
}
DOCUMENTS = {section: documents(TITLES[section], fields) for section, fields in FIELDS.items()}
CLUSTERS_PATCH = schema(
    "ClustersPatch",
    exactly(
        {},
        **{
            item: field.sent(patch=True)
            for item, field in FIELDS["clusters"].items()
            if item not in {"cluster_name", "cluster_dns", "state"}
        },
    ),
)
