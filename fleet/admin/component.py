from typing import Any

from django import forms
from django.contrib import admin
from django.urls import URLPattern

from fleet.admin import component_usage
from fleet.admin.base import TrackedAdmin
from fleet.admin.filters import UsedFilter
from fleet.admin.inlines import TrackedInline
from fleet.admin.patch_view import patch_path
from fleet.admin.patches import DefaultPatchForm, PatchInline
from fleet.models import Component, ComponentDependency, ComponentPatch


class DependencyForm(forms.ModelForm):
    def clean_dependency(self) -> Any:
        dependency = self.cleaned_data["dependency"]
        if dependency.pk == self.instance.component_id:
            raise forms.ValidationError("A component cannot depend on itself.")
        return dependency


class DependencyInline(TrackedInline):
    model = ComponentDependency
    form = DependencyForm
    fk_name = "component"
    fields = ["dependency"]
    autocomplete_fields = ["dependency"]
    verbose_name = "dependency"
    verbose_name_plural = "depends on"


class ComponentPatchInline(PatchInline):
    model = ComponentPatch
    form = DefaultPatchForm
    fields = ["key", "value"]
    autocomplete_fields = []
    verbose_name_plural = "default patches"


@admin.register(Component)
class ComponentAdmin(TrackedAdmin):
    list_display = ["id", "kind", "component_path", "component_version", "oci_url", "oci_tag"]
    list_filter = ["kind", "cluster_env_enabled", UsedFilter]
    search_fields = ["id", "component_path", "component_version", "oci_url", "description"]
    fieldsets = [
        (None, {"fields": ["id", "description", "kind"]}),
        (
            "Path and version",
            {"fields": ["component_path", "component_version", "cluster_env_enabled"]},
        ),
        ("Source", {"fields": ["oci_url", "oci_tag"]}),
        ("Values", {"fields": ["values_schema"]}),
    ]
    inlines = [DependencyInline, ComponentPatchInline]
    used_in = ["clustercomponent_set", "profilecomponent_set"]
    actions_detail = ["usage"]
    usage = component_usage.usage

    def get_urls(self) -> list[URLPattern]:
        return [patch_path(self), *super().get_urls()]
