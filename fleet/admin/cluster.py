import json
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.html import format_html
from unfold.decorators import display
from unfold.views import ChangeList

from fleet.admin import cluster_acts, cluster_clone
from fleet.admin.assignments import ComponentInline
from fleet.admin.base import TrackedAdmin, as_text
from fleet.admin.bulk import BULK_ACTIONS, bulk_reason
from fleet.admin.cluster_bootstrap import bootstrap_view
from fleet.admin.cluster_effective import effective_view, flux_view
from fleet.admin.cluster_history import history_view, restore_view
from fleet.admin.cluster_waiting import decide, enrolled, is_waiting_list
from fleet.admin.filters import FrozenFilter, RunningFilter, RunningList
from fleet.admin.inlines import NamespaceInline, RoleBindingInline
from fleet.admin.pages import admin_path
from fleet.admin.patch_view import patch_path
from fleet.admin.patches import PatchInline
from fleet.models import (
    Cluster,
    ClusterComponent,
    ClusterNamespace,
    ClusterPatch,
    ClusterRoleBinding,
)
from fleet.services.clusters import cluster_purge

# By the last part of their addresses; the history has Django's.
PAGES = {
    "effective": effective_view,
    "flux": flux_view,
    "restore": restore_view,
    "bootstrap": bootstrap_view,
}
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
class ClusterAdmin(TrackedAdmin):
    list_display = ["id", "dns", "environment", "state_label", "label_text", "k0s_version"]
    list_filter = ["state", "environment", FrozenFilter, RunningFilter]
    list_select_related = ["environment"]
    search_fields = ["id", "name", "dns", "labels", "description"]
    autocomplete_fields = ["environment"]
    readonly_fields = ["state", "answers"]
    fieldsets = [
        (
            None,
            {
                "fields": [
                    "id",
                    "description",
                    "name",
                    "dns",
                    "environment",
                    "state",
                    "labels",
                ]
            },
        ),
        ("Provisioning", {"fields": ["node_count", "vm_image", "k0s_version"]}),
    ]
    inlines = [
        ClusterComponentInline,
        ClusterPatchInline,
        ClusterNamespaceInline,
        ClusterRoleBindingInline,
    ]
    actions = BULK_ACTIONS
    actions_detail = ["clone", "approve", "freeze", "unfreeze", "recommission", "decommission"]
    # unfold calls them by the names above.
    clone = cluster_clone.clone
    approve = cluster_acts.approve
    freeze = cluster_acts.freeze
    unfreeze = cluster_acts.unfreeze
    recommission = cluster_acts.recommission
    decommission = cluster_acts.decommission

    def get_urls(self) -> list[URLPattern]:
        pages = [
            admin_path(self, f"<path:object_id>/{name}/", view, name)
            for name, view in PAGES.items()
        ]
        return [*pages, patch_path(self), *super().get_urls()]

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return history_view(self, request, object_id)

    def has_clone_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        """Not by the name of Django's permission: unfold would look that up in the database at
        every start, also where the tables are yet to be made."""
        return self.has_add_permission(request)

    def get_actions_detail(self, request: HttpRequest, object_id: str) -> list[Any]:
        offered = cluster_acts.offered(object_id)
        buttons = super().get_actions_detail(request, object_id)
        return [each for each in buttons if each.path in offered]

    def action_reason(self, request: HttpRequest) -> str:
        return bulk_reason(request) or super().action_reason(request)

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ChangeList]:
        return RunningList

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        if not is_waiting_list(request):
            return list(super().get_list_display(request))
        columns = ["id", "dns", "environment", "label_text", enrolled]
        return [*columns, decide] if self.has_change_permission(request) else columns

    def get_list_select_related(self, request: HttpRequest) -> list[str]:
        own = ["enrolment"] if is_waiting_list(request) else []
        return [*super().get_list_select_related(request), *own]

    def export_columns(self, request: HttpRequest) -> list[Any]:
        """A file has no buttons; nor does it tell when, in the zone of whoever looks."""
        of_page = {enrolled, decide}
        return [column for column in super().export_columns(request) if column not in of_page]

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
