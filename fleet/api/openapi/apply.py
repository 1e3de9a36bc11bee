"""The path of declared fleets."""

from fleet import models
from fleet.api.openapi import examples
from fleet.api.openapi.answers import COUNT, PLAN_FIELDS, REVISION, enum
from fleet.api.openapi.components import Paths, Schema, schema
from fleet.api.openapi.documents import FIELDS, TITLES, Fields, one_of
from fleet.api.openapi.operations import ON_WRITE, answer, body, operation
from fleet.api.openapi.parameters import ON_WRITES, parameter
from fleet.api.openapi.sections import WRITE_HEADERS, revision_steps
from fleet.api.openapi.types import (
    BOOLEAN,
    JSON,
    by_name,
    dns_name,
    exactly,
    many,
    name,
    or_null,
    text,
)
from fleet.desired_state.inputs import RESOURCES
from fleet.models.sections import SECTIONS, TARGETS
from fleet.resources.reading import KEYS
from fleet.services.declared import CREATED, DECOMMISSIONED, DELETED, UPDATED

APPLIED_FIELDS: dict[str, Schema] = {
    "created": COUNT,
    "updated": COUNT,
    "deleted": COUNT | {"description": "And decommissioned."},
    "unchanged": COUNT | {"description": "Of those that the body names."},
    "objects": many(
        exactly(
            {
                "kind": enum(*TARGETS.values()),
                "id": name(),
                "action": enum(CREATED, UPDATED, DELETED, DECOMMISSIONED),
            }
        ),
        description="Those that changed.",
    ),
    "revision": or_null(REVISION) | {"description": "null where nothing changed."},
}
APPLIED = schema("Applied", exactly(APPLIED_FIELDS))
APPLIED_PLAN = schema("AppliedPlan", exactly(PLAN_FIELDS | APPLIED_FIELDS))
STATE: dict[str, Schema] = {
    "state": or_null(one_of(models.Cluster.State.values)),
    "frozen_answers": or_null(
        exactly(
            {
                "cluster": exactly({"name": name(), "dns": dns_name(), "environment": name()}),
                **{resource: many(by_name(JSON, text())) for resource in RESOURCES},
            }
        )
        | {"description": "What Flux gets, without the cluster of each input, which stands once."}
    ),
}
PRUNE = parameter(
    "prune",
    BOOLEAN | {"default": False},
    "Take away what the body does not name, of the kinds that it has; decommission clusters.",
)


def apply_paths() -> Paths:
    return {"/apply": {"post": _apply()}}


def declared(section: str, fields: Fields) -> Schema:
    """An object as a whole: what is left out has its default."""
    sent = {item: field.sent(patch=False) for item, field in fields.items()}
    extra = STATE if section == "clusters" else {}
    required = ["id", *(item for item, field in fields.items() if field.needed)]
    whole = exactly({}, id=name(), **(sent | extra)) | {"required": required}
    return schema(f"{TITLES[section]}Declared", whole)


def _apply() -> Schema:
    kinds = {KEYS[section]: many(declared(section, FIELDS[section])) for section in SECTIONS}
    return operation(
        "apply",
        "apply",
        "Make the fleet what documents say, all or none, as one revision",
        description="Objects that are named become exactly so; a kind that is left out is left "
        "alone. The state of a cluster stays where its document has none.",
        parameters=[PRUNE, *ON_WRITES],
        body=body(exactly({}, **kinds), {"a namespace and a cluster": examples.APPLY}),
        answers={
            200: answer(
                "What was done; or the plan of a dry run, and what would be done.",
                {"oneOf": [APPLIED, APPLIED_PLAN]},
                with_headers=WRITE_HEADERS,
                links=revision_steps(),
            )
        },
        refusals=ON_WRITE,
    )
