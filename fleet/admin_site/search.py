"""Ctrl-K: the pages and all objects that match, in one query for each kind of object."""

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.auth.models import Group, User
from django.core.paginator import Paginator
from django.db.models import Case, IntegerField, QuerySet, Value, When
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import urlencode
from unfold.dataclasses import SearchResult

from fleet.admin_site.navigation import sidebar
from fleet.models import (
    Cluster,
    Component,
    Environment,
    Namespace,
    Profile,
    Revision,
    RoleBinding,
    Token,
)

SHOWN = 8  # of each kind; the list has the rest
LONGEST = 100

# Each kind with its icon and what to say of one beside its name.
KINDS: dict[Any, tuple[str, Callable[[Any], str]]] = {
    Cluster: ("dns", lambda it: f"Cluster · {it.environment_id} · {it.get_state_display()}"),
    Component: ("widgets", lambda it: f"Component · {_pin(it)}"),
    Profile: ("layers", lambda it: "Profile"),
    Environment: ("stairs", lambda it: "Environment"),
    Namespace: ("folder_open", lambda it: "Namespace"),
    RoleBinding: ("badge", lambda it: f"Role binding · {it.role}"),
    Token: ("key", lambda it: f"Token · {it.kind}"),
    Revision: ("history", lambda it: " · ".join(filter(None, (it.actor, it.reason[:80])))),
    User: ("person", lambda it: "User"),
    Group: ("group", lambda it: "Group"),
}


def _pin(component: Component) -> str:
    helm = component.kind == Component.Kind.HELM
    return component.component_version if helm else component.oci_tag


def search(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """The answer is never kept: it shows what is there, to whom may see it."""
    term = request.GET.get("s", "").replace("\x00", "").strip()[:LONGEST]
    if not term:
        return HttpResponse()
    started = perf_counter()
    found = [*_pages(request, term), *_objects(site, request, term)]
    results = Paginator(found, max(len(found), 1))
    context = {
        "page_obj": results,
        "results": results.page(1),
        "page_counter": 0,
        "execution_time": perf_counter() - started,
        "command_show_history": False,
    }
    template = "unfold/helpers/command_results.html"
    return TemplateResponse(request, template, context, headers={"HX-Trigger": "search"})


def _pages(request: HttpRequest, term: str) -> Iterator[SearchResult]:
    for group in sidebar(request):
        for item in group["items"]:
            if term.lower() in item["title"].lower():
                yield SearchResult(item["title"], "Page", item["link"], item["icon"])


def _objects(site: AdminSite, request: HttpRequest, term: str) -> Iterator[SearchResult]:
    for model, (icon, describe) in KINDS.items():
        page = site.get_model_admin(model)
        if not page.has_view_permission(request):
            continue
        # The rows alone: what the list adds to them is not shown here.
        matching, _ = page.get_search_results(request, model._default_manager.all(), term)
        found = list(_best_first(model, matching, term)[: SHOWN + 1])
        names = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        for item in found[:SHOWN]:
            link = reverse(f"{names}_change", args=[item.pk])
            yield SearchResult(
                str(item).capitalize() if model is Revision else str(item),
                describe(item),
                link,
                icon,
            )
        if len(found) > SHOWN:
            link = f"{reverse(f'{names}_changelist')}?{urlencode({'q': term})}"
            title = f"All {model._meta.verbose_name_plural} with “{term}”"
            yield SearchResult(title, "List", link, "list")


def _best_first(model: Any, matching: QuerySet, term: str) -> QuerySet:
    """Names that are or begin with the term before those that have it elsewhere."""
    if model is Revision:
        return matching.order_by("-number")
    name = "username" if model is User else "name" if model is Group else "id"
    closeness = Case(
        When(**{f"{name}__iexact": term}, then=Value(0)),
        When(**{f"{name}__istartswith": term}, then=Value(1)),
        default=Value(2),
        output_field=IntegerField(),
    )
    return matching.order_by(closeness, name)
