"""A new cluster with the settings of another one."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from unfold.admin import ModelAdmin
from unfold.decorators import action
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from fleet.admin.cluster_pages import cluster_page, cluster_view
from fleet.admin.planned_write import refusal_of
from fleet.admin.refusals import explain
from fleet.errors import FleetError
from fleet.models import Cluster, Environment, ProfileCluster
from fleet.models.revision import MAX_REASON
from fleet.resources.showing import documents_of
from fleet.services.clusters import cluster_get
from fleet.services.objects import object_create

NAME_LENGTH = 63
SHOWN = 10
# The fields of the form, by what documents call them.
FIELDS = {"id": "id", "cluster_name": "name", "cluster_dns": "dns", "environment": "environment"}


class CloneForm(forms.Form):
    id = forms.CharField(label="ID", max_length=NAME_LENGTH, widget=UnfoldAdminTextInputWidget)
    name = forms.CharField(max_length=NAME_LENGTH, widget=UnfoldAdminTextInputWidget)
    dns = forms.CharField(label="DNS name", max_length=253, widget=UnfoldAdminTextInputWidget)
    environment = forms.ModelChoiceField(
        Environment.objects.all(), empty_label=None, widget=UnfoldAdminSelectWidget
    )
    reason = forms.CharField(max_length=MAX_REASON, widget=UnfoldAdminTextInputWidget)

    def refuse(self, error: Exception) -> None:
        """Next to the field that it is about, where it is about one."""
        details = error.details if isinstance(error, FleetError) else {}
        for name, problems in details.items():
            if name in FIELDS:
                self.add_error(FIELDS[name], problems)
        if not self.errors:
            self.add_error(None, explain(error))


@action(  # type: ignore[untyped-decorator]
    description="Clone", url_path="clone", icon="content_copy", permissions=["clone"]
)
@cluster_view("view")
def clone(model_admin: ModelAdmin, request: HttpRequest, cluster: Cluster) -> HttpResponse:
    posted = request.POST if request.method == "POST" else None
    form = CloneForm(posted, initial=suggestions(cluster))
    if form.is_valid():
        fields = form.cleaned_data
        refusal = refusal_of(request, fields["reason"], lambda: clone_cluster(cluster.pk, fields))
        if refusal is None:
            messages.success(request, f"{fields['id']} was made with the settings of {cluster}.")
            return HttpResponseRedirect(
                reverse("admin:fleet_cluster_effective", args=[fields["id"]])
            )
        form.refuse(refusal)
    listed = listed_in(cluster)
    return cluster_page(
        model_admin,
        request,
        cluster,
        "clone",
        f"Clone {cluster} to a new cluster",
        form=form,
        listed=listed[:SHOWN],
        more=len(listed) - SHOWN,
    )


def clone_cluster(source: str, fields: dict[str, Any]) -> Cluster:
    """Active, whatever the other one is. A profile's list is the profile's, and stays as it is."""
    cluster_get(source)
    [document] = documents_of("clusters", [source], seed=True)
    for name in ("state", "frozen_answers"):
        document.pop(name, None)
    document |= {
        "id": fields["id"],
        "cluster_name": fields["name"],
        "cluster_dns": fields["dns"],
        "environment": fields["environment"].pk,
    }
    return object_create(section="clusters", document=document)


def suggestions(cluster: Cluster) -> dict[str, str]:
    name = f"{cluster.pk[: NAME_LENGTH - 5]}-copy"
    first, _, domain = cluster.dns.partition(".")
    return {
        "id": name,
        "name": name,
        "dns": f"{name}.{domain}" if domain and first == cluster.pk else "",
        "environment": cluster.environment_id,
        "reason": f"Clone {cluster}",
    }


def listed_in(cluster: Cluster) -> list[str]:
    rows = ProfileCluster.objects.filter(cluster=cluster).order_by("profile_id")
    return list(rows.values_list("profile_id", flat=True))
