"""Ids from the server, for the shell. A shell that waits for Tab wants no error, and no delay."""

from collections.abc import Callable
from typing import Any

import httpx
import typer

from fleet_cli.api import Api
from fleet_cli.contexts import Connection, choose
from fleet_cli.errors import CliError

TIMEOUT = httpx.Timeout(3)
MOST = 200

Completion = Callable[[typer.Context, str], list[str]]


def ids_of(path: str, *, key: str = "id", secret: bool = False) -> Completion:
    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        try:
            api = Api(_connection(ctx), timeout=TIMEOUT)
            search = [("search", incomplete)] if incomplete and key == "id" else []
            found = api.get(path, [("limit", str(MOST)), *search], secret=secret).data
        except CliError:
            return []
        return [str(item[key]) for item in found if str(item[key]).startswith(incomplete)]

    return complete


def _connection(ctx: typer.Context) -> Connection:
    """As for the command itself; the options before it may be on any level."""
    given: dict[str, Any] = {}
    level: typer.Context | None = ctx
    while level is not None:
        given = {**level.params, **given}
        level = level.parent  # type: ignore[assignment]
    connection = Connection(
        *(given.get(name) or "" for name in ("api_url", "api_token", "write_token"))
    )
    return choose(connection, given.get("context"))


clusters = ids_of("/clusters")
components = ids_of("/platform_components")
environments = ids_of("/environments")
namespaces = ids_of("/namespaces")
profiles = ids_of("/profiles")
rolebindings = ids_of("/rolebindings")
revisions = ids_of("/revisions", key="number")
tokens = ids_of("/tokens", secret=True)
