"""For a link to a plan that takes long: a page that asks for it, and shows how far it has come."""

from django.http import HttpRequest
from django.template.response import TemplateResponse
from unfold.admin import ModelAdmin

from fleet.admin.pages import admin_page
from fleet.admin_site.site import many_clusters
from fleet.web import long_work

# In an address: the plan itself, however long it takes.
WAIT = "_wait"


def may_take_long(request: HttpRequest) -> bool:
    waits = long_work.is_wanted(request) or WAIT in request.GET
    return not waits and many_clusters()


def working_page(model_admin: ModelAdmin, request: HttpRequest, title: str) -> TemplateResponse:
    query = request.GET.copy()
    query[WAIT] = "1"
    return admin_page(model_admin, request, "working", title, query=query.urlencode())
