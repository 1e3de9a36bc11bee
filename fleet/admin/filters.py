from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property
from unfold.views import ChangeList

from fleet.desired_state.component_selectors import Running
from fleet.reports.dashboard import EXPIRES_SOON, FROZEN_LONG, expired, expiring, frozen_for_long


class UsedFilter(admin.SimpleListFilter):
    """Whether a cluster or a profile uses it; the page's `used_in` names the relations."""

    title = "in use"
    parameter_name = "used"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        self.relations = [model_admin.model._meta.get_field(name) for name in model_admin.used_in]
        return [("yes", "Yes"), ("no", "No")]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        if self.value() not in {"yes", "no"}:
            return queryset
        used = Q()
        for relation in self.relations:
            rows = relation.related_model.objects.filter(**{relation.field.name: OuterRef("pk")})
            used |= Q(Exists(rows))
        return queryset.filter(used if self.value() == "yes" else ~used)


class FrozenFilter(admin.SimpleListFilter):
    title = "time frozen"
    parameter_name = "frozen"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("long", f"More than {FROZEN_LONG.days} days")]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        return queryset.filter(frozen_for_long()) if self.value() == "long" else queryset


class ExpiryFilter(admin.SimpleListFilter):
    title = "expiry"
    parameter_name = "expiry"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        soon = f"Within {EXPIRES_SOON.days} days"
        return [("expired", "Expired"), ("soon", soon), ("never", "Never")]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        chosen = {"expired": expired(), "soon": expiring(), "never": Q(expires_at=None)}
        return queryset.filter(chosen.get(self.value() or "", Q()))


class RunningFilter(admin.ListFilter):
    """`?component=podinfo&version=6.7.1&missing=traefik`: for links, and shown where it is used.

    Not a choice of all components with their counts: each count is a walk over all clusters.
    """

    title = "component"
    parameters = ("component", "version", "missing", "disabled")
    # Set by the list, which makes its filters again for the counts of each.
    running: Running

    def __init__(self, request: HttpRequest, params: Any, model: Any, model_admin: Any) -> None:
        super().__init__(request, params, model, model_admin)
        self.given: dict[str, str] = {}
        for name in self.parameters:
            if name in params:
                [*_, self.given[name]] = params.pop(name)
        self.used_parameters.update(self.given)

    def has_output(self) -> bool:
        return bool(self.given)

    def expected_parameters(self) -> list[str | None]:
        return list(self.parameters)

    def choices(self, changelist: Any) -> Iterator[dict[str, Any]]:
        everything = changelist.get_query_string(remove=self.parameters)
        yield {"selected": False, "query_string": everything, "display": "All"}
        own = changelist.get_query_string()
        yield {"selected": True, "query_string": own, "display": self._described()}

    def _described(self) -> str:
        given = self.given
        words = [given.get("component", ""), given.get("version", "")]
        words += [f"{given[name]} {name}" for name in ("missing", "disabled") if name in given]
        return " ".join(filter(None, words))

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        given = self.given
        if not given:
            return queryset
        running, chosen = self.running, Q()
        if component := given.get("component", ""):
            chosen &= running.component(component)
            if version := given.get("version", ""):
                chosen &= running.version(component, version)
        if missing := given.get("missing", ""):
            chosen &= ~running.assigned(missing)
        if disabled := given.get("disabled", ""):
            chosen &= running.assigned(disabled) & ~running.component(disabled)
        return queryset.filter(chosen)


class RunningList(ChangeList):
    """A list with a `RunningFilter`: what that needs of the fleet is read once."""

    @cached_property
    def running(self) -> Running:
        return Running()

    def get_filters(self, request: HttpRequest) -> tuple[Any, ...]:
        filters, *rest = super().get_filters(request)
        for each in filters:
            if isinstance(each, RunningFilter):
                each.running = self.running
        return filters, *rest
