"""What a cluster gets, every value with its layer; and the same as Flux is served it."""

import json
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from unfold.admin import ModelAdmin

from fleet.admin.cluster_pages import cluster_page, cluster_view, rows_of
from fleet.desired_state.answers import answers_now, is_waiting
from fleet.desired_state.inputs import MAX_BYTES, MAX_INPUTS, RESOURCES, Answers
from fleet.desired_state.layers import build_cluster, build_shared, read_shared_rows
from fleet.desired_state.provenance import resolve
from fleet.history.change import head_number
from fleet.history.snapshot import snapshot
from fleet.models import Cluster


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An answer, and how near it comes to what Flux takes."""

    resource: str
    url: str
    body: str
    size: int
    count: int
    max_bytes: int = MAX_BYTES
    max_inputs: int = MAX_INPUTS

    @property
    def pretty(self) -> str:
        return json.dumps(json.loads(self.body), ensure_ascii=False, indent=2)

    @property
    def kibibytes(self) -> str:
        return f"{self.size / 1024:,.1f} KiB of {self.max_bytes // 1024} KiB"

    @property
    def items(self) -> str:
        return f"{self.count:,} of {self.max_inputs:,} items"

    @property
    def curl(self) -> str:
        return f'curl -H "Authorization: Bearer $TOKEN" {self.url}'


@cluster_view("view")
def effective_view(model_admin: ModelAdmin, request: HttpRequest, cluster: Cluster) -> HttpResponse:
    with snapshot():
        rows, shared = rows_of(cluster), build_shared(read_shared_rows())
        revision = head_number()
    told = resolve(shared, build_cluster(rows))
    title = f"What {cluster} gets"
    return cluster_page(
        model_admin, request, cluster, "effective", title, told=told, revision=revision
    )


@cluster_view("view")
def flux_view(model_admin: ModelAdmin, request: HttpRequest, cluster: Cluster) -> HttpResponse:
    with snapshot():
        rows, revision = rows_of(cluster), head_number()
        answers = None if is_waiting(rows) else answers_now(rows)
    return cluster_page(
        model_admin,
        request,
        cluster,
        "flux",
        f"What Flux gets for {cluster}",
        endpoints=[endpoint(request, cluster, answers, name) for name in RESOURCES]
        if answers
        else [],
        revision=revision,
    )


def endpoint(request: Any, cluster: Cluster, answers: Answers, resource: str) -> Endpoint:
    address = reverse("flux:cluster-resource", args=[cluster.dns, resource])
    body = answers.body(resource)
    return Endpoint(
        resource=resource,
        url=request.build_absolute_uri(address.removesuffix("/")),
        body=body.decode(),
        size=len(body),
        count=len(answers.items[resource]),
    )
