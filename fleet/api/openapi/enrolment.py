"""The path of clusters that register themselves."""

from fleet.api.openapi import examples
from fleet.api.openapi.components import Paths, Schema, schema
from fleet.api.openapi.documents import DOCUMENTS, FIELDS
from fleet.api.openapi.operations import JSON_TYPE, ON_WRITE, answer, body, operation
from fleet.api.openapi.parameters import REASON
from fleet.api.openapi.sections import WRITE_HEADERS
from fleet.api.openapi.types import exactly, name, or_null, text
from fleet.resources.enrolment import EnrolmentSerializer

YAML_TYPE = "application/yaml"
SENT = {
    item: FIELDS["clusters"][item].sent(patch=False)
    for item in EnrolmentSerializer.Meta.fields
    if item != "environment"
}
ENVIRONMENT = or_null(name(description="That of the token, or left out."))
WANTED = schema(
    "Enrolment",
    exactly({}, **SENT, environment=ENVIRONMENT) | {"required": ["cluster_name", "cluster_dns"]},
)
ENROLLED = schema(
    "Enrolled",
    exactly(
        {
            "cluster": DOCUMENTS["clusters"].shown,
            "token_id": name(),
            "token": text(description="The secret of the cluster's own token, shown only here."),
            "manifest": text(description="Everything to `kubectl apply`, the token included."),
        }
    ),
)


def enrolment_paths() -> Paths:
    return {"/enroll": {"post": _enrol()}}


def _enrolled(description: str) -> Schema:
    found = answer(description, ENROLLED, with_headers=("Location", *WRITE_HEADERS))
    found["content"][YAML_TYPE] = {"schema": text(description="The manifest alone.")}
    return found


def _enrol() -> Schema:
    return operation(
        "enroll",
        "enroll",
        "Register a new cluster, with an enrolment token",
        description="To ask again, should the answer be lost, is safe: until the cluster has used "
        "its token, and for an hour. The secret before it is then void.",
        parameters=[REASON],
        body=body(WANTED, {"a cluster": examples.ENROLMENT}, JSON_TYPE),
        answers={
            200: _enrolled("It was registered already; this is a new secret."),
            201: _enrolled("It is registered."),
        },
        refusals=(*ON_WRITE, 429),
    )
