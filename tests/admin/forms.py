"""Fills in a page of the admin as a browser does."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection
from django.forms import NullBooleanSelect
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from fleet.history.change import Change


def url(model: Any, page: str, *args: str) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def open_form(model: Any, pk: str | None = None) -> dict[str, str]:
    """What the page posts when nothing is edited on it. Not rendered: that is what takes time."""
    request = RequestFactory().get("/")
    request.user = User(is_active=True, is_staff=True, is_superuser=True)
    page: Any = admin.site._registry[model].changeform_view(request, pk)
    context = page.context_data
    forms = [context["adminform"].form]
    for inline in context["inline_admin_formsets"]:
        forms += [inline.formset.management_form, *inline.formset.forms]
    return {name: text for form in forms for name, text in _posted(form)}


def _posted(form: Any) -> list[tuple[str, str]]:
    posted: list[tuple[str, str]] = []
    for field in form:
        value: Any = field.value()
        widget: Any = field.field.widget
        if hasattr(widget, "widgets_names"):
            parts = value if isinstance(value, list) else widget.decompress(value)
            names = [field.html_name + suffix for suffix in widget.widgets_names]
            posted += list(zip(names, parts, strict=True))
        elif isinstance(widget, NullBooleanSelect):
            posted.append((field.html_name, str(value)))
        elif value is True:
            posted.append((field.html_name, "on"))
        elif value is not None and value is not False:
            posted.append((field.html_name, str(value)))
    return posted


def add_row(data: dict[str, str], prefix: str, **fields: str) -> None:
    index = int(data[f"{prefix}-TOTAL_FORMS"])
    data.update({f"{prefix}-{index}-{name}": text for name, text in fields.items()})
    data[f"{prefix}-TOTAL_FORMS"] = str(index + 1)


def add_patch(
    data: dict[str, str], key: str, kind: str, text: str = "", *, component: str = "podinfo"
) -> None:
    add_row(data, "patches", component=component, key=key, **typed(kind, text))


def typed(kind: str, text: str = "") -> dict[str, str]:
    """What a browser sends of a value: for yes or no, the text is that of the select."""
    truth = text if kind == "boolean" else "true"
    lines = "\r\n".join(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    return {"value_kind": kind, "value_text": lines, "value_truth": truth}


def save(client: Client, model: Any, pk: str | None, data: dict[str, str]) -> Any:
    """As a person who looks at the preview and goes on, where that takes no more than a click."""
    page = url(model, "add") if pk is None else url(model, "change", pk)
    return go_on(client, client.post(page, data))


def is_preview(response: Any) -> bool:
    return response.status_code == 200 and "must_confirm" in (response.context or {})


def go_on(client: Client, response: Any, **said: str) -> Any:
    """Applies what a preview shows; `said` is what is typed there."""
    if not is_preview(response) or (response.context["must_confirm"] and not said):
        return response
    data: dict[str, Any] = {"_plan": response.context["digest"], **said}
    for name, value in response.context["form_data"]:
        data.setdefault(name, []).append(value)
    query = response.request.get("QUERY_STRING", "")
    return client.post(f"{response.request['PATH_INFO']}?{query}", data)


def errors(response: Any) -> str:
    """Everything that the page says is wrong."""
    assert response.status_code == 200
    return " ".join(str(error) for error in response.context["errors"])


def number_of(done: Change) -> int:
    assert done.revision is not None
    return done.revision.number


def told(response: Any) -> str:
    return " ".join(str(message) for message in response.context["messages"])


def queries_of(act: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as captured:
        act()
    return len(captured)


def page_queries(client: Client, page: str, asked: dict[str, Any] | None = None) -> int:
    def look() -> None:
        assert client.get(page, asked).status_code == 200

    return queries_of(look)
