"""The log of what was changed: a list of sentences, and a page for each with all it did."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.html import format_html
from unfold.admin import ModelAdmin
from unfold.views import ChangeList

from fleet.admin.export import export_path, with_export_button
from fleet.admin.pages import admin_page, admin_path, redirect_missing
from fleet.admin.revert import may_revert, revert_view
from fleet.admin.revision_filters import (
    ActorFilter,
    ClusterFilter,
    ObjectFilter,
    SinceFilter,
    UntilFilter,
)
from fleet.admin.revision_rows import grouped_rows
from fleet.history.revision_rows import Written, page_of_rows, written_by
from fleet.history.snapshot import snapshot
from fleet.history.summaries import Story, stories
from fleet.models import Effect, Revision
from fleet.services.undo import reverted_by
from fleet.templatetags.fleet_times import moment

ROWS_PER_PAGE = 100
SHOWN_CLUSTERS = 100


class Log(ChangeList):
    """A page of revisions with their stories, read for all of them at once."""

    result_list: Any

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        page: list[Any] = list(self.result_list)
        told = stories(page)
        for revision in page:
            revision.story = told[revision.number]
        self.result_list = page


@admin.register(Revision)
class RevisionAdmin(ModelAdmin):
    """A record: it is read, and reverted by another, but never written."""

    list_display = ["number", "when", "who", "what", "because", "clusters", "source"]
    list_filter = [
        ActorFilter,
        ObjectFilter,
        ClusterFilter,
        SinceFilter,
        UntilFilter,
        "source",
        "actor_kind",
    ]
    list_filter_submit = True
    list_filter_sheet = True
    show_facets = admin.ShowFacets.NEVER  # would count the whole log for each choice
    list_per_page = 50
    search_fields = ["=number", "actor", "reason"]
    fields = ["number", "created_at", "actor", "actor_kind", "source", "reason", "reverts"]
    show_full_result_count = False

    class Media:
        css = {"all": ["changes.css"]}

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def export_columns(self, request: HttpRequest) -> list[Any]:
        """What is kept. A story is told for one page, and a log is as long as it is."""
        return ["number", "created_at", "actor", "actor_kind", "source", "reason"]

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ChangeList]:
        return Log

    @admin.display(ordering="created_at")
    def when(self, revision: Revision) -> str:
        return moment(revision.created_at)

    @admin.display(ordering="actor")
    def who(self, revision: Revision) -> str:
        kind = "" if revision.actor_kind == revision.actor else f" ({revision.actor_kind})"
        return f"{revision.actor}{kind}"

    @admin.display
    def what(self, revision: Any) -> str:
        story: Story = revision.story
        return format_html('<span class="story">{}</span>', story.sentence)

    @admin.display
    def clusters(self, revision: Any) -> str:
        return f"{revision.story.clusters:,}"

    @admin.display(description="because", ordering="reason")
    def because(self, revision: Revision) -> str:
        return format_html('<span class="because">{}</span>', revision.reason)

    def get_urls(self) -> list[URLPattern]:
        revert = admin_path(self, "<path:object_id>/revert/", revert_view, "revert")
        return [revert, export_path(self), *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        response = super().changelist_view(request, extra_context)
        return with_export_button(self, request, response)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        if object_id is None or request.method == "POST":
            return super().changeform_view(request, object_id, form_url, extra_context)
        if not self.has_view_permission(request):
            raise PermissionDenied
        with snapshot():
            revision = self.get_object(request, unquote(object_id))
            if revision is None:
                return redirect_missing(self, request, object_id)
            title = f"Revision {revision.number}"
            context = details(request, revision)
            return admin_page(self, request, "revision/detail", title, **context).render()


def details(request: HttpRequest, revision: Revision) -> dict[str, Any]:
    """A page of the rows that it wrote: one of an import has thousands."""
    tables = written_by([revision.number])[revision.number]
    paginator = Paginator(range(sum(table.count for table in tables)), ROWS_PER_PAGE)
    page = paginator.get_page(request.GET.get("page"))
    start = (page.number - 1) * ROWS_PER_PAGE
    rows = page_of_rows(revision.number, tables, start, ROWS_PER_PAGE)
    return {
        "original": revision,  # for the path to it in the header
        "revision": revision,
        "story": stories([revision])[revision.number],
        "reverted_by": reverted_by(revision),
        "may_revert": may_revert(request),
        "tables": [(_name(table), table.count) for table in tables],
        "clusters": list(_effects(revision)[:SHOWN_CLUSTERS]),
        "objects": grouped_rows(rows),
        "page": page,
        "pages": paginator.get_elided_page_range(page.number),
    }


def _effects(revision: Revision) -> QuerySet:
    return Effect.objects.filter(revision=revision).values_list("cluster_id", flat=True)


def _name(table: Written) -> str:
    meta = table.model._meta
    return str(meta.verbose_name if table.count == 1 else meta.verbose_name_plural)
