"""Acts on many clusters at once: those that are ticked, or all that the filter matches."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from fleet.admin.fields import NameSelect
from fleet.admin.pages import admin_page
from fleet.admin.preview import carried
from fleet.models import ClusterComponent, Component, Environment
from fleet.services import bulk

FILLED_IN = "_bulk"


class ComponentForm(forms.Form):
    component = forms.ModelChoiceField(Component.objects.all(), widget=forms.HiddenInput)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # Never a select of thousands.
        field: Any = ClusterComponent._meta.get_field("component")
        self.fields["component"].widget = NameSelect(field, admin.site)
        self.fields["component"].widget.is_required = True

    def clean_component(self) -> str:
        return self.cleaned_data["component"].pk


class VersionForm(ComponentForm):
    version = forms.CharField(
        max_length=128,
        widget=UnfoldAdminTextInputWidget,
        help_text="Only clusters that run the component get it.",
    )


class DropForm(ComponentForm):
    key = forms.CharField(
        widget=UnfoldAdminTextInputWidget, help_text="Such as replicaCount or ui.color."
    )


class PatchForm(DropForm):
    value = forms.CharField(
        required=False,
        strip=False,
        widget=UnfoldAdminTextInputWidget,
        help_text="Text is typed as Helm's --set types it: 3 is a number, true a boolean.",
    )


class LabelForm(forms.Form):
    key = forms.CharField(widget=UnfoldAdminTextInputWidget)
    value = forms.CharField(required=False, widget=UnfoldAdminTextInputWidget)
    remove = forms.BooleanField(
        required=False, help_text="Take the label away instead, whatever its value."
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.pop("remove", False):
            cleaned["value"] = None
        return cleaned


class MoveForm(forms.Form):
    environment = forms.ModelChoiceField(
        Environment.objects.all(), widget=UnfoldAdminSelectWidget, empty_label=None
    )

    def clean_environment(self) -> str:
        return self.cleaned_data["environment"].pk


class NoForm(forms.Form):
    """Where there is nothing to say but yes."""


def act(name: str, title: str, form_class: type[forms.Form], run: Callable[..., None]) -> Any:
    @admin.action(description=title, permissions=["change"])
    def perform(
        model_admin: ModelAdmin, request: HttpRequest, chosen: QuerySet
    ) -> HttpResponse | None:
        form = form_class(request.POST if FILLED_IN in request.POST else None)
        if not form.is_valid():
            return bulk_page(model_admin, request, chosen, title, form)
        ids = sorted(chosen.order_by().values_list("pk", flat=True))
        run(ids=ids, **form.cleaned_data)
        messages.success(request, f"{title}: {len(ids)} clusters.")
        return None

    perform.__name__ = name
    return perform


BULK_ACTIONS = [
    act("assign", "Assign a component", ComponentForm, bulk.component_assign_many),
    act("unassign", "Remove a component", ComponentForm, bulk.component_unassign_many),
    act("pin", "Pin the version of a component", VersionForm, bulk.version_pin_many),
    act("set_patch", "Set a patch", PatchForm, bulk.patch_set_many),
    act("drop_patch", "Drop a patch", DropForm, bulk.patch_drop_many),
    act("label", "Set or remove a label", LabelForm, bulk.label_many),
    act("move", "Move to an environment", MoveForm, bulk.move_many),
    act("approve_chosen", "Approve", NoForm, bulk.approve_many),
    act("freeze_chosen", "Freeze", NoForm, bulk.freeze_many),
    act("decommission_chosen", "Decommission", NoForm, bulk.decommission_many),
]


def bulk_page(
    model_admin: ModelAdmin, request: HttpRequest, chosen: QuerySet, title: str, form: forms.Form
) -> TemplateResponse:
    count = chosen.count()
    return admin_page(
        model_admin,
        request,
        "bulk",
        f"{title}: {count} cluster{'' if count == 1 else 's'}",
        form=form,
        media=model_admin.media + form.media,
        filled_in=FILLED_IN,
        names=list(chosen.order_by("pk").values_list("pk", flat=True)[:12]),
        more=max(0, count - 12),
        form_data=carried(request, *form.fields, FILLED_IN),
    )


def bulk_reason(request: HttpRequest) -> str:
    """Empty where it is not one of these that was chosen."""
    titles = {perform.__name__: perform.short_description for perform in BULK_ACTIONS}
    title = titles.get(request.POST.get("action", ""))
    return f"{title} on many clusters" if title else ""
