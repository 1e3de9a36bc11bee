"""What schemathesis cannot know from the schema: which ids there are, and what JSON Schema cannot
say of valid data."""

import os
import re
from collections.abc import Iterator
from itertools import count
from typing import Any

import httpx
import schemathesis
from hypothesis import strategies as st
from schemathesis.checks import CheckContext
from schemathesis.core.transport import Response
from schemathesis.generation.case import Case
from schemathesis.hooks import HookContext
from schemathesis.openapi.checks import RejectedPositiveData
from schemathesis.specs.openapi.checks import positive_data_acceptance

from fleet.api.openapi.examples import NEW

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
for section, target in TARGETS.items():
    found = api.get(f"/{section}?limit=1000").json()
    known = st.sampled_from(sorted(item["id"] for item in found))
    schemathesis.openapi.format(f"{target}-id", known)
    if section == "clusters":
        dns = st.sampled_from(sorted(item["cluster_dns"] for item in found))
        schemathesis.openapi.format("cluster-dns", dns)


NEW_IDS = count(1)


@schemathesis.hook
def before_load_schema(ctx: HookContext, raw_schema: dict[str, Any]) -> None:
    """A patch may come as either media type, to the same parser: once will do."""
    for methods in raw_schema["paths"].values():
        if "patch" in methods:
            del methods["patch"]["requestBody"]["content"]["application/json"]


@schemathesis.hook
def before_call(ctx: HookContext, case: Case, kwargs: dict[str, Any]) -> None:
    """The example of a new object can be created once; here it is a new one each time."""
    section = case.path.strip("/")
    if case.method == "POST" and section in NEW and isinstance(case.body, dict):
        if case.body.get("id") == NEW[section]["id"]:
            case.body["id"] = f"new-{next(NEW_IDS)}"
        if case.body.get("cluster_dns") == NEW["clusters"]["cluster_dns"]:
            case.body["cluster_dns"] = f"new-{next(NEW_IDS)}.k8s.example.com"


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


def _texts(part: Any) -> Iterator[str]:
    """The texts of `details`, without what they are about."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict | list):
        for child in part.values() if isinstance(part, dict) else part:
            yield from _texts(child)
