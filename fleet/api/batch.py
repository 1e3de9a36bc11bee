"""Several operations as one: all or none, one revision."""

import json
from collections.abc import Mapping
from io import BytesIO
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.http import Http404
from django.urls import resolve
from rest_framework.request import Request
from rest_framework.response import Response

from fleet.api.views import ON_WRITES, FleetView
from fleet.api.writes import Outcome, perform
from fleet.errors import FleetError, Invalid

METHODS = ("POST", "PUT", "PATCH", "DELETE")
FIELDS = ("method", "path", "body")
MAX_OPERATIONS = 1_000


class OperationRefused(FleetError):
    """One operation was refused, so none was carried out."""

    def __init__(self, index: int, status: int, body: Mapping[str, Any]) -> None:
        super().__init__(
            f"Operation {index}: {body.get('message', 'was refused')}",
            {"operation": index, "status": status, "refusal": body},
        )
        self.code = body.get("error", "conflict")
        self.status = status


class Batch(FleetView):
    """A list of `{method, path, body}`, carried out in order, all or none."""

    max_body = settings.MAX_BATCH_BODY
    in_batch = False

    def post(self, request: Request) -> Response:
        self.allow_parameters(*ON_WRITES)
        operations = _operations(request.data)

        def act() -> Outcome:
            return Outcome([_run(request, i, item) for i, item in enumerate(operations)])

        return perform(request, act)


def _operations(data: Any) -> list[Mapping[str, Any]]:
    problems: dict[str, list[str]] = {}
    if not isinstance(data, list) or not 0 < len(data) <= MAX_OPERATIONS:
        message = f"must be a list of 1 to {MAX_OPERATIONS} operations"
        raise Invalid(f"The body {message}.", {"body": [message]})
    for index, item in enumerate(data):
        if not isinstance(item, Mapping):
            problems[f"[{index}]"] = ["must be an object with method, path and body"]
            continue
        for name in sorted(set(item) - set(FIELDS), key=str):
            problems[f"[{index}].{name}"] = [f"is not a field here (allowed: {', '.join(FIELDS)})"]
        if item.get("method") not in METHODS:
            problems[f"[{index}].method"] = [f"must be one of: {', '.join(METHODS)}"]
        path = item.get("path")
        if not isinstance(path, str) or not path.startswith("/") or "//" in path.split("?")[0]:
            problems[f"[{index}].path"] = ["must be a path such as /clusters/demo-cluster-01"]
    if problems:
        first = next(iter(problems))
        raise Invalid(f"{first} {problems[first][0]}.", problems)
    return data


def _run(request: Request, index: int, operation: Mapping[str, Any]) -> dict[str, Any]:
    """Goes through the same view as a request of its own, inside the open change."""
    inner = _request(request, operation)
    try:
        match = resolve(inner.path_info)
    except Http404:
        raise Invalid(
            f"[{index}].path leads nowhere.", {f"[{index}].path": ["leads nowhere"]}
        ) from None
    view: Any = getattr(match.func, "view_class", None) or getattr(match.func, "cls", None)
    if view is None or not issubclass(view, FleetView) or not view.in_batch:
        message = "must lead to an object, a list or an act of the API"
        raise Invalid(f"[{index}].path {message}.", {f"[{index}].path": [message]})
    inner._force_auth_user = request.user  # type: ignore[attr-defined]
    response = match.func(inner, *match.args, **match.kwargs)
    if response.status_code >= 400:
        raise OperationRefused(index, response.status_code, response.data)
    return {"status": response.status_code, "body": response.data}


def _request(request: Request, operation: Mapping[str, Any]) -> WSGIRequest:
    address = urlsplit(operation["path"])
    body = json.dumps(operation["body"]).encode() if "body" in operation else b""
    kept = ("SERVER_NAME", "SERVER_PORT", "wsgi.url_scheme", "HTTP_HOST")
    return WSGIRequest(
        {
            **{name: request.META[name] for name in kept if name in request.META},
            "REQUEST_METHOD": operation["method"],
            # As WSGI has them: bytes, each as one character.
            "PATH_INFO": unquote_to_bytes(address.path).decode("latin-1"),
            "QUERY_STRING": address.query.encode().decode("latin-1"),
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": BytesIO(body),
        }
    )
