"""The parts that operations share. A schema gets those that its operations refer to."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings

Schema = dict[str, Any]
Paths = dict[str, dict[str, Schema]]

COMPONENTS: dict[str, dict[str, Schema]] = {}


def component(kind: str, name: str, definition: Schema) -> Schema:
    """Keeps the definition; gives back the reference to it."""
    COMPONENTS.setdefault(kind, {})[name] = definition
    return {"$ref": f"#/components/{kind}/{name}"}


def schema(name: str, definition: Schema) -> Schema:
    return component("schemas", name, definition)


def add_components(result: Schema, **kwargs: Any) -> Schema:
    """A hook of drf-spectacular, called with the finished paths."""
    found: dict[str, dict[str, Schema]] = {}
    pending = sorted(set(_references(result["paths"])))
    while pending:
        kind, name = pending.pop().removeprefix("#/components/").split("/")
        if name not in found.setdefault(kind, {}):
            found[kind][name] = COMPONENTS[kind][name]
            pending += _references(found[kind][name])
    found["securitySchemes"] = COMPONENTS["securitySchemes"]
    result["components"] = {
        kind: dict(sorted(definitions.items())) for kind, definitions in sorted(found.items())
    }
    return result


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        reference = part.get("$ref")
        if isinstance(reference, str):
            yield reference
        for child in part.values():
            yield from _references(child)
    elif isinstance(part, list):
        for child in part:
            yield from _references(child)


component("securitySchemes", "bearer", {"type": "http", "scheme": "bearer"})
component(
    "securitySchemes",
    "basic",
    {"type": "http", "scheme": "basic", "description": "Any user name; the token is the password."},
)
if not settings.READ_ONLY:
    component(
        "securitySchemes",
        "session",
        {
            "type": "apiKey",
            "in": "cookie",
            "name": "sessionid",
            "description": "A person who is logged in. Writes need the X-CSRFToken header too.",
        },
    )
