"""Prints what the server answered: as a table for people, or as it is for programs."""

import json
import re
import time
from collections.abc import Callable, Sequence
from typing import Any

import yaml
from rich.console import RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from fleet_cli.files import NUMBER_IN_NEWER
from fleet_cli.session import Output, Session
from fleet_cli.tables import Column, cell, table_of


def json_text(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2)


OTHER_BREAKS = re.compile("[\r\x85\u2028\u2029]")


class _Dumper(yaml.SafeDumper):
    """Lists are indented, and text of several lines stays readable."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=_style(text))


def _style(text: str) -> str | None:
    """Such that every reader gets exactly this text back."""
    if OTHER_BREAKS.search(text):
        return '"'  # YAML folds these like ends of lines, unless they are escaped.
    if "\n" in text:
        return "|"
    return "'" if NUMBER_IN_NEWER.fullmatch(text) else None


_Dumper.add_representer(str, _text)


def yaml_text(data: Any) -> str:
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


def write_text(session: Session, text: str) -> None:
    """As it is: neither wrapped nor coloured."""
    session.out.print(Text(text.rstrip("\n")), soft_wrap=True)


def print_table(
    session: Session, documents: Sequence[Any], columns: Sequence[Column], *, wide: bool = False
) -> None:
    session.out.print(table_of(documents, columns, wide=wide, width=session.out.width))


def show_list(
    session: Session,
    documents: Sequence[Any],
    columns: Sequence[Column],
    *,
    key: str = "id",
    empty: str = "Nothing found.",
) -> None:
    if session.output is Output.JSON:
        write_text(session, json_text(documents))
    elif session.output is Output.YAML:
        write_text(session, yaml_text(documents))
    elif session.output is Output.NAME:
        for document in documents:
            write_text(session, str(document[key]))
    elif documents:
        print_table(session, documents, columns, wide=session.output is Output.WIDE)
    else:
        session.err.print(empty)


def show_document(session: Session, document: Any, *, key: str = "id") -> None:
    if session.output is Output.JSON:
        write_text(session, json_text(document))
    elif session.output is Output.YAML:
        write_text(session, yaml_text(document))
    elif session.output is Output.NAME:
        write_text(session, str(document[key]))
    else:
        session.out.print(fields_table(document, wide=session.output is Output.WIDE))


def short_entry(item: Any) -> Any:
    """`podinfo`, or the fields of an assignment that say something."""
    if not isinstance(item, dict) or "id" not in item:
        return item
    inherited = ("enabled", "enabled_inherited") if item.get("enabled_inherited") else ()
    said = {
        name: value for name, value in item.items() if value is not None and name not in inherited
    }
    return said["id"] if said.keys() == {"id"} else said


def fields_table(document: dict[str, Any], *, wide: bool) -> RenderableType:
    """What is empty, or said twice, is left out, unless everything is wanted."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in document.items():
        if wide:
            table.add_row(name, Text(_several_lines(value)))
        elif value not in (None, "", [], {}) and not (name == "patches" and "values" in document):
            short = [short_entry(item) for item in value] if isinstance(value, list) else value
            table.add_row(name, Text(_several_lines(short)))
    return table


def _several_lines(value: Any) -> str:
    if isinstance(value, dict | list) and value:
        return yaml_text(value).rstrip("\n")
    return cell(value) if not isinstance(value, dict | list) else ""


def watched(session: Session, look: Callable[[], Any], show: Callable[[Any], None]) -> None:
    """Shows once; or, with --watch, again whenever there is something else to see."""
    seen = look()
    if not session.watching.watch:
        show(seen)
        return
    try:
        if session.out.is_terminal:
            _watch_screen(session, seen, look, show)
        else:
            _watch_stream(session, seen, look, show)
    except KeyboardInterrupt:
        return


def _watch_screen(
    session: Session, seen: Any, look: Callable[[], Any], show: Callable[[Any], None]
) -> None:
    with Live(console=session.out, auto_refresh=False, screen=True) as live:
        while True:
            with session.out.capture() as captured:
                show(seen)
            live.update(Text.from_ansi(captured.get()), refresh=True)
            time.sleep(session.watching.interval)
            seen = look()


def _watch_stream(
    session: Session, seen: Any, look: Callable[[], Any], show: Callable[[Any], None]
) -> None:
    show(seen)
    while True:
        time.sleep(session.watching.interval)
        fresh = look()
        if fresh != seen:
            seen = fresh
            show(seen)
