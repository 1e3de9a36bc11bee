"""What the launcher tells the person who started it."""

import os
import shlex

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import DatabaseError
from django.urls import reverse

from config.first_start import ADMIN
from fleet.models import Cluster

DEMO_DNS = "demo-cluster-01.k8s.example.com"
EVERY_INTERFACE = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104


def banner(generated: frozenset[str]) -> str:
    base = base_url()
    read_token = shown("AUTH_TOKEN", settings.AUTH_TOKENS[0], generated)
    rows = [("Read token", read_token)]
    if not settings.READ_ONLY:
        write_token = shown("CRUD_AUTH_TOKEN", settings.CRUD_AUTH_TOKENS[0], generated)
        rows = [
            ("Admin", base + reverse("admin:index")),
            ("Login", f"{ADMIN} / {admin_password(generated)}"),
            *rows,
            ("Write token", write_token),
        ]
    clusters = f"{base}/api/v2/flux/clusters"
    lines = [
        f"Flux Fleet ({settings.API_MODE}) on {base}",
        "",
        *(f"  {label:<13}{value}" for label, value in rows),
        "",
        "Try:",
        f"  curl -H {quoted(read_token)} {clusters}/{example_dns()}/platform-components",
        f"  curl -H {quoted(read_token)} {clusters}",
        "",
        *notes(),
        "Ctrl-C stops the server.",
    ]
    return "\n" + "\n".join(lines) + "\n\n"


def base_url() -> str:
    address = settings.LISTEN_ADDR
    return f"http://{EVERY_INTERFACE.get(address.host, address.host)}:{address.port}"


def shown(name: str, value: str, generated: frozenset[str]) -> str:
    """What its owner set stays out of the logs of a server that faces a network."""
    return value if name in generated or settings.LISTEN_ADDR.is_loopback else f"${name}"


def quoted(token: str) -> str:
    header = f"Authorization: Bearer {token}"
    return f'"{header}"' if token.startswith("$") else shlex.quote(header)


def admin_password(generated: frozenset[str]) -> str:
    """People change their password, and then ours would only mislead."""
    password = os.environ["ADMIN_PASSWORD"]
    if get_user_model().objects.get(username=ADMIN).check_password(password):
        return shown("ADMIN_PASSWORD", password, generated)
    return "the password that you chose"


def example_dns() -> str:
    """A replica starts also while its database is away: then the example is only an example."""
    try:
        if Cluster.objects.filter(dns=DEMO_DNS).exists():
            return DEMO_DNS
        first = Cluster.objects.order_by("pk").first()
    except DatabaseError:
        return DEMO_DNS
    return first.dns if first else DEMO_DNS


def notes() -> list[str]:
    notes = []
    if settings.HTTPS_ONLY:
        notes.append("HTTPS_ONLY is on: browsers need a TLS proxy in front of this address.")
    if settings.MEMORY_STORE:
        notes.append("STORE_BACKEND is memory: all data is gone when the server stops.")
    return notes
