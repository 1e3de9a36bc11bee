from typing import Any

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest

from fleet.admin.base import TrackedAdmin
from fleet.admin.filters import UsedFilter
from fleet.models import Environment


@admin.register(Environment)
class EnvironmentAdmin(TrackedAdmin):
    list_display = ["id", "rank", "clusters"]
    list_filter = [UsedFilter]
    search_fields = ["id", "description"]
    fields = ["id", "description", "rank"]
    used_in = ["clusters", "profiles"]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return super().get_queryset(request).annotate(cluster_count=Count("clusters"))

    @admin.display(ordering="cluster_count")
    def clusters(self, environment: Any) -> int:
        return environment.cluster_count
