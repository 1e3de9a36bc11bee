"""Django's SQLite backend, whose connections last and yet notice another file in their place.

To open one takes longer than a poll. But a connection that lasts goes on reading the file that it
opened, even after a restore has put another there.
"""

import os
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit

from django.db.backends.sqlite3 import base

File = tuple[int, int]


def file_at(name: str) -> File:
    """Which file is there now; OSError where there is none."""
    status = os.stat(path_of(name))
    return status.st_dev, status.st_ino


@cache
def path_of(name: str) -> str:
    """Of a path, or of the `file:` address of one."""
    return unquote(urlsplit(name).path) if name.startswith("file:") else name


class DatabaseWrapper(base.DatabaseWrapper):
    file: File | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        # First: one that is replaced just now is then noticed.
        self.file = self._file()
        return super().get_new_connection(conn_params)

    def is_usable(self) -> bool:
        """Asked after an error: that may be of this connection alone, which SQLite opened read-only
        while the file was."""
        return False

    def close_if_unusable_or_obsolete(self) -> None:
        """Called by Django as each request begins and ends."""
        if self.connection is not None and self._file() != self.file:
            self.close()
        super().close_if_unusable_or_obsolete()

    def _file(self) -> File | None:
        try:
            return file_at(self.settings_dict["NAME"])
        except OSError:
            return None
