"""`make run`: from nothing to a server, with secrets, a database and something to look at.

With --prepare it ends where the server would start: for a job that runs before the servers.
"""

import errno
import os
import socket
import sys
from collections.abc import Sequence
from typing import NoReturn

import django
from django.conf import settings
from django.db import connections

from config.environment import BASE_DIR, Address, ConfigurationError, process_environment
from config.local_secrets import load_secrets, make_secrets

PREPARE = "--prepare"


def main(arguments: Sequence[str]) -> None:
    if any(argument != PREPARE for argument in arguments):
        sys.exit(f"usage: python -m config.launch [{PREPARE}]")
    try:
        generated = set_defaults()
        # Only now: settings read the environment when they are imported.
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        django.setup()
        prepare(generated, serve=not arguments)
    except ConfigurationError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    if not arguments:
        become_server()


def set_defaults() -> frozenset[str]:
    """What `make run` adds to the environment; returns the names of the generated secrets."""
    env = process_environment()
    needed = ["SECRET_KEY", "AUTH_TOKEN"]
    if env.text("API_MODE").lower() != "read-only":
        needed += ["CRUD_AUTH_TOKEN", "ADMIN_PASSWORD"]
    make_secrets(needed)
    generated = load_secrets()
    # Nobody else can listen in on this machine's own traffic, and TLS would only be in the way.
    if not env.text("HTTPS_ONLY") and env.address("LISTEN_ADDR", "127.0.0.1:8080").is_loopback:
        os.environ["HTTPS_ONLY"] = "false"
    return generated


def prepare(generated: frozenset[str], *, serve: bool) -> None:
    # Not at the top: they need the models, which are there once Django is set up.
    from config.banner import banner  # noqa: PLC0415
    from config.first_start import prepare_store  # noqa: PLC0415

    if serve:
        check_port(settings.LISTEN_ADDR)
    prepare_store()
    if serve:
        sys.stdout.write(banner(generated))
    sys.stdout.flush()
    connections.close_all()


def check_port(address: Address) -> None:
    try:
        family, kind, protocol, _, name = socket.getaddrinfo(
            address.bare_host, address.port, type=socket.SOCK_STREAM
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            # As gunicorn does: a port whose last connections are just closing is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(name)
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        reason = "is in use by another program" if taken else f"cannot be used ({error.strerror})"
        raise ConfigurationError(
            f"LISTEN_ADDR is {str(address)!r}, which {reason}; "
            "it must name a free address of this machine."
        ) from error


def become_server() -> NoReturn:
    """Replace this process, so that signals and exit status are gunicorn's own."""
    # Its one use was the first start; the workers have no need to know it.
    os.environ.pop("ADMIN_PASSWORD", None)
    gunicorn = [sys.executable, "-m", "gunicorn", "-c", str(BASE_DIR / "config" / "gunicorn.py")]
    os.execv(sys.executable, gunicorn)  # noqa: S606


if __name__ == "__main__":
    main(sys.argv[1:])
