"""Every path of the REST API."""

from fleet.api.batch import MAX_OPERATIONS
from fleet.api.filters import ClusterFilters, RevisionFilters
from fleet.api.openapi import answers, examples
from fleet.api.openapi.apply import apply_paths
from fleet.api.openapi.components import Paths, Schema
from fleet.api.openapi.documents import CLUSTERS_PATCH, DOCUMENTS
from fleet.api.openapi.enrolment import enrolment_paths
from fleet.api.openapi.operations import (
    JSON_TYPE,
    MERGE_PATCH,
    ON_READ,
    ON_WRITE,
    YAML_TYPE,
    answer,
    body,
    link,
    operation,
    or_plan,
)
from fleet.api.openapi.parameters import (
    ALL,
    IF_MATCH,
    IF_NONE_MATCH,
    ON_WRITES,
    PAGING,
    filter_parameters,
    parameter,
    path_id,
)
from fleet.api.openapi.sections import (
    CHANGE_HEADERS,
    PAGE_HEADERS,
    WRITE_HEADERS,
    next_steps,
    revision_steps,
    section_paths,
)
from fleet.api.openapi.tokens import token_paths
from fleet.api.openapi.types import BOOLEAN, JSON, LABEL, by_name, exactly, many, text, whole
from fleet.models.sections import SECTIONS

CLUSTER = path_id("cluster")
RESTORE = exactly({"revision": answers.REVISION})
ACTS = {
    "approve": "Let a cluster that registered itself take part",
    "freeze": "Keep what a cluster gets now",
    "unfreeze": "Let a frozen cluster follow again",
    "recommission": "Take a decommissioned cluster back",
}
NUMBER: Schema = {
    "name": "number",
    "in": "path",
    "required": True,
    "schema": whole(0, 10**18 - 1),
}


def fleet_paths() -> Paths:
    paths: Paths = {}
    for section in SECTIONS:
        paths |= section_paths(section)
    paths["/clusters"]["patch"] = _patch_many()
    return {
        **paths,
        **{f"/clusters/{{id}}/{act}": {"post": _act(act, ACTS[act])} for act in ACTS},
        "/clusters/{id}/restore": {"post": _restore()},
        "/clusters/{id}/effective": {"get": _effective()},
        "/clusters/{id}/diff": {"get": _difference()},
        "/clusters/{id}/revisions": {"get": _revisions_of_cluster()},
        "/clusters/{id}/bootstrap.yaml": {"get": _manifest()},
        "/clusters/{id}/bootstrap": {"post": _bootstrap()},
        "/platform_components/{id}/usage": {"get": _usage()},
        "/revisions": {"get": _revisions()},
        "/revisions/{number}": {"get": _revision()},
        "/revisions/{number}/revert": {"post": _revert()},
        "/batch": {"post": _batch()},
        **apply_paths(),
        **enrolment_paths(),
        **token_paths(),
        **about_paths(),
    }


def _patch_many() -> Schema:
    return operation(
        "clusters_patch_many",
        "clusters",
        "Patch every cluster that matches",
        description="The same merge patch on all of them: one transaction, one revision.",
        parameters=[*filter_parameters(ClusterFilters), ALL, *ON_WRITES],
        body=body(CLUSTERS_PATCH, {"label": examples.CLUSTERS_PATCH}, MERGE_PATCH, JSON_TYPE),
        answers={
            200: answer(
                "How many matched, and which changed; or the plan of a dry run.",
                or_plan(answers.PATCHED_CLUSTERS),
                with_headers=WRITE_HEADERS,
                links=revision_steps(),
            )
        },
        refusals=ON_WRITE,
    )


def _cluster_or_plan() -> Schema:
    item = "$request.path.id"
    return answer(
        "The cluster as it is now; or the plan of a dry run.",
        or_plan(DOCUMENTS["clusters"].shown),
        with_headers=CHANGE_HEADERS,
        links={
            **next_steps("clusters", item),
            **revision_steps(),
            "diff": link("cluster_diff", id=item, **{"from": "$response.header.X-Fleet-Revision"}),
        },
    )


def _act(act: str, summary: str) -> Schema:
    return operation(
        f"cluster_{act}",
        "clusters",
        summary,
        parameters=[CLUSTER, *ON_WRITES, IF_MATCH],
        answers={200: _cluster_or_plan()},
        refusals=(*ON_WRITE, 404, 412),
    )


def _restore() -> Schema:
    return operation(
        "cluster_restore",
        "clusters",
        "Bring a cluster back to what it was at a revision",
        parameters=[CLUSTER, *ON_WRITES, IF_MATCH],
        body=body(RESTORE, {"revision": examples.RESTORE}),
        answers={200: _cluster_or_plan()},
        refusals=(*ON_WRITE, 404, 412),
    )


def _effective() -> Schema:
    revision = parameter("revision", answers.REVISION, "As it was at this revision.")
    return operation(
        "cluster_effective",
        "clusters",
        "What a cluster gets, every value with the layer that gave it",
        parameters=[CLUSTER, revision, IF_NONE_MATCH],
        answers={
            200: answer("The merged state.", answers.EFFECTIVE, with_headers=("ETag",)),
            304: answer("It is as you know it."),
        },
        refusals=(*ON_READ, 404, 412),
    )


def _difference() -> Schema:
    return operation(
        "cluster_diff",
        "clusters",
        "How what a cluster gets differs between two revisions",
        parameters=[
            CLUSTER,
            parameter("from", answers.REVISION, required=True),
            parameter("to", answers.REVISION, "The newest, unless given."),
        ],
        answers={200: answer("Field by field, with provenance.", answers.DIFFERENCE)},
        refusals=(*ON_READ, 404),
    )


