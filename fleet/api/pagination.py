from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.http import urlencode
from rest_framework.request import Request

from fleet.errors import Invalid

PAGING = ("limit", "offset")
DEFAULT_LIMIT = 100
MAX_LIMIT = 1_000
# Beyond what any fleet has; SQL would not take an offset past 64 bits.
MAX_OFFSET = 10_000_000


@dataclass(frozen=True, slots=True)
class Page:
    items: Sequence[Any]
    headers: dict[str, str]


def paginate(request: Request, queryset: QuerySet) -> Page:
    """A bare list; X-Total-Count and Link tell the rest."""
    limit = _number(request, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT)
    offset = _number(request, "offset", 0, 0, MAX_OFFSET)
    total = queryset.count()
    items = list(queryset[offset : offset + limit])
    links = ", ".join(
        f'<{_address(request, limit, start)}>; rel="{relation}"'
        for relation, start in _starts(limit, offset, total)
    )
    return Page(items, {"X-Total-Count": str(total), "Link": links})


def _number(request: Request, name: str, default: int, least: int, most: int) -> int:
    text = request.query_params.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
        message = f"must be a whole number from {least} to {most}"
        raise Invalid(f"{name} {message}.", {name: [message]})
    return int(text)


def _starts(limit: int, offset: int, total: int) -> list[tuple[str, int]]:
    last = max(total - 1, 0) // limit * limit
    starts = [("first", 0)]
    if offset > 0:
        starts.append(("prev", min(max(offset - limit, 0), last)))
    if offset + limit < total:
        starts.append(("next", offset + limit))
    return [*starts, ("last", last)]


def _address(request: Request, limit: int, offset: int) -> str:
    kept = [
        (name, value)
        for name, values in request.query_params.lists()
        for value in values
        if name not in {"limit", "offset"}
    ]
    query = urlencode([*kept, ("limit", limit), ("offset", offset)])
    return request.build_absolute_uri(f"{request.path}?{query}")
