from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from fleet.models import Revision


@admin.register(Revision)
class RevisionAdmin(ModelAdmin):
    """A record: it is read, never written."""

    list_display = ["number", "created_at", "actor", "source", "reason"]
    list_filter = ["source", "actor_kind", "created_at"]
    search_fields = ["=number", "actor", "reason"]
    fields = ["number", "created_at", "actor", "actor_kind", "source", "reason", "reverts"]
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
