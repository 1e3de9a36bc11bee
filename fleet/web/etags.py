import hashlib
import json
from collections.abc import Callable
from typing import Any

from django.http import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import parse_etags
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response

from fleet.desired_state.inherited_enabled import without_inherited


class PreconditionFailed(APIException):
    status_code = 412
    default_detail = "It has changed since you read it. Read it again, then repeat your change."


def etag_of(document: Any) -> str:
    """Strong, by content: the same object has the same ETag, whichever server answers. What it only
    inherits is not its own: that changes without it."""
    text = json.dumps(
        without_inherited(document), sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def conditional(request: Request, response: Response, etag: str) -> HttpResponseBase:
    """304 where the client has the answer already."""
    answer = get_conditional_response(request._request, etag=etag, response=response)
    if answer is not None and answer.status_code == PreconditionFailed.status_code:
        raise PreconditionFailed  # Django's has no body.
    return answer or response


def require_match(request: Request, read: Callable[[], Any]) -> None:
    """If-Match and If-None-Match of a write, checked under the lock of the change: of two writers
    one wins. Without them nothing is read. No document: there is no such object."""
    wanted, unwanted = request.headers.get("If-Match"), request.headers.get("If-None-Match")
    if wanted is None and unwanted is None:
        return
    document = read()
    etag = None if document is None else etag_of(document)
    if wanted is not None and not _names(wanted, etag):
        raise PreconditionFailed
    if unwanted is not None and _names(unwanted.replace("W/", ""), etag):
        raise PreconditionFailed


def _names(header: str, etag: str | None) -> bool:
    """“*” is any object that is there."""
    given = parse_etags(header)
    return etag is not None and (given == ["*"] or etag in given)
