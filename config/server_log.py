"""gunicorn's own log in the format of ours."""

from typing import Any

from django.conf import settings
from gunicorn.glogging import Logger

from config.logs import Discreet, formatter
from fleet.request_id import WithRequestId


class ServerLog(Logger):
    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(formatter(settings.LOG_FORMAT))
            for known in (WithRequestId(), Discreet()):
                handler.addFilter(known)
