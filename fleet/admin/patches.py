"""The rows of patches below a cluster, a profile or a component: Helm values, key by key."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest

from fleet.admin.inherits import inherited_text
from fleet.admin.inlines import TrackedFormSet, TrackedInline
from fleet.admin.patch_check import PatchCheck, Row
from fleet.admin.patch_keys import Key, key_problems, taken_apart
from fleet.admin.values import UNSET, ValueField
from fleet.desired_state.values import JSONText, ValueProblem, format_key, parse_key
from fleet.models.patch import key_validator


class PatchForm(forms.ModelForm):
    value: Any = ValueField()
    # What an object was taken apart into, beyond the first piece, which is this row.
    rest: tuple[tuple[str, JSONText], ...] = ()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["key"].widget.attrs |= {"aria-label": "Key", "spellcheck": "false"}
        if self.instance.unset:
            self.initial["value"] = UNSET

    def clean_key(self) -> str:
        key: str = self.cleaned_data["key"]
        key_validator(key)
        return format_key(parse_key(key))

    def _post_clean(self) -> None:
        """The model looks at key and value together, which takes a key and a value."""
        if self.errors:
            return
        given = self.cleaned_data["value"]
        try:
            pieces = [(self.cleaned_data["key"], "")]
            if given != UNSET:
                pieces = taken_apart(self.cleaned_data["key"], given)
        except ValueProblem as problem:
            self.add_error("value", str(problem))
            return
        (key, value), *rest = pieces
        self.rest = tuple(rest)
        self.instance.unset = given == UNSET
        self.cleaned_data |= {"key": key, "value": value}
        super()._post_clean()  # type: ignore[misc]

    def spelled_keys(self) -> list[str]:
        return [self.cleaned_data["key"], *(key for key, _ in self.rest)]


class DefaultPatchForm(PatchForm):
    """Of the catalog: there is nothing below it to remove."""

    value: Any = ValueField(removable=False)


class PatchFormSet(TrackedFormSet):
    @property
    def is_catalog(self) -> bool:
        """Then all rows are of one component, and there is nothing below them."""
        return bool(self.fk.name == "component")

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        form.fields["value"].widget.inherited = partial(self.inherited, form)

    def inherited(self, form: Any) -> str:
        """For the rows that are there; a new one is told by the script, while it is typed."""
        component, key = form["component"].value(), form["key"].value()
        return inherited_text(self.below(), str(component or ""), key or "")

    def clean(self) -> None:
        """Instead of Django's look at what is unique, which has one message for the whole page."""
        if any(form.errors for form in self._living()):
            return
        for key, message in key_problems([*self._keys(), *self._keys_elsewhere()]):
            if key.form is not None:
                key.form.add_error("key", message)
        if self.refusal:
            self._tell_why()

    def _tell_why(self) -> None:
        """The change as a whole was refused: what a row has to do with it is said there, too."""
        for form in self._filled():
            if not form.has_changed():
                continue
            component = self.instance if self.is_catalog else form.cleaned_data["component"]
            here = frozenset(str(each.instance.pk) for each in self.initial_forms)
            row = Row(str(form.instance.pk), form["key"].value(), form["value"].value(), here)
            found = PatchCheck(self.instance, component, self.below(), row).problems()
            for name, problem in found.items():
                if problem:
                    form.add_error(name, problem)

    def _living(self) -> list[Any]:
        gone = self.deleted_forms
        return [form for form in self.forms if form not in gone]

    def _filled(self) -> list[Any]:
        """Not the rows that were added and left empty."""
        return [form for form in self._living() if form.is_valid() and form.cleaned_data]

    def _keys(self) -> Iterator[Key]:
        for form in self._filled():
            component = "" if self.is_catalog else form.cleaned_data["component"].pk
            for key in form.spelled_keys():
                yield Key(component, parse_key(key), form.instance.unset, form)

    def _keys_elsewhere(self) -> Iterator[Key]:
        if self.paginator.num_pages < 2:
            return
        here = [form.instance.pk for form in self.initial_forms]
        others = self.queryset.exclude(pk__in=here).order_by()
        for component, key, unset in others.values_list("component_id", "key", "unset"):
            yield Key("" if self.is_catalog else component, parse_key(key), unset)

    def save_new(self, form: Any, commit: bool = True) -> Any:
        return self._with_rest(form, super().save_new(form, commit))

    def save_existing(self, form: Any, obj: Any, commit: bool = True) -> Any:
        return self._with_rest(form, super().save_existing(form, obj, commit))

    def _with_rest(self, form: Any, row: Any) -> Any:
        fields = [field for field in row._meta.concrete_fields if not field.primary_key]
        alike = {field.attname: getattr(row, field.attname) for field in fields}
        for key, value in form.rest:
            type(row)(**alike | {"key": key, "value": value}).save()
        return row


class PatchInline(TrackedInline):
    form: Any = PatchForm
    formset: Any = PatchFormSet
    fields = ["component", "key", "value"]
    readonly_fields = ["exact_value"]
    autocomplete_fields = ["component"]
    verbose_name = "patch"
    verbose_name_plural = "patches"
    template_before = "admin/fleet/patches.html"

    class Media:
        css = {"all": ["values.css"]}
        js = ["values.js"]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        fields = list(super().get_fields(request, obj))
        if self.has_change_permission(request, obj):
            return fields
        return [*fields[:-1], "exact_value"]

    @admin.display(description="value")
    def exact_value(self, row: Any) -> str:
        """For those who may only look: as it is stored."""
        return "removes what is inherited" if row.unset else row.value