def _revisions_of_cluster() -> Schema:
    return operation(
        "cluster_revisions",
        "clusters",
        "The revisions that changed what a cluster gets",
        parameters=[CLUSTER, *PAGING],
        answers={
            200: answer(
                "Newest first.",
                many(answers.REVISION_SUMMARY),
                with_headers=PAGE_HEADERS,
            )
        },
        refusals=(*ON_READ, 404),
    )


def _manifest() -> Schema:
    return operation(
        "cluster_manifest",
        "clusters",
        "What to apply to a cluster to connect it",
        description="Everything but a token. See docs/connect-a-cluster.md.",
        parameters=[CLUSTER],
        answers={200: answer("For `kubectl apply`.", {"type": "string"}, media_type=YAML_TYPE)},
        refusals={*ON_READ, 404, 409} - {406},
    )


def _bootstrap() -> Schema:
    return operation(
        "cluster_bootstrap",
        "clusters",
        "Issue a token, with what to apply to a cluster to connect it",
        description="The secret of the token is in the answer, and never shown again.",
        parameters=[CLUSTER, *ON_WRITES],
        answers={
            200: answer("The plan of a dry run.", answers.PLAN, with_headers=WRITE_HEADERS),
            201: answer(
                "For `kubectl apply`.",
                {"type": "string"},
                with_headers=("Location", *WRITE_HEADERS),
                media_type=YAML_TYPE,
            ),
        },
        refusals={*ON_WRITE, 404} - {406},
    )


def _usage() -> Schema:
    return operation(
        "platform_component_usage",
        "platform_components",
        "Where a component is used",
        parameters=[path_id("component")],
        answers={200: answer("Ids, by kind.", answers.USAGE)},
        refusals=(*ON_READ, 404),
    )


def _revisions() -> Schema:
    return operation(
        "revisions_list",
        "revisions",
        "The log of all changes",
        parameters=[*filter_parameters(RevisionFilters), *PAGING],
        answers={
            200: answer(
                "Newest first.",
                many(answers.REVISION_SUMMARY),
                with_headers=PAGE_HEADERS,
            )
        },
    )


def _revision() -> Schema:
    return operation(
        "revisions_read",
        "revisions",
        "One change, row by row",
        parameters=[NUMBER],
        answers={200: answer("All that it did.", answers.REVISION_DETAIL)},
        refusals=(*ON_READ, 404),
    )


def _revert() -> Schema:
    wanted = exactly({}, skip_conflicts=BOOLEAN)
    return operation(
        "revision_revert",
        "revisions",
        "Take a change back, as a new revision",
        parameters=[NUMBER, *ON_WRITES],
        body=body(wanted, {"strict": examples.REVERT}, needed=False),
        answers={
            200: answer(
                "Taken back; or the plan of a dry run.",
                or_plan(exactly({"reverts": answers.REVISION})),
                with_headers=WRITE_HEADERS,
                links=revision_steps(),
            )
        },
        refusals=(*ON_WRITE, 404),
    )


def _steps() -> list[Schema]:
    """What an operation of a batch can be."""
    section, cluster = f"/({'|'.join(SECTIONS)})", f"/clusters/{LABEL}"
    some = by_name(JSON, text())
    steps: list[tuple[str, list[str], dict[str, Schema]]] = [
        (section, ["POST"], {"body": some}),
        (f"{cluster}/({'|'.join(ACTS)})|/revisions/[0-9]{{1,18}}/revert", ["POST"], {}),
        (f"{cluster}/restore", ["POST"], {"body": RESTORE}),
        (f"{section}/{LABEL}", ["PUT", "PATCH"], {"body": some}),
        (f"{section}/{LABEL}", ["DELETE"], {}),
        (r"/clusters\?[^#\x00]+", ["PATCH"], {"body": some}),
    ]
    return [
        exactly({"method": answers.enum(*methods), "path": text(pattern=f"^({path})$"), **body})
        for path, methods, body in steps
    ]


def _batch() -> Schema:
    return operation(
        "batch",
        "batch",
        "Several operations, all or none, as one revision",
        description="A refusal has the index of the operation in `details`.",
        parameters=ON_WRITES,
        body=body(
            many({"anyOf": _steps()}, minItems=1, maxItems=MAX_OPERATIONS),
            {"two operations": examples.BATCH},
        ),
        answers={
            200: answer(
                "What each of them answered; or the plan of a dry run.",
                or_plan(answers.DONE_OPERATIONS),
                with_headers=WRITE_HEADERS,
                links=revision_steps(),
            )
        },
        refusals=(*ON_WRITE, 404, 405),
    )


def about_paths() -> Paths:
    def page(name: str, summary: str, media_type: str, kind: str) -> Schema:
        given = answer(summary, {"type": kind}, media_type=media_type)
        return operation(name, "about", summary, answers={200: given}, refusals=(500,), public=True)

    root = answer("Addresses by name.", answers.LINKS)
    return {
        "/api": {
            "get": operation(
                "root", "about", "Where the API begins", answers={200: root}, refusals=ON_READ
            )
        },
        "/openapi.yaml": {"get": page("openapi_yaml", "This schema", YAML_TYPE, "object")},
        "/openapi.json": {"get": page("openapi_json", "This schema", JSON_TYPE, "object")},
        "/docs": {"get": page("docs", "A page to try the API on", "text/html", "string")},
    }
