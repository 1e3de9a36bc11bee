"""`flux-fleet status`: the fleet at a glance."""

from typing import Any

import typer
from rich.table import Table
from rich.text import Text

from fleet_cli.api import Api
from fleet_cli.command import command
from fleet_cli.commands.revisions import COLUMNS
from fleet_cli.effective import as_it_is
from fleet_cli.output import print_table, watched, write_text
from fleet_cli.session import Output, Session
from fleet_cli.tables import STATES

SECTIONS = ("platform_components", "profiles", "namespaces", "rolebindings")
SHOWN_STATES = ("active", "frozen", "decommissioned", "waiting")
RECENT = 5


def add(app: typer.Typer) -> None:
    @command(app, examples=["flux-fleet status"], watches=True)
    def status(session: Session) -> None:
        """Show the fleet at a glance: clusters by environment and state, and what changed last."""
        watched(session, lambda: glance(session.api), lambda found: show(session, found))


def glance(api: Api) -> dict[str, Any]:
    """A few counts; no list is read, however large the fleet."""
    environments = [item["id"] for item in api.pages("/environments", [("ordering", "rank")])]
    return {
        "server": api.connection.api_url,
        "environments": [
            {"id": item, **{state: count(api, item, state) for state in SHOWN_STATES}}
            for item in environments
        ],
        **{section: api.count(f"/{section}") for section in SECTIONS},
        "revisions": api.get("/revisions", [("limit", str(RECENT))]).data,
    }


def count(api: Api, environment: str, state: str) -> int:
    return api.count("/clusters", [("environment", environment), ("state", state)])


def show(session: Session, found: dict[str, Any]) -> None:
    if as_it_is(session, found):
        return
    if session.output is Output.NAME:
        write_text(session, found["server"])
        return
    session.out.print(Text(found["server"], style="bold"))
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("ENVIRONMENT")
    for state in SHOWN_STATES:
        table.add_column(state.upper(), justify="right")
    for row in found["environments"]:
        table.add_row(row["id"], *(counted(row[state], state) for state in SHOWN_STATES))
    session.out.print(table)
    counts = (f"{found[section]} {section.replace('_', ' ')}" for section in SECTIONS)
    session.out.print(f"\n{', '.join(counts)}\n")
    print_table(session, found["revisions"], COLUMNS)


def counted(number: int, state: str) -> Text:
    return Text(str(number), style=STATES[state] if number else "dim")
