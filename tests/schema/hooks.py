"""What schemathesis cannot know from the schema: which ids there are, and what JSON Schema cannot
say of valid data."""

import os
import re
from collections.abc import Iterator
from typing import Any

import httpx
import schemathesis
from hypothesis import strategies as st
from schemathesis.checks import CheckContext
from schemathesis.core.transport import Response
from schemathesis.generation.case import Case
from schemathesis.hooks import HookContext
from schemathesis.openapi.checks import RejectedPositiveData, UseAfterFree
from schemathesis.specs.openapi.checks import positive_data_acceptance, use_after_free

TARGETS = {
    "environments": "environment",
    "namespaces": "namespace",
    "rolebindings": "rolebinding",
    "platform_components": "component",
    "profiles": "profile",
    "clusters": "cluster",
}
# A made-up ETag would stop nearly every write at 412.
schemathesis.openapi.format("etag", st.sampled_from(["*", '"0"']))
api = httpx.Client(
    base_url=os.environ["FUZZ_URL"],
    headers={"Authorization": f"Bearer {os.environ['FUZZ_TOKEN']}"},
)
taken: set[str] = set()
for section, target in TARGETS.items():
    found = api.get(f"/{section}?limit=1000").json()
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
        )
    )
)


@schemathesis.check
def valid_data_is_accepted(ctx: CheckContext, response: Response, case: Case) -> None:
    try:
        positive_data_acceptance(ctx, response, case)
    except RejectedPositiveData:
        details = response.json()["details"]
        if "refusal" in details:
            return  # What an operation of a batch may carry is described elsewhere.
        reasons = list(_texts(details))
        if not reasons or not all(map(UNSPEAKABLE.search, reasons)):
            raise


@schemathesis.check
def deleted_is_gone(ctx: CheckContext, response: Response, case: Case) -> None:
    try:
        use_after_free(ctx, response, case)
    except UseAfterFree as failure:
        deleted = ctx.internals.find_response(case_id=failure.deleted_case_id or "")
        asked = str(deleted.request.url) if deleted else ""
        # A dry run deletes nothing; and a cluster is only decommissioned by the first DELETE.
        if "dry_run=true" not in asked and "/clusters/" not in asked:
            raise


def _texts(part: Any) -> Iterator[str]:
    """The texts of `details`, without what they are about."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict | list):
        for child in part.values() if isinstance(part, dict) else part:
            yield from _texts(child)
