"""Takes a revision back: first the plan, then the act."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from unfold.admin import ModelAdmin

from fleet.admin.pages import admin_page, redirect_missing
from fleet.admin.planned_write import PlannedWrite
from fleet.admin.refusals import REFUSALS, explain
from fleet.admin.working import may_take_long, working_page
from fleet.models import Revision
from fleet.services.undo import revision_revert

SHOWN_CONFLICTS = 50
SKIP = "skip_conflicts"
EFFECT = "This puts back what it changed, as a new revision."
SKIPPED = "What later changes touched is skipped."


def may_revert(request: HttpRequest) -> bool:
    return bool(request.user.has_perm("fleet.change_fleet"))


def revert_view(model_admin: ModelAdmin, request: HttpRequest, object_id: str) -> HttpResponse:
    if not may_revert(request):
        raise PermissionDenied
    revision = model_admin.get_object(request, unquote(object_id))
    if revision is None:
        return redirect_missing(model_admin, request, object_id)
    return revert_page(model_admin, request, revision)


def revert_page(model_admin: ModelAdmin, request: HttpRequest, revision: Revision) -> HttpResponse:
    skip = request.GET.get(SKIP) == "on"

    def act() -> HttpResponse:
        revision_revert(number=revision.number, skip_conflicts=skip)
        messages.success(request, f"Revision {revision.number} was reverted.")
        return HttpResponseRedirect(reverse("admin:fleet_revision_changelist"))

    def refused(refusal: str, conflicts: Sequence[Any] = ()) -> HttpResponse:
        return refusal_page(model_admin, request, revision, refusal, conflicts)

    reason = f"Revert revision {revision.number}"
    write = PlannedWrite(model_admin, request, reason, act, refused, verb="Revert")
    if request.method == "POST":
        return write.respond()
    if may_take_long(request):
        return working_page(model_admin, request, f"{reason}?")
    try:
        _, plan = write.dry_run()
    except REFUSALS as error:
        return refused(explain(error), getattr(error, "details", {}).get("conflicts", []))
    return write.preview(plan, effect=f"{EFFECT} {SKIPPED}" if skip else EFFECT)


def refusal_page(
    model_admin: ModelAdmin,
    request: HttpRequest,
    revision: Revision,
    refusal: str,
    conflicts: Sequence[Any],
) -> HttpResponse:
    return admin_page(
        model_admin,
        request,
        "revision/revert",
        f"Revert revision {revision.number}",
        original=revision,
        revision=revision,
        refusal=refusal,
        conflicts=conflicts[:SHOWN_CONFLICTS],
        more_conflicts=max(0, len(conflicts) - SHOWN_CONFLICTS),
    )
