"""Revision numbers as they come in."""

import re
from collections.abc import Mapping
from typing import Any

from rest_framework.request import Request

from fleet.errors import Invalid
from fleet.resources.fields import whole
from fleet.resources.problems import describe

MAX_NUMBER = 2**63 - 1
NUMBER = re.compile("[0-9]{1,19}")


def revision_number(request: Request, name: str, default: int | None) -> int:
    text = request.query_params.get(name)
    if text is None and default is not None:
        return default
    if text is None or not (NUMBER.fullmatch(text) and int(text) <= MAX_NUMBER):
        message = "must be the number of a revision"
        raise Invalid(f"{name} {message}.", {name: [message]})
    return int(text)


def required_number(body: Mapping[str, Any], name: str) -> int:
    unknown = sorted(set(body) - {name})
    if unknown:
        raise Invalid(f"{unknown[0]} is not a field here.", {unknown[0]: ["is not a field here"]})
    value = whole(body.get(name))
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_NUMBER:
        message = f"must be the number of a revision, not {describe(value)}"
        raise Invalid(f"{name} {message}.", {name: [message]})
    return value
