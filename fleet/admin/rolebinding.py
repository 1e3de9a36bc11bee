from django.contrib import admin

from fleet.admin.base import TrackedAdmin
from fleet.admin.filters import UsedFilter
from fleet.models import RoleBinding


@admin.register(RoleBinding)
class RoleBindingAdmin(TrackedAdmin):
    list_display = ["id", "role", "subject_text"]
    list_filter = [UsedFilter, "role"]
    search_fields = ["id", "role", "subjects", "description"]
    fields = ["id", "description", "role", "subjects"]
    used_in = ["clusterrolebinding_set", "profilerolebinding_set"]

    @admin.display(description="subjects")
    def subject_text(self, rolebinding: RoleBinding) -> str:
        return ", ".join(f"{subject['kind']} {subject['name']}" for subject in rolebinding.subjects)
