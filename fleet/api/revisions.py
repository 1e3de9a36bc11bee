from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from fleet.api.filters import RevisionFilters, apply_filters
from fleet.api.pagination import PAGING, paginate
from fleet.api.revision_objects import concerned, object_changes
from fleet.api.views import ON_WRITES, FleetView, body_of
from fleet.api.writes import Outcome, perform
from fleet.errors import Invalid
from fleet.history.snapshot import snapshot
from fleet.history.time_travel import changes_of, revision_get
from fleet.models import Revision
from fleet.services.undo import reverted_by, revision_revert


def revision_summary(revision: Revision) -> dict[str, Any]:
    return {
        "number": revision.number,
        "created_at": revision.created_at.isoformat(),
        "actor": {"kind": revision.actor_kind, "name": revision.actor},
        "source": revision.source,
        "reason": revision.reason,
        "reverts": revision.reverts_id,
    }


class RevisionList(FleetView):
    """The log of all changes, newest first."""

    filterset_class = RevisionFilters

    def get_queryset(self) -> Any:
        return Revision.objects.all()

    def get(self, request: Request) -> Response:
        with snapshot():
            chosen = apply_filters(RevisionFilters, request, self.get_queryset(), *PAGING)
            page = paginate(request, chosen)
            return Response([revision_summary(item) for item in page.items], headers=page.headers)


class RevisionDetail(FleetView):
    """One change with all that it did, row by row."""

    def get(self, request: Request, number: str) -> Response:
        self.allow_parameters()
        with snapshot():
            revision = revision_get(int(number))
            by = reverted_by(revision)
            return Response(
                {
                    **revision_summary(revision),
                    "reverted_by": by.number if by else None,
                    "clusters": concerned(revision),
                    "changes": object_changes(changes_of(revision.number)),
                }
            )


class RevisionRevert(FleetView):
    """Takes a revision back, as a new revision."""

    def post(self, request: Request, number: str) -> Response:
        self.allow_parameters(*ON_WRITES)
        body = {} if request.stream is None else body_of(request)
        unknown = sorted(set(body) - {"skip_conflicts"})
        skip = body.get("skip_conflicts", False)
        if unknown or not isinstance(skip, bool):
            name = unknown[0] if unknown else "skip_conflicts"
            message = "is not a field here" if unknown else "must be true or false"
            raise Invalid(f"{name} {message}.", {name: [message]})

        def act() -> Outcome:
            revision_revert(number=int(number), skip_conflicts=skip)
            return Outcome({"reverts": int(number)})

        return perform(request, act)
