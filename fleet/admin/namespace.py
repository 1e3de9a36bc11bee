from django.contrib import admin

from fleet.admin.base import TrackedAdmin, as_text
from fleet.admin.filters import UsedFilter
from fleet.models import Namespace


@admin.register(Namespace)
class NamespaceAdmin(TrackedAdmin):
    list_display = ["id", "label_text", "annotation_text"]
    list_filter = [UsedFilter]
    search_fields = ["id", "labels", "annotations", "description"]
    fields = ["id", "description", "labels", "annotations"]
    used_in = ["clusternamespace_set", "profilenamespace_set"]

    @admin.display(description="labels")
    def label_text(self, namespace: Namespace) -> str:
        return as_text(namespace.labels)

    @admin.display(description="annotations")
    def annotation_text(self, namespace: Namespace) -> str:
        return as_text(namespace.annotations)
