"""The paths that all kinds of objects have alike."""

from collections.abc import Sequence
from typing import Any

from fleet.api import filters
from fleet.api.openapi import examples
from fleet.api.openapi.answers import PLAN
from fleet.api.openapi.components import Paths, Schema
from fleet.api.openapi.documents import DOCUMENTS, Documents
from fleet.api.openapi.operations import (
    JSON_TYPE,
    MERGE_PATCH,
    ON_READ,
    ON_WRITE,
    answer,
    body,
    link,
    operation,
    or_plan,
)
from fleet.api.openapi.parameters import (
    IF_MATCH,
    IF_NONE_MATCH,
    ON_WRITES,
    PAGING,
    filter_parameters,
    path_id,
)
from fleet.api.openapi.types import many
from fleet.models.sections import TARGETS

FILTERS: dict[str, Any] = {
    "environments": filters.EnvironmentFilters,
    "namespaces": filters.NamespaceFilters,
    "rolebindings": filters.RoleBindingFilters,
    "platform_components": filters.ComponentFilters,
    "profiles": filters.ProfileFilters,
    "clusters": filters.ClusterFilters,
}
PAGE_HEADERS = ("X-Total-Count", "Link")
WRITE_HEADERS = ("X-Fleet-Revision",)
CHANGE_HEADERS = (*WRITE_HEADERS, "ETag?")


def section_paths(section: str) -> Paths:
    what, kinds = TARGETS[section], DOCUMENTS[section]
    return {
        f"/{section}": {
            "get": _list(section, kinds),
            "post": _create(section, what, kinds),
        },
        f"/{section}/{{id}}": {
            "get": _read(section, what, kinds),
            "put": _replace(section, what, kinds),
            "patch": _patch(section, what, kinds),
            "delete": _delete(section, what, kinds),
        },
    }


def next_steps(section: str, item: str) -> dict[str, Schema]:
    """What can be done with the object of an answer."""
    steps = {act: link(f"{section}_{act}", id=item) for act in ("read", "patch", "delete")}
    if section == "clusters":
        steps |= {
            act: link(f"cluster_{act}", id=item)
            for act in ("freeze", "unfreeze", "effective", "revisions")
        }
    if section == "platform_components":
        steps["usage"] = link("platform_component_usage", id=item)
    return steps


def known_steps(section: str) -> dict[str, Schema]:
    """Those of an object that is there as a whole, with its ETag."""
    item = "$response.body#/id"
    match = link(f"{section}_replace", id=item, if_match="$response.header.ETag")
    steps = next_steps(section, item) | {"replace": match}
    if section == "clusters":
        dns = "$response.body#/cluster_dns"
        steps["components"] = link("flux_platform_components", dns=dns)
    return steps


def revision_steps() -> dict[str, Schema]:
    number = "$response.header.X-Fleet-Revision"
    return {
        "revision": link("revisions_read", number=number),
        "revert": link("revision_revert", number=number),
    }


def _list(section: str, kinds: Documents) -> Schema:
    return operation(
        f"{section}_list",
        section,
        f"List {section}",
        parameters=[*filter_parameters(FILTERS[section]), *PAGING],
        answers={
            200: answer(
                "One page, as a bare list.",
                many(kinds.shown),
                with_headers=PAGE_HEADERS,
            )
        },
    )


def _create(section: str, what: str, kinds: Documents) -> Schema:
    created = answer(
        "It is there now.",
        kinds.shown,
        with_headers=("Location", "ETag", *WRITE_HEADERS),
        links={**known_steps(section), **revision_steps()},
    )
    return operation(
        f"{section}_create",
        section,
        f"Create a {what}",
        parameters=ON_WRITES,
        body=body(kinds.new, {what: examples.NEW[section]}),
        answers={
            200: answer("The plan of a dry run.", PLAN, with_headers=WRITE_HEADERS),
            201: created,
        },
        refusals=ON_WRITE,
    )


def _read(section: str, what: str, kinds: Documents) -> Schema:
    return operation(
        f"{section}_read",
        section,
        f"Read a {what}",
        parameters=[path_id(what), IF_NONE_MATCH],
        answers={
            200: answer(
                "As it is now.", kinds.shown, with_headers=("ETag",), links=known_steps(section)
            ),
            304: answer("It is as you know it."),
        },
        refusals=(*ON_READ, 404, 412),
    )


def _written(
    kinds: Documents,
    description: str,
    with_headers: Sequence[str] = CHANGE_HEADERS,
    steps: dict[str, Schema] | None = None,
) -> Schema:
    return answer(
        f"{description}; or the plan of a dry run.",
        or_plan(kinds.shown),
        with_headers=with_headers,
        links={**revision_steps(), **(steps or {})},
    )


def _replace(section: str, what: str, kinds: Documents) -> Schema:
    return operation(
        f"{section}_replace",
        section,
        f"Replace fields of a {what}",
        description="Fields that are not named stay as they are; lists are replaced whole.",
        parameters=[path_id(what), *ON_WRITES, IF_MATCH],
        body=body(kinds.replacement, {what: examples.REPLACEMENT[section]}),
        answers={200: _written(kinds, "As it is now")},
        refusals=(*ON_WRITE, 404, 412),
    )


def _patch(section: str, what: str, kinds: Documents) -> Schema:
    return operation(
        f"{section}_patch",
        section,
        f"Patch a {what}",
        description="JSON Merge Patch (RFC 7396) at every depth: `null` removes.",
        parameters=[path_id(what), *ON_WRITES, IF_MATCH],
        body=body(kinds.patch, {what: examples.PATCH[section]}, MERGE_PATCH, JSON_TYPE),
        answers={200: _written(kinds, "As it is now")},
        refusals=(*ON_WRITE, 404, 412),
    )


def _delete(section: str, what: str, kinds: Documents) -> Schema:
    about = (
        "A cluster is decommissioned; one that is so already, or waits to be approved, is purged."
    )
    back = {"recommission": link("cluster_recommission", id="$request.path.id")}
    steps = back if section == "clusters" else {}
    return operation(
        f"{section}_delete",
        section,
        f"Delete a {what}",
        description=about if section == "clusters" else "Refused while it is in use.",
        parameters=[path_id(what), *ON_WRITES, IF_MATCH],
        answers={200: _written(kinds, "What was deleted", WRITE_HEADERS, steps)},
        refusals=(*ON_WRITE, 404, 412),
    )
