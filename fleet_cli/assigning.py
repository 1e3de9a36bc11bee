"""Gives components, namespaces and role bindings to layers, and takes them away.

The lists of a layer are replaced whole, so each is read, edited and written back.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fleet_cli.api import Answer, Api, Request, path_of
from fleet_cli.errors import WrongUsage
from fleet_cli.output import show_document
from fleet_cli.plans import clusters_text
from fleet_cli.selection import PROFILE, SELECTORS, Selection, batch, selection_of
from fleet_cli.session import Session
from fleet_cli.writes import carry_out

Entry = dict[str, Any]
Edit = Callable[[list[Entry]], list[Entry]]


@dataclass(frozen=True, slots=True)
class Target:
    """Clusters, or one profile."""

    clusters: Selection
    profile: str | None = None

    def check(self) -> None:
        if self.profile is not None and not self.clusters.is_empty:
            raise WrongUsage("--profile is a layer of its own: give it, or clusters.")

    def layers(self, api: Api) -> list[tuple[str, Entry]]:
        """The address and the document of each."""
        self.check()
        if self.profile is not None:
            path = path_of("profiles", self.profile)
            return [(path, api.get(path).data)]
        found = self.clusters.documents(api)
        return [(path_of("clusters", item["id"]), item) for item in found]


TARGET = (*SELECTORS, PROFILE)


def target_of(values: dict[str, Any]) -> Target:
    return Target(selection_of(values), values["profile"])


def given(entry: Entry) -> Edit:
    """With the entry; of one that is there already, with its new fields."""

    def edit(entries: list[Entry]) -> list[Entry]:
        present = {item["id"]: item for item in entries}
        merged = {**present.get(entry["id"], {}), **entry}
        if "enabled" in entry:
            # It is said now, even where it is what was inherited.
            merged.pop("enabled_inherited", None)
        present[entry["id"]] = merged
        return list(present.values())

    return edit


def taken(item_id: str) -> Edit:
    return lambda entries: [item for item in entries if item["id"] != item_id]


def edit_layers(api: Api, target: Target, field: str, edit: Edit) -> Request:
    operations = [
        ("PATCH", path, {field: edit(document[field])}) for path, document in target.layers(api)
    ]
    if len(operations) == 1:
        return Request(*operations[0])
    return batch(operations)


def assign(session: Session, target: Target, field: str, edit: Edit, told: str) -> None:
    answer = carry_out(session, lambda: edit_layers(session.api, target, field, edit))
    tell_layers(session, answer, told)


def tell_layers(session: Session, answer: Answer | None, told: str) -> None:
    """`told` is a sentence with a place for how many layers, such as “podinfo patched on {}”."""
    if answer is None:
        return
    if session.for_people:
        session.tell(f"{told.format(_reach(answer.data))}, revision {answer.revision}.")
    else:
        show_document(session, answer.data)


def _reach(data: Any) -> str:
    if isinstance(data, list):
        return clusters_text(len(data))
    if "matched" in data:
        return clusters_text(data["matched"])
    return str(data["id"])
