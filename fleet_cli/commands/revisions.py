"""The log of all changes, and the way back."""

from datetime import datetime
from typing import Annotated, Any

import typer
from rich.text import Text

from fleet_cli import completion
from fleet_cli.api import Request
from fleet_cli.command import command
from fleet_cli.effective import as_it_is
from fleet_cli.output import print_table, show_document, show_list, watched, write_text
from fleet_cli.plans import SIGNS, counted, field_text
from fleet_cli.resources import Field, Resource
from fleet_cli.session import Output, Session
from fleet_cli.tables import Column
from fleet_cli.writes import carry_out

DEFAULT_LIMIT = 20


def moment(text: str) -> str:
    """In the time of the person who looks."""
    return datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M")


COLUMNS = (
    Column("REVISION", lambda it: it["number"]),
    Column("WHEN", lambda it: moment(it["created_at"])),
    Column("WHO", lambda it: it["actor"]["name"]),
    Column("THROUGH", lambda it: it["source"]),
    Column("WHY", lambda it: it["reason"], flexible=True),
    Column("REVERTS", lambda it: it["reverts"], wide=True),
)
REVISION = Resource(
    name="revision",
    section="revisions",
    completion=completion.revisions,
    help="The log of all changes, and the way back.",
    columns=COLUMNS,
    filters=(
        Field("cluster", "--cluster", "That changed this one.", completion=completion.clusters),
        Field("object", "--object", "That touched it, such as clusters/demo-cluster-01."),
        Field("actor", "--actor", "By whom."),
        Field("source", "--source", "Through what: api, admin, import and so on."),
        Field("since", "--since", "From this moment on, such as 2030-01-31T12:00:00Z."),
        Field("until", "--until", "Before this moment."),
        Field("search", "--search", "Text in the reason."),
    ),
)
Number = Annotated[int, typer.Argument(metavar="REVISION", autocompletion=completion.revisions)]

app = REVISION.app()


@command(
    app,
    "list",
    examples=["flux-fleet revision list --cluster demo-cluster-01 --limit 5"],
    watches=True,
    own=[field.parameter() for field in REVISION.filters],
)
def list_revisions(
    session: Session,
    limit: Annotated[
        int, typer.Option(help="How many, the newest first.", min=1, max=1_000)
    ] = DEFAULT_LIMIT,
    **values: Any,
) -> None:
    """List revisions, the newest first."""
    parameters = [*REVISION.parameters(values), ("limit", str(limit))]
    watched(
        session,
        lambda: session.api.get("/revisions", parameters).data,
        lambda found: show_list(session, found, COLUMNS, key="number"),
    )


@command(app, examples=["flux-fleet revision show 2"])
def show(session: Session, number: Number) -> None:
    """Show a revision with all that it changed."""
    found = session.api.get(f"/revisions/{number}").data
    if as_it_is(session, found):
        return
    if session.output is Output.NAME:
        write_text(session, str(found["number"]))
        return
    print_table(session, [found], COLUMNS, wide=True)
    if found["reverted_by"]:
        session.out.print(f"Reverted by {found['reverted_by']}.")
    session.out.print(f"Changed what {counted(found['clusters'])} get.")
    for change in found["changes"]:
        print_change(session, change)


ACTIONS = {"created": "added", "deleted": "removed"}


def print_change(session: Session, change: dict[str, Any]) -> None:
    sign, style = SIGNS[ACTIONS.get(change["action"], "changed")]
    what = " ".join(str(part) for part in change["object"].values())
    session.out.print(Text(f"{sign} {change['kind']} {what}", style=style), soft_wrap=True)
    if change["action"] == "changed":
        for item in change["fields"]:
            session.out.print(Text("    ").append_text(field_text(item)), soft_wrap=True)


@command(
    app,
    examples=["flux-fleet revision revert 3 --dry-run", "flux-fleet revision revert 3 --yes"],
    writes=True,
)
def revert(
    session: Session,
    number: Number,
    skip_conflicts: Annotated[
        bool,
        typer.Option(
            "--skip-conflicts", help="Leave what later changes touched, take back the rest."
        ),
    ] = False,
) -> None:
    """Take a revision back, as a new revision."""
    request = Request("POST", f"/revisions/{number}/revert", {"skip_conflicts": skip_conflicts})
    answer = carry_out(session, lambda: request)
    if answer is None:
        return
    if session.for_people:
        session.tell(f"Took back revision {number}, as revision {answer.revision}.")
    else:
        show_document(session, {**answer.data, "revision": int(answer.revision)}, key="revision")
