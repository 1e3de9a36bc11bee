"""How to connect a cluster: the file for it, a token of its own, and whether it asks already."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from unfold.admin import ModelAdmin

from fleet.admin.cluster_pages import cluster_page, cluster_view
from fleet.admin.planned_write import refusal_of
from fleet.admin.refusals import explain, refuse
from fleet.api.bootstrap import api_url
from fleet.bootstrap import bootstrap_manifest
from fleet.desired_state.inputs import RESOURCES
from fleet.models import Cluster, Token
from fleet.services.bootstrap import Bootstrap, cluster_bootstrap


@dataclass(frozen=True, slots=True)
class ClusterToken:
    id: str
    expires_at: datetime | None
    has_expired: bool
    last_used: datetime | None


@cluster_view("view")
def bootstrap_view(model_admin: ModelAdmin, request: HttpRequest, cluster: Cluster) -> HttpResponse:
    if request.method == "POST":
        return issue(model_admin, request, cluster)
    return bootstrap_page(model_admin, request, cluster)


def issue(model_admin: ModelAdmin, request: HttpRequest, cluster: Cluster) -> HttpResponse:
    """Not by a redirect: its message would keep the secret in a cookie or in the database."""
    if not may_issue(request):
        raise PermissionDenied
    made: list[Bootstrap] = []
    refusal = refusal_of(
        request,
        f"Bootstrap cluster {cluster}",
        lambda: made.append(cluster_bootstrap(cluster=cluster.pk, api_url=api_url(request))),
    )
    if refusal is not None:
        page = reverse("admin:fleet_cluster_bootstrap", args=[cluster.pk])
        return refuse(request, explain(refusal), page)
    response = bootstrap_page(model_admin, request, cluster, made[0])
    response.headers["Cache-Control"] = "no-store"
    return response


def bootstrap_page(
    model_admin: ModelAdmin, request: HttpRequest, cluster: Cluster, made: Bootstrap | None = None
) -> HttpResponse:
    address = api_url(request)
    tokens = tokens_of(cluster)
    context: dict[str, Any] = {
        "may_issue": may_issue(request),
        "issued": made and made.token,
        "tokens": tokens,
        "last_poll": max((each.last_used for each in tokens if each.last_used), default=None),
        "polled": [f"{address}/api/v2/flux/clusters/{cluster.dns}/{name}" for name in RESOURCES],
        "plain_http": address.startswith("http://"),
        "file": f"{cluster.pk}-bootstrap.yaml",
        "download": reverse("cluster-manifest", args=[cluster.pk]).removesuffix("/"),
    }
    if cluster.state != Cluster.State.DECOMMISSIONED:
        context["manifest"] = (
            made.manifest if made else bootstrap_manifest(cluster, api_url=address)
        )
    title = f"Connect {cluster}"
    return cluster_page(model_admin, request, cluster, "bootstrap", title, **context)


def may_issue(request: HttpRequest) -> bool:
    return bool(request.user.has_perm("fleet.change_token"))


def tokens_of(cluster: Cluster) -> Sequence[ClusterToken]:
    found = Token.objects.filter(cluster=cluster).prefetch_related("keys")
    return [
        ClusterToken(
            token.pk,
            token.expires_at,
            token.has_expired,
            max((key.last_used for key in token.keys.all() if key.last_used), default=None),
        )
        for token in found
    ]
