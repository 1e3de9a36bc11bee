"""Tokens for clusters, pipelines and dashboards. A secret is shown once, when it is made."""

from typing import Annotated, Any

import typer

from fleet_cli import completion
from fleet_cli.api import Answer, Request, path_of
from fleet_cli.command import command
from fleet_cli.output import show_document, show_list, watched, write_text
from fleet_cli.resources import Field, Kind, Resource
from fleet_cli.session import Output, Session
from fleet_cli.tables import Column
from fleet_cli.writes import carry_out_directly

TOKEN = Resource(
    name="token",
    section="tokens",
    completion=completion.tokens,
    help="Tokens for clusters, pipelines and dashboards.",
    columns=(
        Column("ID", lambda it: it["id"]),
        Column("KIND", lambda it: it["kind"]),
        Column("CLUSTER", lambda it: it["cluster"]),
        Column("ENVIRONMENTS", lambda it: it["environments"]),
        Column("EXPIRES", lambda it: it["expires_at"]),
        Column("LAST USED", lambda it: last_used(it), flexible=True),
        Column(
            "PREFIXES", lambda it: [key["prefix"] for key in it["keys"]], wide=True, flexible=True
        ),
    ),
    fields=(
        Field("kind", "--kind", "cluster, reader, operator or enrolment."),
        Field("cluster", "--cluster", "Whose token.", completion=completion.clusters),
        Field(
            "environments",
            "--environment",
            "The only environments that an operator may change, or that new clusters join.",
            Kind.LIST,
            completion.environments,
        ),
        Field("expires_at", "--expires-at", "Until when, such as 2030-01-31T12:00:00Z."),
        Field("labels", "--label", "Enrolment: a label that new clusters get.", Kind.MAP),
        Field(
            "profiles",
            "--profile",
            "Enrolment: a profile that new clusters are listed in.",
            Kind.LIST,
            completion.profiles,
        ),
        Field(
            "needs_approval", "--needs-approval", "Enrolment: new clusters wait first.", Kind.FLAG
        ),
        Field("max_uses", "--max-uses", "Enrolment: for so many clusters.", Kind.NUMBER),
    ),
    filters=(
        Field("kind", "--kind", "cluster, reader, operator or enrolment."),
        Field("cluster", "--cluster", "Of this one.", completion=completion.clusters),
        Field("search", "--search", "Text in ids."),
    ),
)
Id = Annotated[str, typer.Argument(metavar="TOKEN", autocompletion=completion.tokens)]

app = TOKEN.app()


def last_used(token: dict[str, Any]) -> str | None:
    return max((key["last_used"] for key in token["keys"] if key["last_used"]), default=None)


@command(
    app,
    "list",
    examples=["flux-fleet token list --kind cluster"],
    watches=True,
    own=[field.parameter() for field in TOKEN.filters],
)
def list_tokens(session: Session, **values: Any) -> None:
    """List tokens, without their secrets."""
    parameters = TOKEN.parameters(values)
    watched(
        session,
        lambda: list(session.api.pages("/tokens", parameters, secret=True)),
        lambda found: show_list(session, found, TOKEN.columns),
    )


@command(
    app,
    examples=[
        "flux-fleet token create demo-01 --kind cluster --cluster demo-cluster-01",
        "flux-fleet token create ci --kind operator --environment dev -o json",
        "flux-fleet token create racks --kind enrolment --environment dev --label tier=edge "
        "--needs-approval --max-uses 20 --expires-at 2099-12-31T00:00:00Z",
    ],
    writes=True,
    own=[field.parameter() for field in TOKEN.fields],
)
def create(session: Session, id: str, **values: Any) -> None:
    """Issue a token. Its secret is printed, and never again."""
    document = {"id": id, **TOKEN.document(values, patch=False)}
    show_secret(session, carry_out_directly(session, Request("POST", "/tokens", document)))


@command(app, examples=["flux-fleet token get demo-01"])
def get(session: Session, token: Id) -> None:
    """Show a token, without its secret."""
    show_document(session, session.api.get(path_of("tokens", token), secret=True).data)


@command(app, examples=["flux-fleet token rotate demo-01 --grace-seconds 3600"], writes=True)
def rotate(
    session: Session,
    token: Id,
    grace_seconds: Annotated[
        int | None, typer.Option(help="How long the old secret stays valid; a day unless given.")
    ] = None,
) -> None:
    """Make a new secret, and print it. The old one stays valid for a while."""
    body = {} if grace_seconds is None else {"grace_seconds": grace_seconds}
    request = Request("POST", path_of("tokens", token, "rotate"), body)
    show_secret(session, carry_out_directly(session, request))


@command(app, examples=["flux-fleet token delete demo-01"], writes=True)
def delete(session: Session, token: Id) -> None:
    """Revoke a token, at once and for good."""
    answer = carry_out_directly(session, Request("DELETE", path_of("tokens", token)))
    if answer is None:
        return
    if session.for_people:
        session.tell(f"Token {token} revoked.")
    else:
        show_document(session, answer.data)


def show_secret(session: Session, answer: Answer | None) -> None:
    """For people and for `$(…)` alike: the secret alone on standard output."""
    if answer is None:
        return
    if session.for_people:
        session.err.print("This is the only time that the secret is shown:")
        write_text(session, answer.data["token"])
    elif session.output is Output.NAME:
        write_text(session, answer.data["id"])
    else:
        show_document(session, answer.data)
