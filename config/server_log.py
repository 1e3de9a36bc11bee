"""gunicorn's own log in the format of ours."""

from logging.config import dictConfig
from typing import Any

from django.conf import settings
from gunicorn.glogging import Logger


class ServerLog(Logger):
    """By the setting `logconfig_dict`, gunicorn would also make a line of its access log for every
    request, whether or not anybody wants one: a fifth of what a poll costs."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        dictConfig(settings.LOGGING)
