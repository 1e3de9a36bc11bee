"""The list of clusters that registered themselves and wait: one click approves."""

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode

from fleet.models import Cluster
from fleet.templatetags.fleet_times import moment

WAITING = {"state__exact": Cluster.State.WAITING.value}
FROM_LIST = "_from_list"


def is_waiting_list(request: HttpRequest) -> bool:
    return request.GET.get("state__exact") == Cluster.State.WAITING


@admin.display(description="registered")
def enrolled(cluster: Cluster) -> str:
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
def decide(cluster: Cluster) -> str:
    """The button belongs to the form of the list, but sends it elsewhere."""
    return format_html(
        '<span class="decide"><button type="submit" formaction="{}" name="{}" value="1">'
        'Approve</button><a href="{}">Refuse</a></span>',
        reverse("admin:fleet_cluster_approve", args=[cluster.pk]),
        FROM_LIST,
        reverse("admin:fleet_cluster_delete", args=[cluster.pk]),
    )


def page_after(request: HttpRequest, page: str) -> str:
    """Where an act leads to: from the list back to it, as long as others wait."""
    if FROM_LIST not in request.POST:
        return page
    more = Cluster.objects.filter(state=Cluster.State.WAITING).exists()
    query = f"?{urlencode(WAITING)}" if more else ""
    return reverse("admin:fleet_cluster_changelist") + query
