"""Takes a revision back: first the plan, then the act."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from fleet.admin.preview import PlannedWrites
from fleet.admin.refusals import REFUSALS, explain
from fleet.models import Revision
from fleet.services.undo import revision_revert

SHOWN_CONFLICTS = 50
SKIP = "skip_conflicts"
EFFECT = "This puts back what it changed, as a new revision."
SKIPPED = "What later changes touched is skipped."


class Reverts(PlannedWrites):
    def revert(self, request: HttpRequest, revision: Revision) -> HttpResponse:
        skip = request.GET.get(SKIP) == "on"

        def act() -> HttpResponse:
            revision_revert(number=revision.number, skip_conflicts=skip)
            self.message_user(
                request, f"Revision {revision.number} was reverted.", messages.SUCCESS
            )
            return HttpResponseRedirect(reverse("admin:fleet_revision_changelist"))

        def refused(refusal: str) -> HttpResponse:
            return self.refusal_page(request, revision, refusal)

        reason = f"Revert revision {revision.number}"
        if request.method == "POST":
            return self.write(request, reason, act, refused, verb="Revert")
        if self.may_take_long(request):
            return self.working_page(request, f"{reason}?")
        try:
            _, plan = self.tried(request, reason, act)
        except REFUSALS as error:
            conflicts = getattr(error, "details", {}).get("conflicts", [])
            return self.refusal_page(request, revision, explain(error), conflicts)
        effect = f"{EFFECT} {SKIPPED}" if skip else EFFECT
        return self.preview_page(request, plan, reason, act="Revert", effect=effect)

    def refusal_page(
        self, request: HttpRequest, revision: Revision, refusal: str, conflicts: Any = ()
    ) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": f"Revert revision {revision.number}",
            "original": revision,
            "revision": revision,
            "refusal": refusal,
            "conflicts": conflicts[:SHOWN_CONFLICTS],
            "more_conflicts": max(0, len(conflicts) - SHOWN_CONFLICTS),
        }
        return TemplateResponse(request, "admin/fleet/revision/revert.html", context)
