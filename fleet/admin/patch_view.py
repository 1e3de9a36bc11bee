"""What pages ask of a row that is being typed: what it inherits, and what is wrong with it."""

from contextlib import suppress
from typing import Any

from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, JsonResponse, QueryDict
from django.urls import URLPattern
from unfold.admin import ModelAdmin

from fleet.admin.assignments import TEXTS
from fleet.admin.inherits import below, inherited_field, inherited_switch, inherited_text
from fleet.admin.pages import admin_path
from fleet.admin.patch_check import PatchCheck, Row, known_keys
from fleet.admin.profile_selection import read_labels
from fleet.models import Cluster, Component
from fleet.services.rows import is_plain


def patch_path(model_admin: ModelAdmin) -> URLPattern:
    """For the pages of clusters, profiles and components."""
    return admin_path(model_admin, "patch/", patch_view, "patch")


def patch_view(model_admin: ModelAdmin, request: HttpRequest) -> JsonResponse:
    """Asked by POST, so that no value ends up in a log. It changes nothing."""
    if not model_admin.has_view_permission(request):
        raise PermissionDenied
    owner = edited_owner(model_admin.model, request.POST)
    component = owner
    if model_admin.model is not Component:
        component = found(Component, request.POST.get("component", ""))
    name = component.pk if component else ""
    lower = below(owner, [name])
    check = PatchCheck(owner, component, lower, Row.of(request.POST))
    return JsonResponse(
        {
            "inherited": inherited_text(lower, name, check.row.key),
            "fields": {field: inherited_field(lower, name, field) for field in TEXTS},
            "enabled": inherited_switch(lower, name),
            "kind": check.likely_kind(),
            "keys": known_keys(component) if component and "suggest" in request.POST else [],
            "problems": check.problems(),
        }
    )


def found(model: Any, pk: str) -> Any:
    return model.objects.filter(pk=pk).first() if pk and is_plain(pk) else None


def edited_owner(model: Any, form: QueryDict) -> Any:
    """The one whose page it is, or a new one; profiles select it by what is typed already."""
    owner = found(model, form.get("owner", "")) or model()
    if isinstance(owner, Cluster):
        owner.environment_id = form.get("environment", owner.environment_id)
        # The field itself says what is wrong with them.
        with suppress(ValidationError):
            owner.labels = read_labels(form.get("labels", "")) if "labels" in form else owner.labels
    return owner
