"""Filters that are typed: who, what and when are too many for a list of links."""

from collections.abc import Iterator
from datetime import datetime, time
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.dateparse import parse_date
from django.utils.timezone import make_aware
from unfold.widgets import INPUT_CLASSES

from fleet.api.revision_objects import revisions_touching
from fleet.errors import Invalid
from fleet.services.rows import is_plain
from fleet.web.time_zone import in_zone


class TypedFilter(admin.SimpleListFilter):
    template = "admin/fleet/typed_filter.html"
    input_type = "text"
    example = ""
    input_classes = " ".join(INPUT_CLASSES)

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("", "")]  # There is something to choose: without, Django leaves the filter away.

    def choices(self, changelist: Any) -> Iterator[Any]:
        yield {"value": self.value() or ""}

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        text = (self.value() or "").strip()
        if not text:
            return queryset
        try:
            return self.narrowed(queryset, text) if is_plain(text) else queryset.none()
        except Invalid as error:
            messages.error(request, error.message)
            return queryset.none()

    def narrowed(self, queryset: QuerySet, text: str) -> QuerySet:
        raise NotImplementedError


class ActorFilter(TypedFilter):
    title = "person or token"
    parameter_name = "actor"

    def narrowed(self, queryset: QuerySet, text: str) -> QuerySet:
        return queryset.filter(actor=text)


class ClusterFilter(TypedFilter):
    title = "cluster that got something else"
    parameter_name = "cluster"
    example = "demo-cluster-01"

    def narrowed(self, queryset: QuerySet, text: str) -> QuerySet:
        return queryset.filter(effects__cluster_id=text)


class ObjectFilter(TypedFilter):
    title = "object that was changed"
    parameter_name = "object"
    example = "platform_components/podinfo"

    def narrowed(self, queryset: QuerySet, text: str) -> QuerySet:
        return queryset.filter(pk__in=revisions_touching(text))


class DayFilter(TypedFilter):
    """A day begins and ends by the clock of whoever looks."""

    input_type = "date"


class SinceFilter(DayFilter):
    title = in_zone("day, from ({zone})")
    parameter_name = "since"

    def narrowed(self, queryset: QuerySet, text: str) -> QuerySet:
        return queryset.filter(created_at__gte=moment(text, time.min))


class UntilFilter(DayFilter):
    title = in_zone("day, until ({zone})")
    parameter_name = "until"

    def narrowed(self, queryset: QuerySet, text: str) -> QuerySet:
        return queryset.filter(created_at__lte=moment(text, time.max))


def moment(text: str, at: time) -> datetime:
    try:
        day = parse_date(text)
    except ValueError:
        day = None
    if day is None:
        raise Invalid(f"{text} is not a day, such as 2026-01-31.")
    return make_aware(datetime.combine(day, at))
