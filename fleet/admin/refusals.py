"""What a person reads when a change is refused."""

import logging
from collections.abc import Sequence

from django.conf import settings
from django.contrib import messages
from django.db import DataError, IntegrityError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from fleet.errors import ConfirmationRequired, FleetError, UnrecordedWrite

logger = logging.getLogger(__name__)

REFUSALS = (FleetError, IntegrityError, DataError)
SHOWN = 10


def explain(error: Exception) -> str:
    if isinstance(error, ConfirmationRequired):
        clusters = error.plan.removing_clusters
        return (
            f"This would take components, namespaces or rolebindings away from {len(clusters)} "
            f"clusters, more than the {settings.GUARD_CLUSTERS} that go without confirmation: "
            f"{', '.join(shorten(clusters))}. Nothing was changed."
        )
    if isinstance(error, FleetError) and not isinstance(error, UnrecordedWrite):
        return f"{error.message} Nothing was changed."
    logger.error("A change in the admin failed.", exc_info=error)
    return (
        "The database did not take this change; perhaps someone else has just added the same "
        "thing. Nothing was changed. Open the page anew and look."
    )


def shorten(names: Sequence[str], most: int = SHOWN) -> list[str]:
    rest = len(names) - most
    return [*names[:most], f"and {rest} more"] if rest > 0 else list(names)


def refuse(request: HttpRequest, refusal: str, url: str) -> HttpResponse:
    messages.error(request, refusal)
    return HttpResponseRedirect(url)
