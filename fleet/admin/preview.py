"""Preview before save: what a form would do to the clusters is shown first, then applied.

The first POST of a form is tried in a dry run. What it does to one cluster at most, taking nothing
away, is then done; anything else is shown as its plan, with the form's data along, to be applied by
a second POST. If the fleet has changed in between, the plan is another one and is shown anew.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html

from fleet.access.authentication import actor_of
from fleet.admin.plan_tables import PlanTables
from fleet.admin.refusals import REFUSALS, explain
from fleet.admin_site import many_clusters
from fleet.errors import ConfirmationRequired, PlanChanged
from fleet.history.change import Change, change
from fleet.models import Revision
from fleet.models.revision import MAX_REASON
from fleet.plans.guards import needs_confirmation
from fleet.plans.plan import Plan
from fleet.web import long_work

View = Callable[[], HttpResponse]

PLAN = long_work.APPLY
EDIT, REASON, SURE, COUNT = "_edit", "_reason", "_sure", "_clusters"
# In an address: the page itself, however long it takes.
WAIT = "_wait"
OWN_FIELDS = {PLAN, EDIT, REASON, SURE, COUNT, "csrfmiddlewaretoken"}

NOT_YET = "Nothing was changed yet: this is the form as you left it."
CHANGED = "The fleet has changed since you looked. This is what it would do now."
UNSURE = "Tick the box and type the number of clusters, exactly as it is shown."


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


def is_wide(plan: Plan) -> bool:
    return bool(plan.totals.clusters > 1 or plan.removing_clusters or plan.purged or plan.warnings)


class PlannedWrites:
    """For pages that write, by forms or by buttons."""

    admin_site: Any
    opts: Any

    def write(
        self,
        request: HttpRequest,
        reason: str,
        act: View,
        refused: Callable[[str], HttpResponse],
        verb: str = "",
    ) -> HttpResponse:
        """Runs a view that may write as one change; `refused` answers where that fails."""
        if request.method != "POST":
            return act()
        if EDIT in request.POST:
            return refused(NOT_YET)
        answer = Answer.of(request)
        try:
            if not answer.digest:
                response, plan = self.tried(request, reason, act)
                if not plan.rows and response.status_code == 200:
                    return response  # The form itself, with what is wrong in it.
                if is_wide(plan):
                    return self.preview_page(request, plan, reason, act=verb)
            return self.done(request, answer, reason, act)
        except PlanChanged as changed:
            return self.preview_page(request, changed.plan, reason, CHANGED, act=verb)
        except ConfirmationRequired as unsure:
            return self.preview_page(request, unsure.plan, reason, UNSURE, act=verb)
        except REFUSALS as error:
            return refused(explain(error))

    def act_page(
        self,
        request: HttpRequest,
        reason: str,
        act: View,
        refused: Callable[[str], HttpResponse],
        *,
        verb: str,
        effect: str,
    ) -> HttpResponse:
        """For what takes no form: its plan, and a button that does it."""
        if request.method == "POST":
            return self.write(request, reason, act, refused, verb)
        try:
            _, plan = self.tried(request, reason, act)
        except REFUSALS as error:
            return refused(explain(error))
        if not plan.rows:
            return refused("There is nothing to change: it is so already.")
        return self.preview_page(request, plan, reason, act=verb, effect=effect)

    def tried(self, request: HttpRequest, reason: str, act: View) -> tuple[HttpResponse, Plan]:
        """In a dry run, of whose success nobody is told."""
        with self._change(request, reason, tell=False, dry_run=True) as opened:
            response = act()
        assert opened.plan is not None  # noqa: S101  (made when the change ended)
        return response, opened.plan

    def done(self, request: HttpRequest, answer: Answer, reason: str, act: View) -> HttpResponse:
        confirm = answer.digest if answer.sure else ""
        with self._change(
            request, answer.reason or reason, tell=True, expect=answer.digest, confirm=confirm
        ) as opened:
            response = act()
        if opened.revision is not None:
            self.tell_revision(request, opened.revision)
        return response

    def tell_revision(self, request: HttpRequest, revision: Revision) -> None:
        page, undo = (
            reverse(f"admin:fleet_revision_{name}", args=[revision.number])
            for name in ("change", "revert")
        )
        text = 'This is <a href="{}">revision {}</a>. <a href="{}">Undo it</a>'
        messages.info(request, format_html(text, page, revision.number, undo))

    @contextmanager
    def _change(self, request: Any, reason: str, *, tell: bool, **options: Any) -> Iterator[Change]:
        """The guards look when the change ends, so until then nobody is told of its success."""
        request.held_messages = []
        try:
            with change(
                actor=actor_of(request.user),
                source=Revision.Source.ADMIN,
                reason=reason,
                **options,
            ) as opened:
                yield opened
        finally:
            held, request.held_messages = request.held_messages, None
        for message in held if tell else ():
            message()

    def message_user(self, request: HttpRequest, *args: Any, **options: Any) -> None:
        tell = partial(super().message_user, request, *args, **options)  # type: ignore[misc]
        held = getattr(request, "held_messages", None)
        if held is None:
            tell()
        else:
            held.append(tell)

    def may_take_long(self, request: HttpRequest) -> bool:
        """Whether to answer a link with a page that asks again, and shows how far we are."""
        waits = long_work.is_wanted(request) or WAIT in request.GET
        return not waits and many_clusters()

    def working_page(self, request: HttpRequest, title: str) -> TemplateResponse:
        query = request.GET.copy()
        query[WAIT] = "1"
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": title,
            "query": query.urlencode(),
        }
        return TemplateResponse(request, "admin/fleet/working.html", context)

    def preview_page(
        self,
        request: HttpRequest,
        plan: Plan,
        reason: str,
        notice: str = "",
        *,
        act: str = "",
        effect: str = "",
    ) -> TemplateResponse:
        """`act` and `effect` are those of a button, which has no form to go back to."""
        removing = len(plan.removing_clusters)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": f"{reason}?" if act else f"{reason}: what it would do",
            "plan": PlanTables.of(plan),
            "digest": f"{plan.digest}:{removing}",
            "removing": removing,
            "must_confirm": needs_confirmation(plan),
            "reason": request.POST.get(REASON, ""),
            "default_reason": reason,
            "notice": notice,
            "act": act,
            "effect": effect,
            "form_data": carried(request),
        }
        return TemplateResponse(request, "admin/fleet/preview.html", context)
