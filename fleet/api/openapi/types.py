"""What fields are made of, as JSON Schema. Patterns are those of fleet/kubernetes.py."""

from typing import Any

from fleet.api.openapi.components import Schema, schema
from fleet.desired_state.values import EXACT, MAX_KEY_LENGTH

LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
ANY_CASE = "[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?"
NAME = f"^{LABEL}$"
DNS_NAME = rf"^{LABEL}(\.{LABEL})*$"
DNS_NAME_ANY_CASE = rf"^{ANY_CASE}(\.{ANY_CASE})*$"
TAG = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
# The prefix of a key has at most 253 characters; what has none is shorter anyway.
SHORT = "(?![^/]{254})"
LABEL_KEY = rf"{SHORT}({LABEL}(\.{LABEL})*/)?{TAG}"
ANNOTATION_KEY = rf"{SHORT}({ANY_CASE}(\.{ANY_CASE})*/)?{TAG}"
# No text may hold what a database cannot keep, or YAML not carry.
NEVER = r"\x00\x7f-\x9f\ufffe\uffff"
CLEAN = f"^[^{NEVER}]*$"
# What Python takes for blank, which is a little more than what JavaScript does.
BLANK = r"\s\x1c-\x1f\x85"
# Names between dots; a backslash takes the next character as it is.
PART = rf"([^\\.\[{NEVER}]|\\[^{NEVER}])+"
KEY = rf"^{PART}(\.{PART}){{0,31}}$"

BOOLEAN: Schema = {"type": "boolean"}


def text(most: int | None = None, **options: Any) -> Schema:
    limit = {"maxLength": most} if most is not None else {}
    return {"type": "string", "pattern": CLEAN, **limit, **options}


def whole(least: int, most: int, **options: Any) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most, **options}


def many(items: Schema, **options: Any) -> Schema:
    return {"type": "array", "items": items, **options}


def by_name(values: Schema, names: Schema | None = None, **options: Any) -> Schema:
    """An object of any names."""
    keys = {"propertyNames": names} if names else {}
    return {"type": "object", **keys, "additionalProperties": values, **options}


def exactly(needed: dict[str, Schema], /, **others: Schema) -> Schema:
    """An object of these fields and no others."""
    required = {"required": list(needed)} if needed else {}
    return {
        "type": "object",
        **required,
        "properties": needed | others,
        "additionalProperties": False,
    }


def or_null(part: Schema) -> Schema:
    if "null" in part.get("type", ""):
        return part
    if isinstance(part.get("type"), str):
        choices = {"enum": [*part["enum"], None]} if "enum" in part else {}
        return part | {"type": [part["type"], "null"]} | choices
    return {"anyOf": [part, {"type": "null"}]}


def name(what: str = "", **options: Any) -> Schema:
    """An id. As a reference, `what` says of what it is the id."""
    kind = {"format": f"{what}-id"} if what else {}
    return {"type": "string", "pattern": NAME, "maxLength": 63, **kind, **options}


def dns_name(pattern: str = DNS_NAME) -> Schema:
    return {"type": "string", "pattern": pattern, "maxLength": 253}


LABEL_VALUE: Schema = {"type": "string", "pattern": f"^({TAG})?$"}
LABELS = by_name(LABEL_VALUE, {"pattern": f"^{LABEL_KEY}$", "maxLength": 317})
LABELS_PATCH = by_name(or_null(LABEL_VALUE), LABELS["propertyNames"])
ANNOTATIONS = by_name(text(), {"pattern": f"^{ANNOTATION_KEY}$", "maxLength": 317})
ANNOTATIONS_PATCH = by_name(or_null(text()), ANNOTATIONS["propertyNames"])

NUMBER: Schema = {"type": "number", "minimum": EXACT.start, "maximum": EXACT.stop - 1}
PLAIN: list[Schema] = [{"type": "null"}, BOOLEAN, NUMBER, text()]
JSON = schema(
    "JSON",
    {
        "description": "Any JSON value.",
        "anyOf": [
            *PLAIN,
            many({"$ref": "#/components/schemas/JSON"}),
            by_name({"$ref": "#/components/schemas/JSON"}, text()),
        ],
    },
)
VALUE = schema(
    "Value",
    {
        "description": "A Helm value. Objects are merged key by key, lists are replaced whole.",
        "anyOf": [*PLAIN, many(JSON), {"$ref": "#/components/schemas/Values"}],
    },
)
VALUES = schema(
    "Values",
    by_name(VALUE, text(minLength=1), description="Helm values, nested and exact."),
)
PATCH_KEY: Schema = {"type": "string", "pattern": KEY, "maxLength": MAX_KEY_LENGTH}
PATCHES = schema(
    "Patches",
    by_name(
        VALUE,
        PATCH_KEY,
        description="Helm values by key, such as `ui.color`; a dot inside of a name is written "
        r"`\.`. Text is typed as Helm's `--set` types it.",
    ),
)
