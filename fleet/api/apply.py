"""The fleet as documents: make it so, all or none, one revision."""

from typing import Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.response import Response

from fleet.api.views import ON_WRITES, FleetView, body_of
from fleet.api.writes import Outcome, flag, perform
from fleet.services.declared import (
    CREATED,
    DECOMMISSIONED,
    DELETED,
    UPDATED,
    Applied,
    fleet_apply,
)


class Apply(FleetView):
    """Lists of whole objects by kind; what `prune=true` does not find in them goes."""

    max_body = settings.MAX_APPLY_BODY
    in_batch = False

    def post(self, request: Request) -> Response:
        self.allow_parameters(*ON_WRITES, "prune")
        prune, documents = flag(request, "prune"), body_of(request)

        def act() -> Outcome:
            told = applied_document(fleet_apply(documents=documents, prune=prune))
            return Outcome(told, beside_plan={**told, "revision": None}, tells_revision=True)

        return perform(request, act)


def applied_document(applied: Applied) -> dict[str, Any]:
    return {
        "created": applied.count(CREATED),
        "updated": applied.count(UPDATED),
        "deleted": applied.count(DELETED, DECOMMISSIONED),
        "unchanged": applied.unchanged,
        "objects": [
            {"kind": item.kind, "id": item.id, "action": item.action} for item in applied.objects
        ],
    }
