"""Clusters from a table: each row is a cluster, each column a field, and errors are told by row."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fleet_cli.api import Answer, Api, Request
from fleet_cli.applying import apply_documents, apply_request, dry_run, show_differences, summary
from fleet_cli.errors import Refused
from fleet_cli.session import Session

__all__ = ["carry_out_import", "summary"]

TEXTS = ("description", "cluster_name", "cluster_dns", "environment", "vm_image", "k0s_version")
COLUMNS = ("id", *TEXTS, "node_count", "labels.NAME")


@dataclass(slots=True)
class Rows:
    """What each cluster gets, the row that it is in, and what is wrong."""

    file: Path
    patches: dict[str, dict[str, Any]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def add(self, number: int, column: str, message: str) -> None:
        self.problems.append(f"{self.file}: row {number}: {column}: {message}")

    def raise_if_wrong(self) -> None:
        if self.problems:
            raise Refused(f"{self.file} is refused; nothing was changed:", problems=self.problems)


def carry_out_import(session: Session, file: Path) -> Answer | None:
    rows = read_rows(file)
    rows.raise_if_wrong()

    def make() -> Request:
        return apply_request({"clusters": merged(session.api, rows)})

    def refuse(details: Mapping[str, Any]) -> None:
        ids = list(rows.patches)
        for path, texts in details.items():
            index, _, name = path.removeprefix("clusters[").partition("]")
            rows.add(rows.numbers[ids[int(index)]], name.lstrip("."), " ".join(texts))
        rows.raise_if_wrong()

    if session.writing.dry_run:
        show_differences(session, dry_run(session, make(), refuse))
        return None
    return apply_documents(session, make, refuse)


def read_rows(file: Path) -> Rows:
    """Row 1 is the one with the names of the fields, as a spreadsheet counts."""
    rows = Rows(file)
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, strict=True)
            check_columns(rows, reader.fieldnames or ())
            for number, cells in enumerate(reader, start=2):
                read_row(rows, number, cells)
    except (OSError, UnicodeError, csv.Error) as error:
        raise Refused(f"{file} cannot be read: {error}.") from None
    if not rows.patches and not rows.problems:
        rows.problems.append(f"{file}: has no rows")
    return rows


def check_columns(rows: Rows, names: Any) -> None:
    for name in names:
        if name not in COLUMNS and not (name.startswith("labels.") and name != "labels."):
            rows.add(1, name, f"is not a column (allowed: {', '.join(COLUMNS)})")
    if len(set(names)) != len(names):
        rows.add(1, "the names", "one is there twice")
    if "id" not in names:
        rows.add(1, "id", "is missing")
    rows.raise_if_wrong()


def read_row(rows: Rows, number: int, cells: dict[Any, Any]) -> None:
    if None in cells or None in cells.values():
        rows.add(number, "the row", "has not as many cells as the first")
        return
    item_id = cells["id"].strip()
    if not item_id:
        rows.add(number, "id", "is empty")
    elif item_id in rows.numbers:
        rows.add(number, "id", f"{item_id!r} is in row {rows.numbers[item_id]} already")
    else:
        rows.numbers[item_id] = number
        rows.patches[item_id] = patch_of(rows, number, cells)


def patch_of(rows: Rows, number: int, cells: dict[str, str]) -> dict[str, Any]:
    patch: dict[str, Any] = {}
    for name, text in ((name, text.strip()) for name, text in cells.items()):
        if not text or name == "id":
            continue
        if name.startswith("labels."):
            patch.setdefault("labels", {})[name.removeprefix("labels.")] = text
        elif name != "node_count":
            patch[name] = text
        elif text.isascii() and text.isdigit():
            patch[name] = int(text)
        else:
            rows.add(number, name, f"must be a whole number, not {text!r}")
    return patch


def merged(api: Api, rows: Rows) -> list[dict[str, Any]]:
    """POST /apply wants whole objects: those that exist, with what the rows say of them."""
    present = {item["id"]: item for item in api.pages("/clusters") if item["id"] in rows.patches}
    found = []
    for item_id, patch in rows.patches.items():
        base = present.get(item_id, {"id": item_id, "cluster_name": item_id})
        labels = {**base.get("labels", {}), **patch.get("labels", {})}
        found.append({**base, **patch, "labels": labels})
    return found
