#!/usr/bin/env python
import os
import sys

from django.conf import settings
from django.core.management import execute_from_command_line
from django.db import Error

from config.environment import ConfigurationError
from config.local_secrets import load_secrets


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        load_secrets()
        execute_from_command_line(sys.argv)
    except ConfigurationError as error:
        sys.exit(f"error: {error}")
    except Error as error:
        if not settings.READ_ONLY:
            raise
        # It is the database that refuses a write, so no command can be forgotten here.
        reason = " ".join(str(error).split())
        sys.exit(f"error: With API_MODE=read-only the database refuses this command: {reason}.")


if __name__ == "__main__":
    main()
