"""When a token was last used. Noted in memory and written by a thread, at most once a minute.

A request never waits for this: on SQLite, a write would wait for the writer of the hour. Neither
does the read plane write anything: tokens that are used only there show no use.
"""

import logging
import threading
from datetime import datetime

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.models import Q
from django.utils import timezone

from fleet.models import TokenKey

logger = logging.getLogger(__name__)

SECONDS = 60
CHUNK = 500

# No more than there are keys.
_noted: dict[str, datetime] = {}


def note(key: str) -> None:
    if not settings.READ_ONLY:
        _noted[key] = timezone.now()


def start() -> None:
    """Once in each worker, after the fork: a thread does not live through one."""
    threading.Thread(target=_run, name="token-usage", daemon=True).start()


def _run() -> None:
    pause = threading.Event()
    while not pause.wait(SECONDS):
        try:
            write()
        except (DatabaseError, InterfaceError):
            logger.warning("The last use of tokens could not be written; the next minute will do.")
        finally:
            connection.close()


def write() -> None:
    """Each token has one row written, whatever the number of requests and of workers."""
    noted = {key: _noted.pop(key) for key in list(_noted)}
    by_moment: dict[datetime, list[str]] = {}
    for key, moment in noted.items():
        by_moment.setdefault(moment.replace(second=0, microsecond=0), []).append(key)
    for moment, keys in by_moment.items():
        for start in range(0, len(keys), CHUNK):
            stale = Q(last_used=None) | Q(last_used__lt=moment)
            chosen = TokenKey.objects.filter(stale, pk__in=keys[start : start + CHUNK])
            chosen.update(last_used=moment)
