from typing import Any

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.urls import URLPattern

from fleet.admin.assignments import ComponentInline
from fleet.admin.base import TrackedAdmin, as_text
from fleet.admin.inlines import NamespaceInline, RoleBindingInline, TrackedInline
from fleet.admin.pages import admin_path
from fleet.admin.patch_view import patch_path
from fleet.admin.patches import PatchInline
from fleet.admin.profile_selection import selected_view
from fleet.models import (
    Profile,
    ProfileCluster,
    ProfileComponent,
    ProfileEnvironment,
    ProfileNamespace,
    ProfilePatch,
    ProfileRoleBinding,
)


class ProfileEnvironmentInline(TrackedInline):
    model = ProfileEnvironment
    fields = ["environment"]
    autocomplete_fields = ["environment"]
    verbose_name = "environment"
    verbose_name_plural = "environments"


class ProfileClusterInline(TrackedInline):
    model = ProfileCluster
    fields = ["cluster"]
    autocomplete_fields = ["cluster"]
    verbose_name = "listed cluster"
    verbose_name_plural = "listed clusters"


class ProfileComponentInline(ComponentInline):
    model = ProfileComponent


class ProfilePatchInline(PatchInline):
    model = ProfilePatch


class ProfileNamespaceInline(NamespaceInline):
    model = ProfileNamespace


class ProfileRoleBindingInline(RoleBindingInline):
    model = ProfileRoleBinding


@admin.register(Profile)
class ProfileAdmin(TrackedAdmin):
    change_form_before_template = "admin/fleet/profile/selection.html"
    list_display = ["id", "weight", "selects"]
    list_filter = ["lists_clusters", "environments__environment"]
    search_fields = ["id", "labels", "description"]
    fieldsets = [
        (None, {"fields": ["id", "description", "weight"]}),
        ("Selected clusters", {"fields": ["labels", "lists_clusters"]}),
    ]
    inlines = [
        ProfileEnvironmentInline,
        ProfileClusterInline,
        ProfileComponentInline,
        ProfilePatchInline,
        ProfileNamespaceInline,
        ProfileRoleBindingInline,
    ]

    class Media:
        css = {"all": ["changes.css"]}
        js = ["profile-selection.js"]

    def get_urls(self) -> list[URLPattern]:
        selected = admin_path(self, "selected/", selected_view, "selected")
        return [selected, patch_path(self), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        profiles = super().get_queryset(request).prefetch_related("environments")
        return profiles.annotate(listed=Count("clusters", distinct=True))

    @admin.display(description="selects")
    def selects(self, profile: Any) -> str:
        environments = [row.environment_id for row in profile.environments.all()]
        conditions = [" or ".join(environments), as_text(profile.labels)]
        if profile.lists_clusters:
            conditions.append(f"{profile.listed} listed clusters")
        return " and ".join(filter(None, conditions)) or "every cluster"
