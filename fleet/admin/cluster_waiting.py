"""The list of clusters that registered themselves and wait: one click approves."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode

from fleet.admin.cluster_acts import ClusterActs
from fleet.models import Cluster
from fleet.templatetags.fleet_times import moment

WAITING = {"state__exact": Cluster.State.WAITING.value}
FROM_LIST = "_from_list"


class WaitingClusters(ClusterActs):
    def get_list_display(self, request: HttpRequest) -> list[Any]:
        columns = list(super().get_list_display(request))
        if not is_waiting_list(request):
            return columns
        own = ["id", "dns", "environment", "label_text", "enrolled"]
        return [*own, "decide"] if self.has_change_permission(request) else own

    def export_columns(self, request: HttpRequest) -> list[Any]:
        """A file has no buttons; nor does it tell when, in the zone of whoever looks."""
        of_page = {"enrolled", "decide"}
        return [column for column in super().export_columns(request) if column not in of_page]

    def get_list_select_related(self, request: HttpRequest) -> list[str]:
        own = ["enrolment"] if is_waiting_list(request) else []
        return [*super().get_list_select_related(request), *own]

    @admin.display(description="registered")
    def enrolled(self, cluster: Cluster) -> str:
        record = getattr(cluster, "enrolment", None)
        if record is None:
            return "-"
        page = reverse("admin:fleet_token_change", args=[record.token_id])
        return format_html(
            '<span>{}, by <a class="decide-by" href="{}">{}</a></span>',
            moment(record.created_at),
            page,
            record.token_id,
        )

    @admin.display(description="decide")
    def decide(self, cluster: Cluster) -> str:
        """The button belongs to the form of the list, but sends it elsewhere."""
        return format_html(
            '<span class="decide"><button type="submit" formaction="{}" name="{}" value="1">'
            'Approve</button><a href="{}">Refuse</a></span>',
            reverse("admin:fleet_cluster_approve", args=[cluster.pk]),
            FROM_LIST,
            reverse("admin:fleet_cluster_delete", args=[cluster.pk]),
        )

    def page_after(self, request: HttpRequest, page: str) -> str:
        if FROM_LIST not in request.POST:
            return super().page_after(request, page)
        more = Cluster.objects.filter(state=Cluster.State.WAITING).exists()
        query = f"?{urlencode(WAITING)}" if more else ""
        return reverse("admin:fleet_cluster_changelist") + query


def is_waiting_list(request: HttpRequest) -> bool:
    return request.GET.get("state__exact") == Cluster.State.WAITING
