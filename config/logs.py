"""How log lines look: JSON for machines, plain text for a person at a terminal."""

import json
import logging
import time
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from fleet.web.request_id import WithRequestId

# What a LogRecord has by itself. Whatever else it has was given to the logger as `extra`.
RESERVED = {*vars(logging.makeLogRecord({})), "message", "asctime"}
# Django hands the whole request to its loggers, and its text has the query.
HIDDEN = {"request", "status_code"}
# Of a request, those that a person at a terminal wants beside the message.
SHOWN = ("ms", "database_ms", "queries", "actor", "revision", "request_id")

# Made once: `json.dumps` with options makes one for each call, which is half of what it costs.
encode = json.JSONEncoder(default=str).encode


class Lines(logging.Formatter):
    """A record as one line. `line` takes its parts, for who writes too many lines to make a record
    of each: the log of polls."""

    def format(self, record: logging.LogRecord) -> str:
        facts = {
            name: value
            for name, value in vars(record).items()
            if name not in RESERVED and name not in HIDDEN
        }
        if record.exc_info:
            facts["exc_info"] = self.formatException(record.exc_info)
        return self.line(record.created, record.levelname, record.name, record.getMessage(), facts)

    def line(
        self, moment: float, level: str, logger: str, message: str, facts: Mapping[str, Any]
    ) -> str:
        raise NotImplementedError


class JsonLines(Lines):
    def line(
        self, moment: float, level: str, logger: str, message: str, facts: Mapping[str, Any]
    ) -> str:
        when = f"{utc(int(moment))}.{int(moment % 1 * 1000):03}Z"
        return encode({"time": when, "level": level, "logger": logger, "message": message, **facts})


class TextLines(Lines):
    def line(
        self, moment: float, level: str, logger: str, message: str, facts: Mapping[str, Any]
    ) -> str:
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(moment))
        known = ((name, facts.get(name)) for name in SHOWN)
        shown = "".join(f" {name}={value}" for name, value in known if value is not None)
        text = f"{when},{int(moment % 1 * 1000):03} {level} {logger}: {message}{shown}"
        return f"{text}\n{facts['exc_info']}" if "exc_info" in facts else text


@lru_cache(maxsize=2)
def utc(second: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))


class RedactFilter(logging.Filter):
    """Takes out what others would log of a request: it is logged once, and without secrets."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name == "django.request":
            # A mere answer has its line already; an exception is logged here alone.
            return bool(record.exc_info)
        if record.name.startswith("django.security"):
            # The sentence says it all, and any client can provoke it.
            record.exc_info = None
        return True


def formatter(log_format: str) -> Lines:
    return JsonLines() if log_format == "json" else TextLines()


def logging_config(level: str, log_format: str) -> dict[str, Any]:
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": {"()": formatter, "log_format": log_format}},
        "filters": {"request_id": {"()": WithRequestId}, "redact": {"()": RedactFilter}},
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": "lines",
                "filters": ["request_id", "redact"],
            }
        },
        "root": {"handlers": ["console"], "level": level.upper()},
        "loggers": {
            # Without the handlers of their own that Django and gunicorn come with.
            "django": {"level": level.upper()},
            "gunicorn.error": {"level": level.upper(), "handlers": [], "propagate": True},
        },
    }
