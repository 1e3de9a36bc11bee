"""What Flux reads, and the probes, for the OpenAPI schema. Fields may be added, never removed."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from fleet import models
from fleet.api.openapi.answers import error
from fleet.api.openapi.components import Paths, Schema, schema
from fleet.api.openapi.documents import SHOWN_SUBJECT, TEXTS
from fleet.api.openapi.operations import ON_READ, answer, operation
from fleet.api.openapi.parameters import IF_NONE_MATCH, parameter
from fleet.api.openapi.schema import TableSchema
from fleet.api.openapi.types import (
    BOOLEAN,
    VALUES,
    by_name,
    dns_name,
    exactly,
    many,
    name,
    text,
    whole,
)
from fleet.desired_state.inputs import RESOURCES, input_shape

BASE = "/api/v2/flux/clusters"
TEXT_MAP = by_name(text())


def growing(fields: dict[str, Schema]) -> Schema:
    """An object that may get further fields."""
    return {"type": "object", "required": list(fields), "properties": fields}


KIND: Schema = {"type": "string", "enum": models.Component.Kind.values}
BLOCK = growing({"name": name(), "dns": dns_name(), "environment": name()})
# fleet/desired_state/inputs.py has the fields of each input, and their types. Here is what else is
# known of some of them.
PLAIN: dict[type, Schema] = {str: text(), bool: BOOLEAN, dict: TEXT_MAP}
SPECIAL: dict[str, Schema] = {
    "id": name(),
    "kind": KIND,
    "depends_on": many(name()),
    "patches": TEXTS,
    "values": VALUES,
    "source": growing({"oci_url": text(), "oci_tag": text()}),
    "values_json": text(description="Where a null is among the values: all of them, as JSON."),
    "waits_for": many(growing({"id": name(), "kind": KIND})),
    "subjects": many(SHOWN_SUBJECT),
    "cluster": BLOCK,
}
INPUTS: dict[str, dict[str, Schema]] = {
    resource: {
        field: SPECIAL.get(field) or PLAIN[kind] for field, kind in input_shape(resource).items()
    }
    for resource in RESOURCES
}
# One that waits to be approved is not there yet.
STATES = [state for state in models.Cluster.State.values if state != models.Cluster.State.WAITING]
CLUSTER_INPUT = {
    "id": name(),
    "cluster_name": name(),
    "cluster_dns": dns_name(),
    "environment": name(),
    "state": {"type": "string", "enum": STATES},
    "labels": TEXT_MAP,
    "node_count": whole(0, 2**31 - 1, description="0 where it is not said."),
    "vm_image": text(),
    "k0s_version": text(),
}
DNS: Schema = {
    "name": "dns",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "format": "cluster-dns", "maxLength": 253},
}


ENVIRONMENT = parameter(
    "environment",
    many(name("environment"), minItems=1),
    "Only the clusters of these; unless given, all.",
)

METRICS = operation(
    "metrics",
    "probes",
    "What Prometheus reads",
    description="In its text format. docs/operations.md lists the names.",
    answers={200: answer("The numbers.", {"type": "string"}, media_type="text/plain")},
    refusals=set(ON_READ) - {406},
)


class FluxSchema(TableSchema):
    @staticmethod
    @cache
    def table() -> Paths:
        return flux_paths()


def flux_paths() -> Paths:
    return {
        "/metrics": {"get": METRICS},
        BASE: {
            "get": _poll(
                "flux_clusters",
                "All clusters",
                "FluxClusters",
                CLUSTER_INPUT,
                parameters=(ENVIRONMENT,),
            )
        },
        **{
            f"{BASE}/{{dns}}/{resource}": {
                "get": _poll(
                    _operation_id(resource),
                    f"The {resource} of a cluster",
                    f"Flux{resource.title().replace('-', '')}",
                    fields,
                    parameters=(DNS,),
                    missing=True,
                )
            }
            for resource, fields in INPUTS.items()
        },
    }


def _operation_id(resource: str) -> str:
    return f"flux_{resource.replace('-', '_')}"


def _poll(
    operation_id: str,
    summary: str,
    title: str,
    fields: dict[str, Schema],
    *,
    parameters: Sequence[Schema],
    missing: bool = False,
) -> Schema:
    inputs = schema(title, exactly({"inputs": many(growing(fields))}))
    described = answer(
        "The inputs, ordered by id.",
        inputs,
        with_headers=("ETag", "X-Fleet-Revision"),
    )
    return operation(
        operation_id,
        "flux",
        summary,
        description="Whatever goes wrong is an error: then a cluster keeps what it has.",
        parameters=[*parameters, IF_NONE_MATCH],
        answers={200: described, 304: answer("It is as you know it.")},
        refusals={*ON_READ, 412, *([404] if missing else [])} - {406},
    )


def add_probes(result: Schema, **kwargs: Any) -> Schema:
    """A hook of drf-spectacular, which sees only views of DRF."""
    alive = exactly({"status": {"const": "ok"}})
    usable = exactly({"status": {"const": "ready"}, "revision": whole(0, 2**63 - 1)})
    result["paths"]["/health"] = {
        "get": operation(
            "health",
            "probes",
            "Is the process alive?",
            answers={200: answer("Yes.", alive)},
            refusals=(),
            public=True,
        )
    }
    result["paths"]["/ready"] = {
        "get": operation(
            "ready",
            "probes",
            "Can it answer polls?",
            answers={
                200: answer("Yes.", usable),
                503: answer("Not now.", error(["unavailable"])),
            },
            refusals=(),
            public=True,
        )
    }
    return result
