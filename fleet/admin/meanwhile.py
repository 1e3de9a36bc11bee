"""When somebody else has changed an object since its form was opened: both are shown."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.admin.utils import unquote
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from fleet.admin.preview import PlannedWrites, View, carried
from fleet.admin.refusals import REFUSALS, explain
from fleet.api.revision_objects import revisions_touching
from fleet.errors import Conflict
from fleet.models import Revision
from fleet.models.sections import SECTION_MODELS
from fleet.resources.showing import documents_of
from fleet.web.etags import etag_of

SEEN = "_seen"
SECTIONS = {model: section for section, model in SECTION_MODELS.items()}


@dataclass(frozen=True, slots=True)
class Difference:
    field: str
    theirs: str
    mine: str


class NoticesOthers(PlannedWrites):
    model: Any
    # Inside of the form: it carries what the object was when the form was opened.
    change_form_before_template = "admin/fleet/seen.html"

    def seen(self, request: HttpRequest, object_id: str | None) -> str:
        return request.POST.get(SEEN, "") or self._etag(object_id)

    def edited_meanwhile(self, request: HttpRequest, object_id: str | None) -> bool:
        """Not where it is gone: Django has a message for that."""
        seen = request.POST.get(SEEN, "")
        now = self._etag(object_id) if seen else ""
        return bool(now) and seen != now

    def require_unedited(self, request: HttpRequest, object_id: str | None) -> None:
        """Once more within the change: between the two looks somebody may have been quicker."""
        if self.edited_meanwhile(request, object_id):
            raise Conflict("Somebody else has changed it just now. Save again to see what.")

    def meanwhile_page(
        self, request: HttpRequest, object_id: str, reason: str, show: View
    ) -> HttpResponse:
        theirs = self._document(object_id)
        try:
            with self._change(request, reason, tell=False, dry_run=True):
                response = show()
                mine = self._document(object_id)
        except REFUSALS as error:
            return self.refused_meanwhile(request, explain(error), show)
        if response.status_code == 200:
            return response  # There is something wrong in the form, which comes first.
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": f"{unquote(object_id)} was changed meanwhile",
            "last": self._last(object_id),
            "differences": list(_differences(theirs or {}, mine or {})),
            "seen": self._etag(object_id),
            "form_data": carried(request, SEEN),
        }
        return TemplateResponse(request, "admin/fleet/meanwhile.html", context)

    def refused_meanwhile(self, request: Any, refusal: str, show: View) -> HttpResponse:
        request.refusal = refusal
        return show()

    def _document(self, object_id: str | None) -> dict[str, Any] | None:
        section = SECTIONS.get(self.model)
        if section is None or object_id is None:
            return None
        return next(iter(documents_of(section, [unquote(object_id)])), None)

    def _etag(self, object_id: str | None) -> str:
        document = self._document(object_id)
        return etag_of(document) if document else ""

    def _last(self, object_id: str) -> Revision | None:
        numbers = revisions_touching(f"{SECTIONS[self.model]}/{unquote(object_id)}")
        return Revision.objects.filter(number=max(numbers, default=0)).first()


def _differences(theirs: dict[str, Any], mine: dict[str, Any]) -> Iterator[Difference]:
    for field in sorted(theirs.keys() | mine.keys()):
        if theirs.get(field) != mine.get(field):
            yield Difference(field, _spelled(theirs.get(field)), _spelled(mine.get(field)))


def _spelled(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
