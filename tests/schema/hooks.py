"""What schemathesis cannot know from the schema: which ids there are, and what JSON Schema cannot
say of valid data."""

import os
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import schemathesis
from hypothesis import strategies as st
from schemathesis.checks import CheckContext
from schemathesis.core.transport import Response
from schemathesis.generation.case import Case
from schemathesis.hooks import HookContext
from schemathesis.openapi.checks import (
    EnsureResourceAvailability,
    RejectedPositiveData,
    UseAfterFree,
)
from schemathesis.specs.openapi.checks import positive_data_acceptance, use_after_free

TARGETS = {
    "environments": "environment",
    "namespaces": "namespace",
    "rolebindings": "rolebinding",
    "platform_components": "component",
    "profiles": "profile",
    "clusters": "cluster",
    "tokens": "token",
}
# A made-up ETag would stop nearly every write at 412.
schemathesis.openapi.format("etag", st.sampled_from(["*", '"0"']))
# Of a cluster that is gone, too, these tell what it was.
PAST = {"/clusters/{id}/diff", "/clusters/{id}/revisions"}


def ask(path: str, **parameters: str | int) -> Any:
    """A connection of its own: one that is kept may be closed while the fuzzing is elsewhere."""
    headers = {"Authorization": f"Bearer {os.environ['FUZZ_TOKEN']}"}
    address = os.environ["FUZZ_URL"] + path
    response = httpx.get(address, params=parameters, headers=headers, timeout=60)
    return response.raise_for_status().json()


taken: set[str] = set()
for section, target in TARGETS.items():
    found = ask(f"/{section}", limit=1000)
    ids = sorted(item["id"] for item in found)
    schemathesis.openapi.format(f"{target}-id", st.sampled_from(ids))
    taken |= {f"{section}/{item}" for item in ids}
    if section == "clusters":
        names = sorted(item["cluster_dns"] for item in found)
        schemathesis.openapi.format("cluster-dns", st.sampled_from(names))
        taken |= {f"dns/{name}" for name in names}


@schemathesis.hook
def before_load_schema(ctx: HookContext, raw_schema: dict[str, Any]) -> None:
    """A patch may come as either media type, to the same parser: once will do."""
    for methods in raw_schema["paths"].values():
        if "patch" in methods:
            del methods["patch"]["requestBody"]["content"]["application/json"]


@schemathesis.hook
def before_call(ctx: HookContext, case: Case, kwargs: dict[str, Any]) -> None:
    """Small names are drawn again and again: here nearly every new object is a new one."""
    section, body = case.path.strip("/"), case.body
    valid = case.meta is not None and case.meta.generation.mode.is_positive
    if case.method == "POST" and section in TARGETS and valid and isinstance(body, dict):
        for field, kind in (("id", section), ("cluster_dns", "dns")):
            if f"{kind}/{body.get(field)}" in taken:
                body[field] = f"new-{len(taken)}"
            if field in body:
                taken.add(f"{kind}/{body[field]}")


# Rules over several values, or over the fleet as it is, which no JSON Schema can express.
UNSPEAKABLE = re.compile(
    "|".join(
        (
            "there is no ",
            "is in the list twice",
            "is given twice",
            "forms a cycle",
            "says another thing than values does",
            "leads through ",
            "has a value too; keep one of the two",
            "is the DNS name of cluster ",
            "is not a JSON Schema",
            "needs component too",
            "is needed to change every cluster",
            # A key is as long, and as deep, as the names on the way to its value together.
            "is longer than 512 characters",
            "is nested deeper than 32 levels",
            "bytes together; Kubernetes takes ",
            "must be within the years 1 to 9999",
            "must be given for a cluster token, and for no other",
            "can be given for an operator or enrolment token only",
            "must be in the future",
            # Characters anywhere in a body.
            "which YAML cannot carry",
            # Which fields go with which kind of token, and with which token.
            "can be given for an enrolment token only",
            "must be the one that new clusters are in",
            "has no list of clusters: ",
            "must be that of the token, ",
            " by the token",
            # What can become of which state, and what is kept of a frozen cluster.
            "the cluster is (waiting|active|frozen|decommissioned): ",
            "belong to a cluster whose state is frozen",
            "must have .* in (every item of )?(platform-components|namespaces|rolebindings)",
            "has an id twice in ",
        )
    )
)


@schemathesis.check
def valid_data_is_accepted(ctx: CheckContext, response: Response, case: Case) -> None:
    try:
        positive_data_acceptance(ctx, response, case)
    except RejectedPositiveData:
        refused = response.json()
        if "refusal" in refused["details"]:
            return  # What an operation of a batch may carry is described elsewhere.
        reasons = list(_texts(refused["details"])) or [refused["message"]]
        if not all(map(UNSPEAKABLE.search, reasons)):
            raise


@schemathesis.check
def deleted_is_gone(ctx: CheckContext, response: Response, case: Case) -> None:
    try:
        use_after_free(ctx, response, case)
    except UseAfterFree as failure:
        deleted = ctx.internals.find_response(case_id=failure.deleted_case_id or "")
        if deleted is None or (not _tells_of_the_past(case) and _must_be_gone(deleted)):
            raise


@schemathesis.check
def known_is_there(ctx: CheckContext, response: Response, case: Case) -> None:
    """As ensure_resource_availability, but also where a link does not give every parameter."""
    linked = ctx.internals.find_parent(case_id=case.id) is not None
    if response.status_code != 404 or not linked or not _is_about_an_object(case):
        return
    # A revert or a batch can delete as well as DELETE can.
    last = next(_log_of(case.formatted_path), "deleted")
    if last != "deleted":
        raise EnsureResourceAvailability(
            operation=case.operation.label,
            message=f"{case.formatted_path} is not found, but the log has it last as {last}.",
            created_with="what the log has",
            not_available_with=case.operation.label,
        )


def _is_about_an_object(case: Case) -> bool:
    """And of now: of a revision, an object that is there can be missing."""
    section = case.path.split("/")[1]
    of_then = case.path.endswith(("/diff", "/restore", "/effective"))
    return case.path.startswith(f"/{section}/{{id}}") and section in TARGETS and not of_then


def _tells_of_the_past(case: Case) -> bool:
    then = case.path == "/clusters/{id}/effective" and "revision" in (case.query or {})
    return then or case.path in PAST


def _must_be_gone(deleted: Response) -> bool:
    """By the log: whether a DELETE was one, and nothing has brought the object back since.

    Reverts, batches and restores can, and the path of none of them says what they bring back.
    """
    address = urlsplit(str(deleted.request.url))
    if "dry_run=true" in address.query:
        return False
    done = list(_log_of(address.path, since=int(deleted.headers["x-fleet-revision"][0])))
    if done[-1:] == ["changed"] and address.path.startswith("/clusters/"):
        return done[0] == "deleted"  # Decommissioned, and perhaps purged by the next DELETE.
    return done[-1:] != ["deleted"] or done[0] == "deleted"


def _log_of(path: str, since: int = 0) -> Iterator[str]:
    """What was done to the object of a path, back to a revision, the newest first."""
    section, item = path.strip("/").split("/")[:2]
    for revision in ask("/revisions", object=f"{section}/{item}", limit=1000):
        if revision["number"] < since:
            return
        for change in ask(f"/revisions/{revision['number']}")["changes"]:
            if (change["kind"], change["object"]) == (TARGETS[section], {"id": item}):
                yield change["action"]


def _texts(part: Any) -> Iterator[str]:
    """The texts of `details`, without what they are about."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict | list):
        for child in part.values() if isinstance(part, dict) else part:
            yield from _texts(child)
