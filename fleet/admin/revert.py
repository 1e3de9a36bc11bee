"""Takes a revision back: first the plan, then the act."""

from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.apps import apps
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminTextareaWidget,
    UnfoldBooleanWidget,
)

from fleet.admin.refusals import REFUSALS, explain
from fleet.admin.revision_rows import Cell
from fleet.auth import actor_of
from fleet.errors import Conflict
from fleet.guards import needs_confirmation
from fleet.models import Revision
from fleet.plan_views import plan_document
from fleet.plans import Plan
from fleet.revisions import change
from fleet.services.undo import revision_revert
from fleet.values import to_json

SHOWN_GROUPS = 20
SHOWN_CLUSTERS = 10
SHOWN_CONFLICTS = 50
STALE = "The fleet has changed since that plan was made. This is the plan as of now."


class Stale(Conflict):
    """What would be done is not what was looked at."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The plan, or why there is none."""

    plan: Plan | None = None
    refusal: str = ""
    conflicts: list[dict[str, str]] = field(default_factory=list)


class RevertForm(forms.Form):
    reason = forms.CharField(
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2}),
        max_length=2_000,
        help_text="Why it is taken back; it stays in the log.",
    )
    sure = forms.BooleanField(
        label="I have read what is removed", widget=UnfoldBooleanWidget, required=True
    )
    removing = forms.IntegerField(widget=UnfoldAdminIntegerFieldWidget)

    def __init__(self, plan: Plan, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._removing = len(plan.removing_clusters)
        if needs_confirmation(plan):
            self.fields["removing"].label = "From how many clusters does it take something away?"
        else:
            del self.fields["sure"], self.fields["removing"]

    def clean_removing(self) -> int:
        typed: int = self.cleaned_data["removing"]
        if typed != self._removing:
            raise forms.ValidationError("That is not the number that the plan tells.")
        return typed


def revert_page(request: HttpRequest, revision: Revision) -> HttpResponse | dict[str, Any]:
    """The answer to a revert that was done; else what the page shows."""
    asked = request.POST if request.method == "POST" else request.GET
    skip = asked.get("skip_conflicts") == "on"
    preview = preview_revert(request, revision.number, skip)
    if preview.plan is None:
        return {"revision": revision, "preview": preview, "skip": skip, **_shown(preview)}
    reason = f"Revert revision {revision.number}"
    form = RevertForm(preview.plan, initial={"reason": reason})
    if request.method == "POST":
        if request.POST.get("digest") == preview.plan.digest:
            form = RevertForm(preview.plan, request.POST)
            done = form.is_valid() and apply(request, revision, skip, form, preview.plan.digest)
            if done:
                return done
        elif "digest" in request.POST:
            messages.warning(request, STALE)
    context = {"revision": revision, "preview": preview, "skip": skip, "form": form}
    return {**context, **_shown(preview)}


def preview_revert(request: HttpRequest, number: int, skip: bool) -> Preview:
    actor = actor_of(request.user)
    try:
        with change(actor=actor, source=Revision.Source.ADMIN, dry_run=True) as opened:
            revision_revert(number=number, skip_conflicts=skip)
    except REFUSALS as error:
        conflicts = getattr(error, "details", {}).get("conflicts", [])
        return Preview(refusal=explain(error), conflicts=conflicts)
    return Preview(plan=opened.plan)


def apply(
    request: HttpRequest, revision: Revision, skip: bool, form: RevertForm, digest: str
) -> HttpResponse | None:
    """None where it was refused: the page shows the plan anew, with the reason in a message."""
    try:
        # The plan is known at the end of the change; if it is another one, all is taken back.
        with transaction.atomic():
            with change(
                actor=actor_of(request.user),
                source=Revision.Source.ADMIN,
                reason=form.cleaned_data["reason"],
                confirm=digest,
            ) as opened:
                revision_revert(number=revision.number, skip_conflicts=skip)
            if opened.plan is None or opened.plan.digest != digest:
                raise Stale(STALE)
    except REFUSALS as error:
        messages.error(request, explain(error))
        return None
    assert opened.revision is not None  # noqa: S101
    number = opened.revision.number
    messages.success(request, f"Revision {revision.number} was reverted by revision {number}.")
    return HttpResponseRedirect(reverse("admin:fleet_revision_change", args=[number]))


def _shown(preview: Preview) -> dict[str, Any]:
    """As much of the plan as a person reads."""
    if preview.plan is None:
        conflicts = preview.conflicts
        return {
            "conflicts": conflicts[:SHOWN_CONFLICTS],
            "more_conflicts": max(0, len(conflicts) - SHOWN_CONFLICTS),
        }
    plan = plan_document(preview.plan)
    for part in (*plan["groups"], *plan["warnings"]):
        part["count"] = len(part["clusters"])
        part["more"] = max(0, part["count"] - SHOWN_CLUSTERS)
        part["clusters"] = part["clusters"][:SHOWN_CLUSTERS]
    groups = plan["groups"][:SHOWN_GROUPS]
    for item in (item for group in groups for item in group["changes"]):
        item["cells"] = [_cell(change) for change in item["fields"]]
    more = len(plan["groups"]) - len(groups)
    rows = [_counted(name, count) for name, count in plan["rows"].items()]
    return {"plan": {**plan, "groups": groups, "more_groups": more, "rows": rows}}


def _counted(name: str, count: int) -> tuple[str, int]:
    meta = apps.get_model("fleet", name)._meta
    return str(meta.verbose_name if count == 1 else meta.verbose_name_plural), count


def _cell(change: dict[str, Any]) -> Cell:
    """As JSON: the text "3" and the number 3 are different values to Helm."""
    sides = (to_json(change[side]) if side in change else None for side in ("old", "new"))
    return Cell(change["field"], *sides)
