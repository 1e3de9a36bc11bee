"""The id of the request that is being answered: in its log lines, and in its X-Request-ID."""

import logging
import random
import re
from contextvars import ContextVar

current: ContextVar[str] = ContextVar("request_id", default="")

# What a proxy sends is taken as it is; anything else could be there to confuse who reads the log.
WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{1,64}")


def taken_or_new(given: str) -> str:
    """An id is no secret: it needs to be another one each time, and to be had quickly."""
    if given and WELL_FORMED.fullmatch(given):
        return given
    return f"{random.getrandbits(128):032x}"


class WithRequestId(logging.Filter):
    """Adds the id to every line that is logged while a request is answered."""

    def filter(self, record: logging.LogRecord) -> bool:
        if request_id := current.get():
            record.request_id = request_id
        return True
