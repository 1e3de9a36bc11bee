"""What all views of the API share, and the two views that each kind of object has."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.conf import settings
from django.http import HttpResponseBase
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from fleet.access.authentication import ReadsOrChanges
from fleet.api.filters import apply_filters
from fleet.api.openapi.schema import FleetSchema
from fleet.api.pagination import PAGING, paginate
from fleet.api.parsing import MergePatchParser, StrictJSONParser, receive
from fleet.api.writes import Outcome, perform
from fleet.errors import Invalid
from fleet.history.snapshot import snapshot
from fleet.models.sections import SECTION_MODELS
from fleet.resources.problems import suggestion
from fleet.resources.showing import documents_of
from fleet.services.objects import (
    object_create,
    object_delete,
    object_document,
    object_patch,
    object_update,
)
from fleet.web.etags import conditional, etag_of, require_match

ON_WRITES = ("dry_run", "confirm", "expect")


class FleetView(APIView):
    schema = FleetSchema()
    permission_classes = [ReadsOrChanges]
    parser_classes = [StrictJSONParser, MergePatchParser]
    # Only for the form of the browsable API: lists call apply_filters().
    filter_backends = [DjangoFilterBackend]
    max_body = settings.MAX_BODY
    # Whether it may be an operation of a batch.
    in_batch = True

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        receive(request, self.max_body)

    def allow_parameters(self, *names: str) -> None:
        """A misspelt parameter must not be passed over: `dry_rum` would be a real write."""
        query = self.request.query_params
        problems = {
            name: ["is not a parameter here" + suggestion(name, names)]
            for name in query
            if name not in names
        }
        problems |= {
            name: ["is given more than once"]
            for name, values in query.lists()
            if len(values) > 1 and name in names
        }
        if problems:
            first = next(iter(problems))
            raise Invalid(f"{first} {problems[first][0]}.", problems)

    def answer(self, document: Any) -> HttpResponseBase:
        """An object with its ETag; 304 where the client has it already."""
        etag = etag_of(document)
        return conditional(self.request, Response(document, headers={"ETag": etag}), etag)


def body_of(request: Request) -> Mapping[str, Any]:
    if request.stream is None:
        raise Invalid("A body is needed: an object.", {"body": ["is missing"]})
    if not isinstance(request.data, Mapping):
        raise Invalid("The body must be an object.", {"body": ["must be an object"]})
    return request.data


def refuse_body(request: Request) -> None:
    """What is said there must not be passed over: `{"dry_run": true}` would be a real write."""
    if request.data not in ({}, None):
        raise Invalid("This takes no body.", {"body": ["must be empty"]})


class SectionList(FleetView):
    """`GET` lists, `POST` creates."""

    section: ClassVar[str]
    filterset_class: ClassVar[Any]

    def get_queryset(self) -> Any:
        return SECTION_MODELS[self.section].objects.all()

    def get(self, request: Request) -> Response:
        with snapshot():
            chosen = apply_filters(self.filterset_class, request, self.get_queryset(), *PAGING)
            page = paginate(request, chosen.values_list("pk", flat=True))
            return Response(documents_of(self.section, page.items), headers=page.headers)

    def post(self, request: Request) -> Response:
        self.allow_parameters(*ON_WRITES)
        return perform(request, lambda: self.create(body_of(request)))

    def create(self, document: Mapping[str, Any]) -> Outcome:
        created = object_create(section=self.section, document=document)
        [shown] = documents_of(self.section, [created.pk])
        address = self.request.build_absolute_uri(f"/{self.section}/{created.pk}")
        return Outcome(shown, 201, {"Location": address, "ETag": etag_of(shown)})


class SectionDetail(FleetView):
    """`GET`, `PUT`, `PATCH` and `DELETE` one object."""

    section: ClassVar[str]

    def get_queryset(self) -> Any:
        return SECTION_MODELS[self.section].objects.all()

    def document(self, item_id: str) -> dict[str, Any]:
        return object_document(section=self.section, id=item_id)

    def get(self, request: Request, item_id: str) -> HttpResponseBase:
        self.allow_parameters()
        with snapshot():
            return self.answer(self.document(item_id))

    def put(self, request: Request, item_id: str) -> Response:
        self.allow_parameters(*ON_WRITES)
        document = body_of(request)

        def act() -> Outcome:
            require_match(request, lambda: self.document(item_id))
            object_update(section=self.section, id=item_id, document=document)
            return self.shown(item_id)

        return perform(request, act)

    def patch(self, request: Request, item_id: str) -> Response:
        self.allow_parameters(*ON_WRITES)
        patch = body_of(request)

        def act() -> Outcome:
            require_match(request, lambda: self.document(item_id))
            object_patch(section=self.section, id=item_id, patch=patch)
            return self.shown(item_id)

        return perform(request, act)

    def delete(self, request: Request, item_id: str) -> Response:
        self.allow_parameters(*ON_WRITES)
        refuse_body(request)

        def act() -> Outcome:
            document = self.document(item_id)
            require_match(request, lambda: document)
            return Outcome(self.remove(item_id, document))

        return perform(request, act)

    def remove(self, item_id: str, document: dict[str, Any]) -> dict[str, Any]:
        """What was deleted."""
        object_delete(section=self.section, id=item_id)
        return document

    def shown(self, item_id: str) -> Outcome:
        document = self.document(item_id)
        return Outcome(document, 200, {"ETag": etag_of(document)})
