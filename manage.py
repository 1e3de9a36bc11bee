#!/usr/bin/env python
import os
import sys

# What SQLite and PostgreSQL say, the latter also to a role without the right.
REFUSALS = ("readonly database", "read-only transaction", "permission denied")


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line
    from django.db import Error

    from config.environment import ConfigurationError
    from config.local_secrets import load_secrets

    try:
        load_secrets()
        execute_from_command_line(sys.argv)
    except ConfigurationError as error:
        sys.exit(f"error: {error}")
    except Error as error:
        if not refused_as_read_only(error):
            raise
        reason = " ".join(str(error).split())
        sys.exit(f"error: API_MODE is read-only, and this command writes ({reason}).")


def refused_as_read_only(error: Exception) -> bool:
    """It is the database that refuses, so no command can be forgotten here."""
    from django.conf import settings

    return settings.READ_ONLY and any(words in str(error) for words in REFUSALS)


if __name__ == "__main__":
    main()
