"""What a cluster gets, value by value, with the layer that each comes from."""

import json
from typing import Any

from rich.text import Text

from fleet_cli.output import json_text, write_text, yaml_text
from fleet_cli.plans import field_text
from fleet_cli.session import Output, Session

RESOURCES = ("platform_components", "namespaces", "rolebindings")
LAYERS = {"catalog": "dim", "profile": "cyan", "cluster": "green"}


def as_it_is(session: Session, document: Any) -> bool:
    """For programs; and whether that was asked for."""
    if session.output is Output.JSON:
        write_text(session, json_text(document))
    elif session.output is Output.YAML:
        write_text(session, yaml_text(document))
    else:
        return False
    return True


def show_effective(session: Session, document: dict[str, Any]) -> None:
    if as_it_is(session, document):
        return
    if session.output is Output.NAME:
        for resource in RESOURCES:
            for item in document[resource]:
                write_text(session, f"{resource}/{item['id']}")
        return
    title = f"{document['id']} ({document['environment']}, {document['state']})"
    session.out.print(Text(f"{title} at revision {document['revision']}", style="bold"))
    for resource in RESOURCES:
        for item in document[resource]:
            session.out.print(Text(f"{resource} {item['id']}", style="bold yellow"))
            for name, traced in item["fields"].items():
                session.out.print(_line(name, traced), soft_wrap=True)


def _line(name: str, traced: dict[str, Any]) -> Text:
    origin = traced["origin"]
    layer = origin["layer"] if origin["layer"] == "catalog" else f"{origin['layer']} {origin['id']}"
    text = Text(f"  {name}: {json.dumps(traced['value'], ensure_ascii=False)}  ")
    return text.append(layer, style=LAYERS.get(origin["layer"], ""))


def show_difference(session: Session, document: dict[str, Any]) -> None:
    if as_it_is(session, document):
        return
    for change in document["changes"]:
        if session.output is Output.NAME:
            write_text(session, f"{change['resource']}/{change['id']}")
            continue
        sides = {side: change[side]["value"] for side in ("old", "new") if side in change}
        line = Text(f"{change['resource']} {change['id']} ", style="yellow")
        line.append_text(field_text({"field": change["field"], **sides}))
        session.out.print(line, soft_wrap=True)
    if not document["changes"]:
        session.err.print(f"Nothing differs between {document['from']} and {document['to']}.")
