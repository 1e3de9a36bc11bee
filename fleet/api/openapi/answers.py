"""What is answered beside the objects themselves: plans, revisions, merged state, errors."""

from http import HTTPStatus
from typing import Any

from fleet import models
from fleet.api.openapi.components import Schema, component, schema
from fleet.api.openapi.types import (
    BOOLEAN,
    JSON,
    by_name,
    exactly,
    many,
    name,
    or_null,
    text,
    whole,
)
from fleet.desired_state.inputs import RESOURCES
from fleet.history.time_travel import CLUSTER
from fleet.plans.diff import ADDED, CHANGED, REMOVED

COUNT: Schema = {"type": "integer", "minimum": 0}
DIGEST: Schema = {"type": "string", "pattern": "^[0-9a-f]{32}$"}
RESOURCE: Schema = {"type": "string", "enum": list(RESOURCES)}
REVISION = whole(0, 2**63 - 1)


def enum(*choices: str) -> Schema:
    return {"type": "string", "enum": list(choices)}


COUNTS = by_name(COUNT, RESOURCE)
PLAN_FIELDS: dict[str, Schema] = {
    "digest": DIGEST | {"description": "Names exactly this effect; for `confirm`."},
    "confirmation_required": BOOLEAN,
    "totals": exactly(
        {
            "clusters": COUNT,
            "removing_clusters": COUNT,
            "added": COUNTS,
            "changed": COUNTS,
            "removed": COUNTS,
        }
    ),
    "groups": many(
        exactly(
            {
                "count": COUNT,
                "clusters": many(name()),
                "changes": many(
                    exactly(
                        {
                            "resource": RESOURCE,
                            "id": text(),
                            "action": enum(ADDED, CHANGED, REMOVED),
                            "fields": many(exactly({"field": text()}, old=JSON, new=JSON)),
                        }
                    )
                ),
            }
        )
    ),
    "purged": many(name()),
    "warnings": many(exactly({"code": text(), "message": text(), "clusters": many(name())})),
    "rows": by_name(COUNT),
}
PLAN = schema(
    "Plan",
    exactly(PLAN_FIELDS)
    | {"description": "What a write would do to which clusters, field by field."},
)

ORIGIN = exactly({"layer": text(), "id": text()})
TRACED = schema("Traced", exactly({"value": JSON, "origin": ORIGIN}))
ITEMS = many(exactly({"id": text(), "fields": by_name(TRACED)}))
EFFECTIVE = schema(
    "Effective",
    exactly(
        {
            "id": name(),
            "cluster_name": name(),
            "cluster_dns": text(),
            "environment": name(),
            "state": enum(*models.Cluster.State.values),
            "revision": REVISION,
            "platform_components": ITEMS,
            "namespaces": ITEMS,
            "rolebindings": ITEMS,
        }
    ),
)
DIFFERENCE = schema(
    "Difference",
    exactly(
        {
            "from": REVISION,
            "to": REVISION,
            "changes": many(
                exactly(
                    {"resource": enum(CLUSTER, *RESOURCES), "id": text(), "field": text()},
                    old=TRACED,
                    new=TRACED,
                )
            ),
        }
    ),
)

SUMMARY: dict[str, Schema] = {
    "number": REVISION,
    "created_at": {"type": "string", "format": "date-time"},
    "actor": exactly({"kind": enum(*models.Revision.ActorKind.values), "name": text()}),
    "source": enum(*models.Revision.Source.values),
    "reason": text(),
    "reverts": or_null(REVISION),
}
REVISION_SUMMARY = schema("RevisionSummary", exactly(SUMMARY))
REVISION_DETAIL = schema(
    "Revision",
    exactly(
        SUMMARY
        | {
            "reverted_by": or_null(REVISION),
            "clusters": many(name()),
            "changes": many(
                exactly(
                    {
                        "kind": text(),
                        "object": by_name(text()),
                        "action": enum("created", "changed", "deleted"),
                        "fields": many(exactly({"field": text()}, old=JSON, new=JSON)),
                    }
                )
            ),
        }
    ),
)
USAGE = schema(
    "Usage",
    exactly({kind: many(name()) for kind in ("clusters", "profiles", "platform_components")}),
)
PATCHED_CLUSTERS = schema(
    "PatchedClusters", exactly({"matched": COUNT, "changed": COUNT, "clusters": many(name())})
)
DONE_OPERATIONS = schema("DoneOperations", many(exactly({"status": whole(200, 299), "body": JSON})))
LINKS = schema("Links", by_name({"type": "string", "format": "uri"}))


def refusal(status: int, code: str, meaning: str, details: Schema | None = None) -> None:
    """An error answer, which all operations share."""
    content = {"application/json": {"schema": error([code], details)}}
    definition = {"description": meaning, "content": content}
    REFUSALS[status] = component("responses", HTTPStatus(status).name.title(), definition)


def error(codes: list[str], details: Schema | None = None) -> Schema:
    fields: dict[str, Any] = {
        "error": enum(*codes),
        "message": {"type": "string"},
        "details": details or {"type": "object"},
    }
    return exactly(fields)


REFUSALS: dict[int, Schema] = {}
PROBLEMS = {
    "type": "object",
    "description": "What is wrong, by the path of the field, such as `platform_components[2].id`.",
}
refusal(400, "validation_error", "What was sent cannot be right.", PROBLEMS)
refusal(401, "unauthorized", "No credential, or a wrong one.")
refusal(403, "forbidden", "This credential may not do this.")
refusal(404, "not_found", "There is no such object.")
refusal(405, "method_not_allowed", "The operation cannot be done at its path.")
refusal(406, "not_acceptable", "The Accept header wants something else than JSON.")
refusal(412, "precondition_failed", "The object has changed since it was read.")
refusal(413, "too_large", "The body is too large.")
refusal(414, "too_large", "The address is too long.")
refusal(415, "unsupported_media_type", "The body is not JSON.")
refusal(429, "too_many_requests", "Too often; `Retry-After` says when to ask again.")
refusal(431, "too_large", "A header is too long.")
refusal(500, "internal_error", "A bug. The log has it under `details.id`.")
refusal(503, "unavailable", "The database does not answer.")
REFUSALS[409] = component(
    "responses",
    "Conflict",
    {
        "description": "It does not fit the present state of the fleet; or it takes things away "
        "from many clusters, and its plan must be confirmed; or its plan is not the expected one.",
        "content": {
            "application/json": {
                "schema": {
                    "oneOf": [
                        error(["conflict"]),
                        error(
                            ["confirmation_required", "plan_changed"],
                            exactly({"digest": DIGEST, "plan": PLAN}),
                        ),
                    ]
                }
            }
        },
    },
)
