"""Parameters and headers: those that many operations share, and those of the filters."""

from typing import Any

import django_filters

from fleet.api.filters import (
    LabelFilter,
    RevisionFilters,
    WholeNumberFilter,
    YesNoFilter,
)
from fleet.api.openapi.components import Schema, component
from fleet.api.openapi.types import BLANK, BOOLEAN, LABEL_KEY, TAG, many, name, text, whole
from fleet.api.pagination import DEFAULT_LIMIT, MAX_LIMIT, MAX_OFFSET
from fleet.models.revision import MAX_REASON
from fleet.models.sections import SECTIONS
from fleet.resources.fields import INT32

# A filter may not be empty: it would choose everything.
WORD = text(pattern=rf"^[^\x00]*[^{BLANK}\x00][^\x00]*$")
# It may be percent-encoded.
NO_ENCODED_NUL = r"^((?!%00)[^\x00])*$"
OBJECT = rf"^({'|'.join((*SECTIONS, 'tokens'))})/[^\s\x00]+$"


def parameter(name: str, part: Schema, description: str = "", **options: Any) -> Schema:
    said = {"description": description} if description else {}
    return {"name": name, "in": "query", **said, "schema": part, **options}


def shared(key: str, definition: Schema) -> Schema:
    return component("parameters", key, definition)


def header(name: str, description: str, part: Schema) -> Schema:
    return parameter(name, part, description, **{"in": "header"})


PAGING = [
    shared(
        "limit",
        parameter("limit", whole(1, MAX_LIMIT, default=DEFAULT_LIMIT), "How many at most."),
    ),
    shared(
        "offset", parameter("offset", whole(0, MAX_OFFSET, default=0), "How many to pass over.")
    ),
]
DRY_RUN = shared(
    "dry_run",
    parameter("dry_run", BOOLEAN | {"default": False}, "Change nothing, and answer the plan."),
)
CONFIRM = shared(
    "confirm",
    parameter("confirm", {"type": "string"}, "The digest of the plan, where it must be confirmed."),
)
EXPECT = shared(
    "expect",
    parameter(
        "expect", {"type": "string"}, "The digest of the only plan to go ahead with; else 409."
    ),
)
REASON = shared(
    "reason",
    header("X-Change-Reason", "Kept with the revision.", text(MAX_REASON, pattern=NO_ENCODED_NUL)),
)
ON_WRITES = [DRY_RUN, CONFIRM, EXPECT, REASON]
ETAG: Schema = {"type": "string", "format": "etag"}
IF_MATCH = shared("if_match", header("If-Match", "The ETag of what is to be changed.", ETAG))
IF_NONE_MATCH = shared("if_none_match", header("If-None-Match", "The ETag of what is known.", ETAG))
ALL = parameter("all", BOOLEAN | {"default": False}, "Needed to change every cluster.")


def path_id(what: str, **options: Any) -> Schema:
    return {"name": "id", "in": "path", "required": True, "schema": name(what), **options}


def filter_parameters(filterset: Any) -> list[Schema]:
    return [_filter(name, item, filterset) for name, item in filterset.base_filters.items()]


def _filter(name: str, item: Any, filterset: Any) -> Schema:
    if isinstance(item, django_filters.OrderingFilter):
        choices = [key for key, _ in item.extra["choices"] if key]
        part = many({"type": "string", "enum": choices}, minItems=1)
        return parameter(name, part, "`-` in front turns it round.", explode=False)
    if isinstance(item, LabelFilter):
        part = {"type": "string", "pattern": f"^{LABEL_KEY}(:({TAG})?)?$"}
        about = "`key:value`, or `key` for any value. A cluster must have all that are given."
        return parameter(name, many(part, minItems=1), about)
    return parameter(name, _filter_schema(name, item, filterset), item.extra.get("help_text", ""))


def _filter_schema(name: str, item: Any, filterset: Any) -> Schema:
    if isinstance(item, YesNoFilter):
        return BOOLEAN
    if isinstance(item, django_filters.ChoiceFilter):
        return {"type": "string", "enum": [value for value, _ in item.extra["choices"]]}
    if isinstance(item, WholeNumberFilter):
        return whole(INT32.start, INT32.stop - 1)
    if isinstance(item, django_filters.IsoDateTimeFilter):
        return {"type": "string", "format": "date-time"}
    if filterset is RevisionFilters and name == "object":
        return {"type": "string", "pattern": OBJECT}
    return WORD


HEADERS: dict[str, Schema] = {
    key: component("headers", key, {"description": about, "required": True, "schema": part})
    for key, about, part in (
        ("X-Total-Count", "How many there are without limit and offset.", whole(0, 2**63 - 1)),
        ("Link", "The first, previous, next and last page.", text()),
        ("ETag", "Of the content: the same object has the same.", ETAG),
        ("Location", "The address of the new object.", {"type": "string", "format": "uri"}),
        ("X-Fleet-Revision", "The revision of this change, or the newest.", whole(0, 2**63 - 1)),
    )
}
HEADERS["ETag?"] = component(
    "headers", "NewETag", {"description": "Not where it was a dry run.", "schema": ETAG}
)


def headers(*names: str) -> Schema:
    """`?` stands behind one that is not always there."""
    return {item.removesuffix("?"): HEADERS[item] for item in names}
