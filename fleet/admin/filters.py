from typing import Any

from django.contrib import admin
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest


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
