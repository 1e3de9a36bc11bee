"""When somebody else has changed an object since its form was opened: both are shown."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse

from fleet.admin.pages import admin_page
from fleet.admin.planned_write import PlannedWrite
from fleet.admin.preview import carried
from fleet.admin.refusals import REFUSALS, explain
from fleet.api.revision_objects import revisions_touching
from fleet.errors import Conflict
from fleet.models import Revision
from fleet.models.sections import SECTION_OF
from fleet.resources.showing import documents_of
from fleet.web.etags import etag_of

# The field of a form that carries the ETag of the object when the form was opened.
SEEN = "_seen"


@dataclass(frozen=True, slots=True)
class Difference:
    field: str
    theirs: str
    mine: str


@dataclass(frozen=True, slots=True)
class EditedObject:
    """What a form edits."""

    model: Any
    # None where it is yet to be added.
    pk: str | None

    def document(self, *, seed: bool = False) -> dict[str, Any] | None:
        section = SECTION_OF.get(self.model)
        if section is None or self.pk is None:
            return None
        return next(iter(documents_of(section, [self.pk], seed=seed)), None)

    def etag(self) -> str:
        """As in a seed, which has nothing that is inherited: others change that."""
        document = self.document(seed=True)
        return etag_of(document) if document else ""

    def has_changed_since(self, seen: str) -> bool:
        """Not where it is gone: Django has a message for that."""
        now = self.etag() if seen else ""
        return bool(now) and seen != now

    def require_unchanged_since(self, seen: str) -> None:
        """Once more within the change: between the two looks somebody may have been quicker."""
        if self.has_changed_since(seen):
            raise Conflict("Somebody else has changed it just now. Save again to see what.")

    def last_revision(self) -> Revision | None:
        numbers = revisions_touching(f"{SECTION_OF[self.model]}/{self.pk}")
        return Revision.objects.filter(number=max(numbers, default=0)).first()


def conflict_page(
    write: PlannedWrite, edited: EditedObject, save: Callable[[], HttpResponse]
) -> HttpResponse:
    """`save` is tried in a dry run, whatever others have changed."""
    theirs = edited.document()
    try:
        with write.opened(dry_run=True):
            response = save()
            mine = edited.document()
    except REFUSALS as error:
        return write.refused(explain(error))
    if response.status_code == 200:
        return response  # There is something wrong in the form, which comes first.
    return admin_page(
        write.model_admin,
        write.request,
        "edit_conflict",
        f"{edited.pk} was changed meanwhile",
        last=edited.last_revision(),
        differences=list(_differences(theirs or {}, mine or {})),
        seen=edited.etag(),
        form_data=carried(write.request, SEEN),
    )


def _differences(theirs: dict[str, Any], mine: dict[str, Any]) -> Iterator[Difference]:
    for field in sorted(theirs.keys() | mine.keys()):
        if theirs.get(field) != mine.get(field):
            yield Difference(field, _spelled(theirs.get(field)), _spelled(mine.get(field)))


def _spelled(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
