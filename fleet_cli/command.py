"""Registers a command with what many have in common: options, examples, and a session.

A command is a function of a session and its own parameters. `--output` and the options of writes
are added here, so that they are the same everywhere.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.markup import escape

from fleet_cli.session import Output, Session, Watching, Where, Writing

KEYWORD = inspect.Parameter.KEYWORD_ONLY
Body = Callable[..., None]

SHARED = "Everywhere"
ON_WRITES = "On changes"

CONTEXT = Annotated[
    str | None,
    typer.Option("--context", help="The context to use.", rich_help_panel=SHARED),
]
DEBUG = Annotated[
    bool,
    typer.Option(
        "--debug", help="Show the HTTP exchange, without secrets.", rich_help_panel=SHARED
    ),
]
OUTPUT = Annotated[
    Output,
    typer.Option("--output", "-o", help="How to print.", rich_help_panel=SHARED),
]
WATCH = Annotated[
    bool,
    typer.Option(
        "--watch",
        "-w",
        help="Print again whenever it changes; Ctrl-C ends it.",
        rich_help_panel=SHARED,
    ),
]
INTERVAL = Annotated[
    float,
    typer.Option(
        "--interval",
        min=0.2,
        help="Seconds between two looks of --watch.",
        rich_help_panel=SHARED,
    ),
]
DRY_RUN = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="Show what would change, and change nothing.", rich_help_panel=ON_WRITES
    ),
]
YES = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.", rich_help_panel=ON_WRITES)]
CONFIRM = Annotated[
    str | None,
    typer.Option(
        "--confirm",
        metavar="DIGEST",
        help="Go ahead if the plan is the one with this digest.",
        rich_help_panel=ON_WRITES,
    ),
]
REASON = Annotated[
    str,
    typer.Option("--reason", help="Why; it stands in the log.", rich_help_panel=ON_WRITES),
]


def parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, KEYWORD, annotation=annotation, default=default)


def shared_parameters(*, shows: bool, watches: bool, writes: bool) -> list[inspect.Parameter]:
    found = []
    if watches:
        found += [parameter("watch", WATCH, False), parameter("interval", INTERVAL, 2.0)]
    if writes:
        found += [
            parameter("dry_run", DRY_RUN, False),
            parameter("yes", YES, False),
            parameter("confirm", CONFIRM, None),
            parameter("reason", REASON, ""),
        ]
    if shows:
        found.append(parameter("output", OUTPUT, Output.TABLE))
    return [*found, parameter("context", CONTEXT, None), parameter("debug", DEBUG, False)]


def command(
    app: typer.Typer,
    name: str = "",
    *,
    examples: Sequence[str],
    shows: bool = True,
    watches: bool = False,
    writes: bool = False,
    arguments: Sequence[inspect.Parameter] = (),
    own: Sequence[inspect.Parameter] = (),
    help: str = "",
) -> Callable[[Body], Body]:
    """`arguments` and `own` options come as keywords, beside what the signature has."""

    def register(body: Body) -> Body:
        given = inspect.signature(body, eval_str=True).parameters.values()
        mine = [
            each.replace(kind=KEYWORD)
            for each in given
            if each.name != "session" and each.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        shared = shared_parameters(shows=shows, watches=watches, writes=writes)

        def run(ctx: typer.Context, **values: Any) -> None:
            options = {each.name: values.pop(each.name) for each in shared}
            session = session_of(ctx.obj, options)
            try:
                body(session, **values)
            finally:
                session.close()

        context = inspect.Parameter("ctx", KEYWORD, annotation=typer.Context)
        signature = inspect.Signature([context, *arguments, *mine, *own, *shared])
        run.__signature__ = signature  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()}
        run.examples = tuple(examples)  # type: ignore[attr-defined]
        text = help or inspect.getdoc(body) or ""
        app.command(
            name or body.__name__.replace("_", "-"),
            help=escape(text),
            epilog=epilog_of(examples),
        )(run)
        return body

    return register


def epilog_of(examples: Sequence[str]) -> str:
    title = "Examples:" if len(examples) > 1 else "Example:"
    return "\n\n".join([title, *(f"  {escape(example)}" for example in examples)])


def session_of(where: Where, options: dict[str, Any]) -> Session:
    where = replace(
        where,
        context=where.context if options["context"] is None else options["context"],
        debug=options["debug"] or where.debug,
    )
    session = Session(where, options.get("output", Output.TABLE))
    if "watch" in options:
        session.watching = Watching(options["watch"], options["interval"])
    if "dry_run" in options:
        names = ("dry_run", "yes", "confirm", "reason")
        session.writing = Writing(**{name: options[name] for name in names})
    return session
