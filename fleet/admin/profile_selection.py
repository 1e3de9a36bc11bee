"""The clusters that a profile selects, while its selector is edited."""

from dataclasses import dataclass
from typing import Any

from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.template.response import TemplateResponse
from unfold.admin import ModelAdmin

from fleet.admin.fields import DocumentField
from fleet.desired_state.merge import Layer, Origin
from fleet.desired_state.merge import Profile as Selector
from fleet.desired_state.selectors import selected_by
from fleet.kubernetes import labels_validator
from fleet.models import Cluster, Profile, ProfileCluster, ProfileEnvironment
from fleet.services.rows import is_plain

SHOWN = 50
# Of one inline: more than a page of it has, and what somebody adds by hand.
MOST_FORMS = 1_000


@dataclass(frozen=True, slots=True)
class Edited:
    """A selector as the form has it now, saved or not."""

    environments: frozenset[str]
    labels: tuple[tuple[str, str], ...]
    # None: there is no list, as long as the box is not ticked.
    listed: frozenset[str] | None


def selected_view(model_admin: ModelAdmin, request: HttpRequest) -> HttpResponse:
    may_see_clusters = request.user.has_perm("fleet.view_cluster")
    if not (model_admin.has_view_permission(request) and may_see_clusters):
        raise PermissionDenied
    template = "admin/fleet/profile/selected.html"
    try:
        edited = read_selector(request.POST, request.GET.get("profile", ""))
    except ValidationError as error:
        return TemplateResponse(request, template, {"problems": error.messages})
    clusters = selected_clusters(edited)
    count, names = clusters.count(), list(clusters.values_list("pk", flat=True)[:SHOWN])
    context = {"count": count, "names": names, "more": count - len(names)}
    return TemplateResponse(request, template, context)


def selected_clusters(edited: Edited) -> QuerySet:
    """By the one rule of selection, but for the list, which is not in the database yet."""
    selector = Selector(
        id="",
        weight=0,
        layer=Layer(Origin("profile", "")),
        environments=edited.environments,
        labels=edited.labels,
    )
    chosen = selected_by(selector)
    if edited.listed is not None:
        chosen &= Q(pk__in=sorted(edited.listed))
    return Cluster.objects.filter(chosen).order_by("id")


def read_selector(form: QueryDict, profile_id: str) -> Edited:
    """Who may only look has a page without fields: then it is the saved one."""
    saved = Profile.objects.filter(pk=profile_id).first() if is_plain(profile_id) else None
    if "labels" in form:
        labels, has_list = read_labels(form.get("labels", "")), "lists_clusters" in form
    else:
        labels, has_list = (saved.labels, saved.lists_clusters) if saved else ({}, False)
    owner = saved.pk if saved else ""
    listed = _chosen(form, "clusters", "cluster", ProfileCluster, owner)
    return Edited(
        environments=_chosen(form, "environments", "environment", ProfileEnvironment, owner),
        labels=tuple(sorted(labels.items())),
        listed=listed if has_list else None,
    )


def read_labels(text: str) -> dict[str, str]:
    field = DocumentField(required=False)
    field.default = dict
    labels: dict[str, str] = field.clean(text)
    labels_validator(labels)
    return labels


def _chosen(form: QueryDict, prefix: str, name: str, table: Any, profile: str) -> frozenset[str]:
    """The rows of an inline as they are edited, and those of its other pages as they are saved."""
    saved = {
        str(pk): value
        for pk, value in table.objects.filter(profile_id=profile).values_list("pk", f"{name}_id")
    }
    total = form.get(f"{prefix}-TOTAL_FORMS", "0")
    chosen = set()
    for index in range(min(int(total), MOST_FORMS) if total.isdecimal() else 0):
        row = f"{prefix}-{index}"
        saved.pop(form.get(f"{row}-id", ""), None)
        value = form.get(f"{row}-{name}", "")
        if value and f"{row}-DELETE" not in form and is_plain(value):
            chosen.add(value)
    return frozenset(chosen | set(saved.values()))
