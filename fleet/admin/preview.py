"""The page that shows what a write would do to the clusters, and what a person answers on it."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.template.response import TemplateResponse
from unfold.admin import ModelAdmin

from fleet.admin.pages import admin_page
from fleet.admin.plan_tables import PlanTables
from fleet.models.revision import MAX_REASON
from fleet.plans.guards import needs_confirmation
from fleet.plans.plan import Plan
from fleet.web import long_work

PLAN = long_work.APPLY
EDIT, REASON, SURE, COUNT = "_edit", "_reason", "_sure", "_clusters"
OWN_FIELDS = {PLAN, EDIT, REASON, SURE, COUNT, "csrfmiddlewaretoken"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person said on the preview."""

    digest: str
    reason: str
    sure: bool

    @classmethod
    def of(cls, request: HttpRequest) -> "Answer":
        digest, _, removing = request.POST.get(PLAN, "").partition(":")
        typed = request.POST.get(COUNT, "").strip()
        sure = SURE in request.POST and typed == removing
        return cls(digest, request.POST.get(REASON, "").strip()[:MAX_REASON], sure)


def carried(request: HttpRequest, *without: str) -> list[tuple[str, str]]:
    """What was sent, for the hidden fields of a page that asks once more."""
    own = {*OWN_FIELDS, *without}
    return [
        (name, value)
        for name, values in request.POST.lists()
        if name not in own
        for value in values
    ]


def needs_preview(plan: Plan) -> bool:
    return bool(plan.totals.clusters > 1 or plan.removing_clusters or plan.purged or plan.warnings)


def preview_page(
    model_admin: ModelAdmin,
    request: HttpRequest,
    plan: Plan,
    *,
    reason: str,
    verb: str = "",
    effect: str = "",
    notice: str = "",
) -> TemplateResponse:
    """`verb` and `effect` are those of a button, which has no form to go back to."""
    removing = len(plan.removing_clusters)
    return admin_page(
        model_admin,
        request,
        "preview",
        f"{reason}?" if verb else f"{reason}: what it would do",
        plan=PlanTables.of(plan),
        digest=f"{plan.digest}:{removing}",
        removing=removing,
        must_confirm=needs_confirmation(plan),
        reason=request.POST.get(REASON, ""),
        default_reason=reason,
        notice=notice,
        act=verb,
        effect=effect,
        form_data=carried(request),
    )
