"""A plan as a difference that people can read: which clusters get something else, and what."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from rich.text import Text

from fleet_cli.output import json_text, write_text, yaml_text
from fleet_cli.session import Output, Session

Plan = dict[str, Any]
# How people read it; `whole`: all of it, and not only the beginning of what is long.
Lines = Callable[..., Iterator[Text]]

SHOWN_CLUSTERS = 5
SHOWN_CHANGES = 12
SHOWN_GROUPS = 20
SIGNS = {"added": ("+", "green"), "removed": ("-", "red"), "changed": ("~", "yellow")}


def is_wide(plan: Plan) -> bool:
    """Worth a question: several clusters, or something that is taken away."""
    totals = plan["totals"]
    return totals["clusters"] > 1 or totals["removing_clusters"] > 0 or bool(plan["purged"])


def show_plan(session: Session, plan: Plan) -> None:
    """The answer to a dry run."""
    names = (cluster for group in plan["groups"] for cluster in group["clusters"])
    show_lines(session, plan, names, plan_lines)


def show_lines(session: Session, plan: Plan, names: Iterable[str], lines: Lines) -> None:
    """A plan in any of the formats: as it is, what it names, or as people read it."""
    if session.output is Output.JSON:
        write_text(session, json_text(plan))
    elif session.output is Output.YAML:
        write_text(session, yaml_text(plan))
    elif session.output is Output.NAME:
        for name in names:
            write_text(session, name)
    else:
        for line in lines(plan, whole=session.output is Output.WIDE):
            session.out.print(line, soft_wrap=True)


def plan_lines(plan: Plan, *, whole: bool = False) -> Iterator[Text]:
    """The beginning of each part of a long plan, unless all of it is wanted."""
    if not plan["groups"]:
        yield Text("No cluster gets anything else than before.")
    groups = plan["groups"] if whole else plan["groups"][:SHOWN_GROUPS]
    for group in groups:
        yield Text(f"{counted(group['clusters'])}:", style="bold")
        changes = group["changes"] if whole else group["changes"][:SHOWN_CHANGES]
        for change in changes:
            yield from change_lines(change)
        if len(changes) < len(group["changes"]):
            yield Text(f"  … and {len(group['changes']) - len(changes)} more", style="dim")
    if len(groups) < len(plan["groups"]):
        yield Text(
            f"… and {len(plan['groups']) - len(groups)} more groups (-o wide has all)", "dim"
        )
    if plan["purged"]:
        yield Text(f"Forgotten, and keeps what it has: {counted(plan['purged'])}", style="red")
    for warning in plan["warnings"]:
        where = counted(warning["clusters"])
        yield Text(f"Warning: {where}: {warning['message']}", style="yellow")
    if plan["groups"]:
        yield Text(f"In total: {totals_text(plan['totals'])}.")
    if plan["confirmation_required"]:
        count = plan["totals"]["removing_clusters"]
        yield Text(f"This takes things away from {clusters_text(count)}.", style="bold red")
    yield Text(f"Digest of this plan: {plan['digest']}", style="dim")


def change_lines(change: dict[str, Any]) -> Iterator[Text]:
    sign, style = SIGNS[change["action"]]
    yield Text(f"  {sign} {change['resource']} {change['id']}", style=style)
    if change["action"] == "changed":
        for item in change["fields"]:
            yield Text("      ").append_text(field_text(item))


def field_text(item: dict[str, Any]) -> Text:
    """A side that is not there is not the same as null."""
    text = Text(f"{item['field']}: ")
    text.append(_side(item, "old"), style="red").append(" → ")
    return text.append(_side(item, "new"), style="green")


def _side(item: dict[str, Any], name: str) -> str:
    return json.dumps(item[name], ensure_ascii=False) if name in item else "(none)"


def counted(clusters: Sequence[str]) -> str:
    """“412 clusters (a, b, c, d, e and 407 more)”."""
    names = ", ".join(clusters[:SHOWN_CLUSTERS])
    more = len(clusters) - SHOWN_CLUSTERS
    return f"{clusters_text(len(clusters))} ({names}{f' and {more} more' if more > 0 else ''})"


def clusters_text(count: int) -> str:
    return "1 cluster" if count == 1 else f"{count} clusters"


def totals_text(totals: dict[str, Any]) -> str:
    parts = [clusters_text(totals["clusters"])]
    for name in ("added", "changed", "removed"):
        parts += [f"{count} {resource} {name}" for resource, count in sorted(totals[name].items())]
    return ", ".join(parts)
