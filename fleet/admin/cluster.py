import json
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from unfold.decorators import display

from fleet.admin.assignments import ComponentInline
from fleet.admin.base import as_text
from fleet.admin.cluster_bootstrap import ClusterBootstrap
from fleet.admin.cluster_clone import ClusterClone
from fleet.admin.cluster_effective import ClusterEffective
from fleet.admin.cluster_history import ClusterHistory
from fleet.admin.cluster_waiting import WaitingClusters
from fleet.admin.filters import FrozenFilter, RunningFilter
from fleet.admin.inlines import NamespaceInline, RoleBindingInline
from fleet.admin.patch_view import ChecksPatches
from fleet.admin.patches import PatchInline
from fleet.models import (
    Cluster,
    ClusterComponent,
    ClusterNamespace,
    ClusterPatch,
    ClusterRoleBinding,
)
from fleet.services.clusters import cluster_purge

STATE_COLORS = {
    Cluster.State.WAITING: "danger",
    Cluster.State.ACTIVE: "success",
    Cluster.State.FROZEN: "info",
    Cluster.State.DECOMMISSIONED: "warning",
}


class ClusterComponentInline(ComponentInline):
    model = ClusterComponent


class ClusterPatchInline(PatchInline):
    model = ClusterPatch


class ClusterNamespaceInline(NamespaceInline):
    model = ClusterNamespace


class ClusterRoleBindingInline(RoleBindingInline):
    model = ClusterRoleBinding


@admin.register(Cluster)
class ClusterAdmin(
    WaitingClusters,
    ClusterEffective,
    ClusterHistory,
    ClusterClone,
    ClusterBootstrap,
    ChecksPatches,
):
    pages = {
        "effective": "effective_view",
        "flux": "flux_view",
        "restore": "restore_view",
        "bootstrap": "bootstrap_view",
    }
    list_display = ["id", "dns", "environment", "state_label", "label_text", "k0s_version"]
    list_filter = ["state", "environment", FrozenFilter, RunningFilter]
    list_select_related = ["environment"]
    search_fields = ["id", "name", "dns", "labels"]
    autocomplete_fields = ["environment"]
    readonly_fields = ["state", "answers"]
    fieldsets = [
        (None, {"fields": ["id", "name", "dns", "environment", "state", "labels"]}),
        ("Provisioning", {"fields": ["node_count", "vm_image", "k0s_version"]}),
    ]
    inlines = [
        ClusterComponentInline,
        ClusterPatchInline,
        ClusterNamespaceInline,
        ClusterRoleBindingInline,
    ]

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None or obj.state != Cluster.State.FROZEN:
            return fieldsets
        return [*fieldsets, ("Frozen answers", {"fields": ["answers"], "classes": ["collapse"]})]

    @display(description="state", ordering="state", label=STATE_COLORS)  # type: ignore[untyped-decorator]
    def state_label(self, cluster: Cluster) -> tuple[str, str]:
        return cluster.state, cluster.get_state_display()

    @admin.display(description="labels")
    def label_text(self, cluster: Cluster) -> str:
        return as_text(cluster.labels)

    @admin.display(description="it goes on getting")
    def answers(self, cluster: Cluster) -> str:
        document = json.loads(cluster.frozen_answers.answers)
        return format_html("<pre>{}</pre>", json.dumps(document, indent=2, ensure_ascii=False))

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        original = context["original"]
        removable = {Cluster.State.DECOMMISSIONED, Cluster.State.WAITING}
        context.setdefault("show_delete", original is not None and original.state in removable)
        return super().render_change_form(request, context, *args, **options)

    def delete_model(self, request: HttpRequest, obj: Cluster) -> None:
        cluster_purge(cluster=obj.pk)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet) -> None:
        for cluster_id in queryset.values_list("pk", flat=True):
            cluster_purge(cluster=cluster_id)
