"""Form fields and widgets that pages and inlines share."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from django import forms
from django.contrib.admin.widgets import AutocompleteSelect, RelatedFieldWidgetWrapper
from django.db import models
from django.forms.fields import InvalidJSONInput
from django.http import HttpRequest
from unfold.widgets import UnfoldAdminExpandableTextareaWidget

from fleet.models.fields import DescriptionField

MONOSPACE = {"style": "font-family: var(--font-mono); min-width: 10rem", "spellcheck": "false"}


class CodeWidget(UnfoldAdminExpandableTextareaWidget):
    """Grows with its text."""

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__({**MONOSPACE, **(attrs or {})})


class DocumentField(forms.JSONField):
    """JSON as people read it. What is empty (`""`, `[]`, `null`) becomes the field's default."""

    default: Callable[[], Any] = staticmethod(lambda: None)

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, InvalidJSONInput) or value is None:
            return value
        return json.dumps(value, indent=2, ensure_ascii=False)

    def bound_data(self, data: Any, initial: Any) -> Any:
        """Shown again exactly as it was typed, right or wrong."""
        return InvalidJSONInput(data or "")

    def to_python(self, value: Any) -> Any:
        try:
            return super().to_python(value)
        except (ValueError, RecursionError) as error:  # numbers too long, nesting too deep
            raise forms.ValidationError("Enter a valid JSON.", code="invalid") from error

    def clean(self, value: Any) -> Any:
        document = super().clean(value)
        return self.default() if document in self.empty_values else document


class NameSelect(AutocompleteSelect):
    """The id of a fleet object is its name, so the chosen one is shown without a query."""

    def optgroups(self, name: str, value: Sequence[str], attr: Any = None) -> list[Any]:
        chosen = [text for text in value if text]
        offered = chosen if self.is_required else ["", *chosen]
        options = [
            self.create_option(name, text, text, text in chosen, index)
            for index, text in enumerate(offered)
        ]
        return [(None, options, 0)]


class FleetFields:
    """For pages and inlines alike."""

    formfield_overrides = {
        models.JSONField: {"form_class": DocumentField, "widget": CodeWidget},
        models.TextField: {"widget": CodeWidget},
        # As prose: it grows with its text too.
        DescriptionField: {"widget": UnfoldAdminExpandableTextareaWidget},
    }
    admin_site: Any

    def formfield_for_foreignkey(
        self, db_field: Any, request: HttpRequest, **options: Any
    ) -> forms.Field | None:
        if db_field.name in self.get_autocomplete_fields(request):  # type: ignore[attr-defined]
            options.setdefault("widget", NameSelect(db_field, self.admin_site))
        return super().formfield_for_foreignkey(db_field, request, **options)  # type: ignore[misc]

    def formfield_for_dbfield(
        self, db_field: Any, request: HttpRequest, **options: Any
    ) -> forms.Field | None:
        field = super().formfield_for_dbfield(db_field, request, **options)  # type: ignore[misc]
        if isinstance(field, DocumentField):
            field.default = db_field.get_default
        if field and isinstance(field.widget, RelatedFieldWidgetWrapper):
            # Where one is chosen is not the place to add, rename or delete it.
            widget = field.widget
            widget.can_add_related = widget.can_change_related = False
            widget.can_delete_related = widget.can_view_related = False
        return field
