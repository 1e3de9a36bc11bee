"""`flux-fleet` and its groups of commands."""

from typing import Annotated

import typer

from fleet_cli import __version__
from fleet_cli.commands import (
    clusters,
    components,
    contexts,
    declarative,
    demo,
    environments,
    namespaces,
    profiles,
    revisions,
    rolebindings,
    status,
    tokens,
)
from fleet_cli.contexts import Connection
from fleet_cli.session import Where

app = typer.Typer(
    name="flux-fleet",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Flux Fleet on the command line: what each cluster of a fleet should run.",
)


def tell_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"flux-fleet {__version__}")
        raise typer.Exit


@app.callback()
def root(
    ctx: typer.Context,
    api_url: Annotated[
        str, typer.Option(envvar="FLUX_API_URL", help="Where the server is.", show_envvar=True)
    ] = "",
    api_token: Annotated[
        str, typer.Option(envvar="FLUX_API_TOKEN", help="The token to read with.")
    ] = "",
    write_token: Annotated[
        str,
        typer.Option(
            envvar="FLUX_API_WRITE_TOKEN",
            help="The token to change with, if it is another.",
        ),
    ] = "",
    context: Annotated[
        str | None, typer.Option(help="A context of the configuration file, instead.")
    ] = None,
    debug: Annotated[bool, typer.Option(help="Show the HTTP exchange, without secrets.")] = False,
    version: Annotated[
        bool,
        typer.Option("--version", callback=tell_version, is_eager=True, help="Tell the version."),
    ] = False,
) -> None:
    ctx.obj = Where(Connection(api_url, api_token, write_token), context, debug)


for group in (
    clusters.app,
    components.app,
    namespaces.app,
    rolebindings.app,
    profiles.app,
    environments.app,
    revisions.app,
    tokens.app,
    contexts.app,
    demo.app,
):
    app.add_typer(group)
for add in (status.add, declarative.add, contexts.add):
    add(app)
