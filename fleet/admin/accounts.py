"""Django's own users and groups, in the look of the rest."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from django.db import models
from django.http import HttpRequest
from unfold.admin import ModelAdmin, StackedInline
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from fleet.models import OperatorLimit

admin.site.unregister(User)
admin.site.unregister(Group)

# Who could set it could give themselves every right.
ONLY_SUPERUSERS = ("is_superuser",)


CHECKBOXES: dict[Any, Any] = {
    models.ManyToManyField: {"widget": UnfoldAdminCheckboxSelectMultipleWidget}
}


class LimitInline(StackedInline):
    model = OperatorLimit
    extra = 0
    formfield_overrides = CHECKBOXES


@admin.register(User)
class UserAdmin(DjangoUserAdmin, ModelAdmin):
    show_facets = admin.ShowFacets.ALWAYS
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    show_full_result_count = False
    list_display = ["username", "email", "group_names", "is_active", "last_login"]
    inlines = [LimitInline]
    # What a person may do is what their groups may do.
    filter_horizontal = ()
    formfield_overrides = CHECKBOXES
    fieldsets = [
        (None, {"fields": ["username", "password"]}),
        ("Personal info", {"fields": ["first_name", "last_name", "email"]}),
        ("Permissions", {"fields": ["is_active", "is_staff", "is_superuser", "groups"]}),
        ("Important dates", {"fields": ["last_login", "date_joined"]}),
    ]

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("groups")

    @admin.display(description="groups")
    def group_names(self, user: User) -> str:
        return ", ".join(group.name for group in user.groups.all())

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        return super().get_inlines(request, obj) if obj else []

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            # A person who is made here is meant to come here.
            obj.is_staff = True
        super().save_model(request, obj, form, change)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = super().get_readonly_fields(request, obj)
        return fields if request.user.is_superuser else (*fields, *ONLY_SUPERUSERS)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is not None and obj.is_superuser and not request.user.is_superuser:
            return False
        return super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is not None and obj.is_superuser and not request.user.is_superuser:
            return False
        return super().has_delete_permission(request, obj)


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, ModelAdmin):
    show_full_result_count = False
