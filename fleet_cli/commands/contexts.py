"""`login` and `context`: servers by name, in a file that only its owner can read."""

import sys
from typing import Annotated

import typer

from fleet_cli import contexts
from fleet_cli.api import Api
from fleet_cli.command import command
from fleet_cli.contexts import NAME, Connection
from fleet_cli.errors import WrongUsage
from fleet_cli.output import show_list
from fleet_cli.session import Session
from fleet_cli.tables import Column

COLUMNS = (
    Column("CURRENT", lambda it: "*" if it["current"] else ""),
    Column("NAME", lambda it: it["name"]),
    Column("SERVER", lambda it: it["api_url"], flexible=True),
    Column("MAY CHANGE", lambda it: it["own_write_token"], wide=True),
)

app = typer.Typer(name="context", help="Servers by name.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(autocompletion=lambda: list(contexts.load().contexts))]


def add(root: typer.Typer) -> None:
    @command(
        root,
        examples=[
            "flux-fleet login $FLUX_API_URL --name demo",
            "flux-fleet login $FLUX_API_URL --name ci --token-stdin < token.txt",
        ],
        shows=False,
    )
    def login(
        session: Session,
        url: Annotated[str, typer.Argument(help="Where the server is.")],
        name: Annotated[str, typer.Option(help="What to call it.")] = "default",
        token_stdin: Annotated[
            bool, typer.Option("--token-stdin", help="Read the token from standard input.")
        ] = False,
    ) -> None:
        """Keep a server and a token under a name, and use it from now on.

        Asks for the token. A second one to make changes with can be given too.
        """
        if not NAME.fullmatch(name):
            raise WrongUsage(f"--name {name!r} must be letters, digits, dots and hyphens.")
        token, write_token = ask_tokens(stdin=token_stdin)
        connection = Connection(url.rstrip("/"), token, write_token)
        check(session, connection)
        configuration = contexts.load()
        configuration.contexts[name] = connection
        configuration.current = name
        contexts.save(configuration)
        session.tell(f"Logged in to {connection.api_url}; this is context {name} from now on.")


def ask_tokens(*, stdin: bool) -> tuple[str, str]:
    if stdin:
        token = sys.stdin.readline().strip()
        write_token = sys.stdin.readline().strip()
    else:
        if not sys.stdin.isatty():
            raise WrongUsage("There is nobody to ask for the token.", "Say --token-stdin.")
        token = typer.prompt("Token", hide_input=True).strip()
        prompt = "Token for changes (Enter if it is the same)"
        write_token = typer.prompt(prompt, hide_input=True, default="", show_default=False).strip()
    if not token:
        raise WrongUsage("The token is empty.")
    return token, write_token


def check(session: Session, connection: Connection) -> None:
    """Both tokens are asked for something that each reader may have."""
    for token in {connection.reading, connection.writing}:
        api = Api(Connection(connection.api_url, token), show_exchange=session.where.debug)
        api.get("/environments")
        api.close()


@command(app, "list", examples=["flux-fleet context list"])
def list_contexts(session: Session) -> None:
    """List the contexts; never their tokens."""
    configuration = contexts.load()
    found = [
        {
            "name": name,
            "api_url": connection.api_url,
            "current": name == configuration.current,
            "own_write_token": bool(connection.write_token),
        }
        for name, connection in sorted(configuration.contexts.items())
    ]
    empty = "There are none yet: flux-fleet login URL"
    show_list(session, found, COLUMNS, key="name", empty=empty)


@command(app, examples=["flux-fleet context use demo"], shows=False)
def use(session: Session, name: Name) -> None:
    """Use this context from now on."""
    configuration = contexts.load()
    configuration.get(name)
    configuration.current = name
    contexts.save(configuration)
    session.tell(f"Context {name} is used from now on.")


@command(app, examples=["flux-fleet context delete demo"], shows=False)
def delete(session: Session, name: Name) -> None:
    """Forget a context and its tokens."""
    configuration = contexts.load()
    configuration.get(name)
    del configuration.contexts[name]
    if configuration.current == name:
        configuration.current = ""
    contexts.save(configuration)
    session.tell(f"Context {name} is forgotten.")
