"""One shape for everything that can go wrong: {"error", "message", "details"}."""

import logging
import math
import uuid
from typing import Any

from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig
from django.core.exceptions import SuspiciousOperation as Suspicious
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.views import csrf, defaults
from rest_framework import exceptions, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView, set_rollback

from fleet.errors import ConfirmationRequired, FleetError, PlanChanged
from fleet.plans.formats import plan_document
from fleet.web.negotiation import JSONUnlessAskedOtherwise

logger = logging.getLogger("fleet.api")

STATUSES = {
    "validation_error": status.HTTP_400_BAD_REQUEST,
    "forbidden": status.HTTP_403_FORBIDDEN,
    "not_found": status.HTTP_404_NOT_FOUND,
    "conflict": status.HTTP_409_CONFLICT,
    "confirmation_required": status.HTTP_409_CONFLICT,
    "plan_changed": status.HTTP_409_CONFLICT,
    "internal_error": status.HTTP_500_INTERNAL_SERVER_ERROR,
}
CODES = {
    400: "validation_error",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    412: "precondition_failed",
    413: "too_large",
    415: "unsupported_media_type",
    429: "too_many_requests",
}


class NotFoundView(APIView):
    """What is at an address where nothing is: JSON, or a page for a browser."""

    authentication_classes = []
    permission_classes = []
    content_negotiation_class = JSONUnlessAskedOtherwise
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        raise Http404


class TooLarge(exceptions.APIException):
    status_code = 413
    default_code = "too_large"


def error_body(code: str, message: str, details: Any = None) -> dict[str, Any]:
    return {"error": code, "message": message, "details": details or {}}


def exception_handler(error: Exception, context: dict[str, Any]) -> Response:
    """For everything that is raised in a view. Never a stack trace, never a shorter answer."""
    set_rollback()
    error = _as_known(error)
    if isinstance(error, exceptions.APIException):
        return _known(error)
    if isinstance(error, FleetError):
        return _refused(error)
    if isinstance(error, OperationalError | InterfaceError):
        logger.exception("The database failed")
        return unavailable()
    return Response(_unexpected(error), status.HTTP_500_INTERNAL_SERVER_ERROR)


def unavailable() -> Response:
    body = error_body("unavailable", "The database does not answer. Try again soon.")
    return Response(body, status.HTTP_503_SERVICE_UNAVAILABLE, headers={"Retry-After": "5"})


def _as_known(error: Exception) -> Exception:
    """What Django raises about a request, as DRF would."""
    if isinstance(error, Http404):
        return exceptions.NotFound("There is nothing at this address.")
    if isinstance(error, PermissionDenied):
        return exceptions.PermissionDenied()
    if isinstance(error, RequestDataTooBig):
        return TooLarge("The body is too large.")
    if isinstance(error, Suspicious | BadRequest | MultiPartParserError | UnreadablePostError):
        return exceptions.ParseError("The request is malformed.")
    return error


def _known(error: exceptions.APIException) -> Response:
    code = CODES.get(error.status_code, "internal_error")
    detail = error.detail
    message = str(detail) if isinstance(detail, str) else "The request cannot be understood."
    headers = {}
    if getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = error.auth_header  # type: ignore[attr-defined]
    wait = getattr(error, "wait", None)
    if wait is not None:
        headers["Retry-After"] = str(math.ceil(wait))
    details = detail if isinstance(detail, dict) else {}
    return Response(error_body(code, message, details), error.status_code, headers=headers)


def _refused(error: FleetError) -> Response:
    details = error.details
    if isinstance(error, ConfirmationRequired | PlanChanged):
        details = {"digest": error.plan.digest, "plan": plan_document(error.plan)}
    # An operation of a batch brings the status that it had by itself.
    status_code = getattr(error, "status", None) or STATUSES.get(error.code, 400)
    return Response(error_body(error.code, error.message, details), status_code)


def _unexpected(error: Exception) -> dict[str, Any]:
    """The log has the whole story under the id; the client only gets the id."""
    error_id = uuid.uuid4().hex[:12]
    logger.error("Unexpected error %s", error_id, exc_info=error)
    message = f"Something went wrong on our side. The log has it as {error_id}."
    return error_body("internal_error", message, {"id": error_id})


def _in_admin(request: HttpRequest) -> bool:
    return not settings.READ_ONLY and request.path.startswith(("/admin", "/api/auth/"))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _in_admin(request):
        return defaults.bad_request(request, exception)
    return JsonResponse(error_body("validation_error", "The request is malformed."), status=400)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _in_admin(request):
        return defaults.permission_denied(request, exception)
    return JsonResponse(error_body("forbidden", "You may not do this."), status=403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    if _in_admin(request):
        return csrf.csrf_failure(request, reason)
    return JsonResponse(error_body("forbidden", reason or "The CSRF check failed."), status=403)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _in_admin(request):
        return defaults.page_not_found(request, exception)
    return NotFoundView.as_view()(request).render()


def server_error(request: HttpRequest) -> HttpResponse:
    """For what is raised outside a view, in a middleware say. Django has logged it."""
    if _in_admin(request):
        return defaults.server_error(request)
    message = "Something went wrong on our side."
    return JsonResponse(error_body("internal_error", message), status=500)
