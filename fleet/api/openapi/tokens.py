"""The paths of tokens."""

from typing import Any

from fleet.api.filters import TokenFilters
from fleet.api.openapi import examples
from fleet.api.openapi.answers import PLAN
from fleet.api.openapi.components import Paths, Schema, schema
from fleet.api.openapi.documents import MAX_INTEGER
from fleet.api.openapi.operations import ON_READ, ON_WRITE, answer, body, link, operation, or_plan
from fleet.api.openapi.parameters import (
    IF_NONE_MATCH,
    ON_WRITES,
    PAGING,
    filter_parameters,
    path_id,
)
from fleet.api.openapi.sections import PAGE_HEADERS, WRITE_HEADERS
from fleet.api.openapi.types import BOOLEAN, LABELS, exactly, many, name, or_null, text, whole
from fleet.models import Token
from fleet.services.tokens import MAX_GRACE

MOMENT: Schema = {"type": "string", "format": "date-time"}
KIND: Schema = {"type": "string", "enum": Token.Kind.values}
USES = whole(1, MAX_INTEGER)
SHOWN: dict[str, Schema] = {
    "id": name(),
    "kind": KIND,
    "cluster": or_null(name()),
    "environments": or_null(many(name())),
    "labels": LABELS,
    "profiles": many(name()),
    "needs_approval": BOOLEAN,
    "max_uses": or_null(USES),
    "uses": whole(0, MAX_INTEGER),
    "expires_at": or_null(MOMENT),
    "rotated_at": or_null(MOMENT),
    "keys": many(
        exactly(
            {
                "prefix": text(),
                "created_at": MOMENT,
                "expires_at": or_null(MOMENT),
                "last_used": or_null(MOMENT),
            }
        )
    ),
}
TOKEN = schema("Token", exactly(SHOWN))
SECRET = text(description="The secret. It is shown here, and never again.")
TOKEN_WITH_SECRET = schema("TokenWithSecret", exactly({**SHOWN, "token": SECRET}))
NEW = schema(
    "TokenNew",
    exactly(
        {"id": name(), "kind": KIND},
        cluster=or_null(name("cluster", description="For a cluster token, and for no other.")),
        environments=or_null(
            many(
                name("environment"),
                minItems=1,
                description="What an operator may change; the one that new clusters are in.",
            )
        ),
        labels=or_null(
            LABELS | {"description": "Of new clusters. For enrolment, as what follows."}
        ),
        profiles=or_null(
            many(name("profile"), description="Those with a list, to put new clusters on.")
        ),
        needs_approval=or_null(
            BOOLEAN | {"description": "New clusters wait, unknown to Flux, to be approved."}
        ),
        max_uses=or_null(USES | {"description": "How many clusters may register."}),
        expires_at=or_null(MOMENT),
    ),
)
ROTATION = exactly(
    {},
    grace_seconds=or_null(
        whole(0, int(MAX_GRACE.total_seconds()), description="How long the old secret is valid.")
    ),
    expires_at=or_null(MOMENT),
)
ID = path_id("token")


def token_paths() -> Paths:
    return {
        "/tokens": {"get": _list(), "post": _issue()},
        "/tokens/{id}": {"get": _read(), "delete": _revoke()},
        "/tokens/{id}/rotate": {"post": _rotate()},
    }


def _steps(item: str) -> dict[str, Schema]:
    acts = ("read", "rotate", "revoke")
    return {act: link(f"tokens_{act}", id=item) for act in acts}


def _token_operation(act: str, summary: str, **options: Any) -> Schema:
    return operation(f"tokens_{act}", "tokens", summary, **options)


def _list() -> Schema:
    page = answer("One page.", many(TOKEN), with_headers=PAGE_HEADERS)
    parameters = [*filter_parameters(TokenFilters), *PAGING]
    return _token_operation("list", "List tokens", parameters=parameters, answers={200: page})


def _issue() -> Schema:
    issued = answer(
        "It is valid now.",
        TOKEN_WITH_SECRET,
        with_headers=("Location", *WRITE_HEADERS),
        links=_steps("$response.body#/id"),
    )
    plan = answer("The plan of a dry run.", PLAN, with_headers=WRITE_HEADERS)
    return _token_operation(
        "issue",
        "Issue a token",
        parameters=ON_WRITES,
        body=body(NEW, {"of a cluster": examples.TOKEN}),
        answers={200: plan, 201: issued},
        refusals=ON_WRITE,
    )


def _read() -> Schema:
    shown = answer("Without its secret.", TOKEN, with_headers=("ETag",))
    return _token_operation(
        "read",
        "Read a token",
        parameters=[ID, IF_NONE_MATCH],
        answers={200: shown, 304: answer("It is as you know it.")},
        refusals=(*ON_READ, 404, 412),
    )


def _rotate() -> Schema:
    rotated = answer(
        "The new secret is valid now; or the plan of a dry run.",
        or_plan(TOKEN_WITH_SECRET),
        with_headers=WRITE_HEADERS,
        links=_steps("$request.path.id"),
    )
    return _token_operation(
        "rotate",
        "Give a token a new secret",
        parameters=[ID, *ON_WRITES],
        body=body(ROTATION, {"an hour of grace": examples.ROTATION}, needed=False),
        answers={200: rotated},
        refusals=(*ON_WRITE, 404),
    )


def _revoke() -> Schema:
    gone = answer(
        "What was revoked; or the plan of a dry run.", or_plan(TOKEN), with_headers=WRITE_HEADERS
    )
    return _token_operation(
        "revoke",
        "Revoke a token",
        parameters=[ID, *ON_WRITES],
        answers={200: gone},
        refusals=(*ON_WRITE, 404),
    )
