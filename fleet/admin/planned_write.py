"""A write in the admin, tried before it is done.

The first POST of a form is tried in a dry run. What it does to one cluster at most, taking nothing
away, is then done; anything else is shown as its plan, with the form's data along, to be applied by
a second POST. If the fleet has changed in between, the plan is another one and is shown again.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from unfold.admin import ModelAdmin

from fleet.access.authentication import actor_of
from fleet.admin.preview import EDIT, Answer, needs_preview, preview_page
from fleet.admin.refusals import REFUSALS, explain
from fleet.errors import ConfirmationRequired, PlanChanged
from fleet.history.change import Change, change
from fleet.models import Revision
from fleet.plans.plan import Plan

NOT_YET = "Nothing was changed yet: this is the form as you left it."
CHANGED = "The fleet has changed since you looked. This is what it would do now."
UNSURE = "Tick the box and type the number of clusters, exactly as it is shown."
NOTHING_TO_DO = "There is nothing to change: it is so already."


@dataclass(frozen=True, slots=True)
class PlannedWrite:
    model_admin: ModelAdmin
    request: HttpRequest
    reason: str
    # A view that writes. It may run twice: in the dry run, then for good.
    act: Callable[[], HttpResponse]
    # Answers with the sentence that says why nothing was written.
    refused: Callable[[str], HttpResponse]
    # What a button does; a form has none.
    verb: str = ""

    def respond(self) -> HttpResponse:
        if self.request.method != "POST":
            return self.act()
        if EDIT in self.request.POST:
            return self.refused(NOT_YET)
        try:
            return self._respond_to_post()
        except PlanChanged as changed:
            return self.preview(changed.plan, notice=CHANGED)
        except ConfirmationRequired as unsure:
            return self.preview(unsure.plan, notice=UNSURE)
        except REFUSALS as error:
            return self.refused(explain(error))

    def respond_as_button(self, effect: str) -> HttpResponse:
        """For what takes no form: its plan, and a button that does it."""
        if self.request.method == "POST":
            return self.respond()
        try:
            _, plan = self.dry_run()
        except REFUSALS as error:
            return self.refused(explain(error))
        return self.preview(plan, effect=effect) if plan.rows else self.refused(NOTHING_TO_DO)

    def dry_run(self) -> tuple[HttpResponse, Plan]:
        with self.opened(dry_run=True) as tried:
            response = self.act()
        assert tried.plan is not None  # noqa: S101  (made when the change ended)
        return response, tried.plan

    def preview(self, plan: Plan, *, notice: str = "", effect: str = "") -> TemplateResponse:
        return preview_page(
            self.model_admin,
            self.request,
            plan,
            reason=self.reason,
            verb=self.verb,
            effect=effect,
            notice=notice,
        )

    @contextmanager
    def opened(
        self, *, reason: str = "", dry_run: bool = False, **options: str
    ) -> Iterator[Change]:
        """The guards look when a change ends: until then it has not succeeded, and no message of
        Django's or ours may say so."""
        storage: Any = messages.get_messages(self.request)
        with (
            storage.hold(discard=dry_run),
            admin_change(self.request, reason or self.reason, dry_run=dry_run, **options) as opened,
        ):
            yield opened

    def _respond_to_post(self) -> HttpResponse:
        answer = Answer.of(self.request)
        if not answer.digest:
            response, plan = self.dry_run()
            if not plan.rows and response.status_code == 200:
                return response  # The form itself, with what is wrong in it.
            if needs_preview(plan):
                return self.preview(plan)
        return self._perform(answer)

    def _perform(self, answer: Answer) -> HttpResponse:
        confirm = answer.digest if answer.sure else ""
        with self.opened(reason=answer.reason, expect=answer.digest, confirm=confirm) as done:
            response = self.act()
        if done.revision is not None:
            tell_revision(self.request, done.revision)
        return response


def admin_change(
    request: HttpRequest, reason: str, **options: Any
) -> AbstractContextManager[Change]:
    actor = actor_of(request.user)
    return change(actor=actor, source=Revision.Source.ADMIN, reason=reason, **options)


def refusal_of(request: HttpRequest, reason: str, act: Callable[[], Any]) -> Exception | None:
    """Acts as one change, without a plan; the answer is why it was refused, where it was."""
    try:
        with admin_change(request, reason):
            act()
    except REFUSALS as error:
        return error
    return None


def tell_revision(request: HttpRequest, revision: Revision) -> None:
    page, undo = (
        reverse(f"admin:fleet_revision_{name}", args=[revision.number])
        for name in ("change", "revert")
    )
    text = 'This is <a href="{}">revision {}</a>. <a href="{}">Undo it</a>'
    messages.info(request, format_html(text, page, revision.number, undo))
