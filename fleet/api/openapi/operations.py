"""How an operation is written down."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.conf import settings

from fleet.api.openapi.answers import PLAN, REFUSALS
from fleet.api.openapi.components import Schema
from fleet.api.openapi.parameters import headers

JSON_TYPE = "application/json"
MERGE_PATCH = "application/merge-patch+json"
YAML_TYPE = "application/yaml"

CREDENTIALS = ("bearer", "basic") if settings.READ_ONLY else ("bearer", "basic", "session")

ON_READ = (400, 401, 403, 406, 414, 431, 500, 503)
ON_WRITE = (*ON_READ, 409, 413, 415)


def operation(
    operation_id: str,
    tag: str,
    summary: str,
    *,
    answers: Mapping[int, Schema],
    refusals: Iterable[int] = ON_READ,
    parameters: Sequence[Schema] = (),
    body: Schema | None = None,
    description: str = "",
    public: bool = False,
) -> Schema:
    return {
        "operationId": operation_id,
        "tags": [tag],
        "summary": summary,
        **({"description": description} if description else {}),
        **({"parameters": list(parameters)} if parameters else {}),
        **({"requestBody": body} if body else {}),
        "security": [] if public else [{name: []} for name in CREDENTIALS],
        "responses": {
            **{str(status): answers[status] for status in sorted(answers)},
            **{str(status): REFUSALS[status] for status in sorted(refusals)},
        },
    }


def answer(
    description: str,
    part: Schema | None = None,
    *,
    with_headers: Sequence[str] = (),
    links: Mapping[str, Schema] | None = None,
    media_type: str = JSON_TYPE,
) -> Schema:
    return {
        "description": description,
        **({"content": {media_type: {"schema": part}}} if part else {}),
        **({"headers": headers(*with_headers)} if with_headers else {}),
        **({"links": dict(links)} if links else {}),
    }


def body(part: Schema, examples: Mapping[str, Any], *types: str, needed: bool = True) -> Schema:
    shown = {name: {"value": value} for name, value in examples.items()}
    content = {"schema": part, **({"examples": shown} if shown else {})}
    return {"required": needed, "content": dict.fromkeys(types or (JSON_TYPE,), content)}


def link(operation_id: str, **parameters: str) -> Schema:
    """What to do next, with parts of the answer. `if_match` is the header."""
    match = parameters.pop("if_match", "")
    return {
        "operationId": operation_id,
        "parameters": parameters | ({"header.If-Match": match} if match else {}),
    }


def or_plan(part: Schema) -> Schema:
    return {"oneOf": [part, PLAN]}
