from typing import Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from fleet.desired_state.values import ValueProblem, check_text
from fleet.strict_json import BadJSON, parse_json
from fleet.web.errors import TooLarge


def read_body(stream: Any, limit: int) -> bytes:
    try:
        body = stream.read(limit + 1)
    except Exception:  # Of what kind is for each server to say.
        raise ParseError("The body breaks off, or is not what its headers say.") from None
    if len(body) > limit:
        raise TooLarge(f"The body is larger than {limit} bytes.")
    return body


def receive(request: Request, limit: int) -> None:
    """Before anything is read."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if length.isdigit() and int(length) > limit:
        raise TooLarge(f"The body is larger than {limit} bytes.")


class StrictJSONParser(BaseParser):
    """JSON that says one clear thing, of a bounded size."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        limit = parser_context["view"].max_body if parser_context else settings.MAX_BODY
        try:
            value = parse_json(read_body(stream, limit))
            _check_texts(value)
        except (BadJSON, ValueProblem) as problem:
            raise ParseError(f"The body is not JSON that we can read: {problem}.") from None
        return value


class MergePatchParser(StrictJSONParser):
    media_type = "application/merge-patch+json"


def _check_texts(value: Any) -> None:
    """No text may hold what a database or Flux cannot carry."""
    if isinstance(value, str):
        check_text(value)
    elif isinstance(value, dict):
        for key, child in value.items():
            check_text(key)
            _check_texts(child)
    elif isinstance(value, list):
        for child in value:
            _check_texts(child)
