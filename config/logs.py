"""How log lines look: JSON for machines, plain text for a person at a terminal."""

import logging
import re
import time
from typing import Any

from pythonjsonlogger.core import RESERVED_ATTRS
from pythonjsonlogger.json import JsonFormatter

from fleet.request_id import WithRequestId

FACTS = ("ms", "database_ms", "queries", "actor", "revision", "request_id")
# The fixed words with which gunicorn begins; what follows quotes the client.
REFUSED = re.compile(r"Invalid request from ip=\S+: [A-Za-z ]*")


class JsonLines(JsonFormatter):
    def __init__(self) -> None:
        super().__init__(
            ("asctime", "levelname", "name", "message"),
            rename_fields={"asctime": "time", "levelname": "level", "name": "logger"},
            # Django hands the whole request to its loggers, and its text has the query.
            reserved_attrs=[*RESERVED_ATTRS, "request", "status_code"],
        )

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802
        seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        return f"{seconds}.{int(record.msecs):03}Z"


class TextLines(logging.Formatter):
    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        facts = ((name, getattr(record, name, None)) for name in FACTS)
        known = "".join(f" {name}={value}" for name, value in facts if value is not None)
        return super().formatMessage(record) + known


class Discreet(logging.Filter):
    """Takes out what others would log of a request: it is said once, and without secrets."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name == "django.request":
            # A mere answer has its line already; an exception is told here alone.
            return bool(record.exc_info)
        if record.name.startswith("django.security"):
            # The sentence says it all, and any client can provoke it.
            record.exc_info = None
        if record.name == "gunicorn.error":
            _without_quotes(record)
            _without_alarm(record)
        return True


def _without_alarm(record: logging.LogRecord) -> None:
    """The time-out of a client is no fault of ours."""
    if record.exc_info and isinstance(record.exc_info[1], BlockingIOError):
        record.msg = "A client stopped in the middle of its request, or of our answer"
        record.args = record.exc_info = None
        record.levelno, record.levelname = logging.WARNING, "WARNING"


def _without_quotes(record: logging.LogRecord) -> None:
    if found := REFUSED.match(str(record.msg)):
        record.msg = found[0].strip()
    elif str(record.msg).startswith("Error handling request") and isinstance(record.args, tuple):
        record.args = tuple(str(part).partition("?")[0] for part in record.args)


def formatter(log_format: str) -> logging.Formatter:
    return JsonLines() if log_format == "json" else TextLines()


def logging_config(level: str, log_format: str) -> dict[str, Any]:
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": {"()": formatter, "log_format": log_format}},
        "filters": {"request_id": {"()": WithRequestId}, "discreet": {"()": Discreet}},
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": "lines",
                "filters": ["request_id", "discreet"],
            }
        },
        "root": {"handlers": ["console"], "level": level.upper()},
        # Without the handlers of its own that Django comes with.
        "loggers": {"django": {"level": level.upper()}},
    }
