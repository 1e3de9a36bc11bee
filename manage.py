#!/usr/bin/env python
import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    from config.environment import ConfigurationError
    from config.local_secrets import load_secrets

    try:
        load_secrets()
        execute_from_command_line(sys.argv)
    except ConfigurationError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
