"""Which clusters, or which other layer, an act is for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from fleet_cli import completion
from fleet_cli.api import Api, Parameters, Request, path_of
from fleet_cli.command import parameter
from fleet_cli.errors import Refused, WrongUsage

PANEL = "Where"
MOST_OPERATIONS = 1_000

CLUSTERS = parameter(
    "cluster",
    Annotated[
        list[str],
        typer.Option(
            help="This cluster; several times for several.",
            autocompletion=completion.clusters,
            rich_help_panel=PANEL,
        ),
    ],
    [],
)
SELECTORS = (
    CLUSTERS,
    parameter(
        "environment",
        Annotated[
            str | None,
            typer.Option(
                "--environment",
                "-e",
                help="Clusters of this environment.",
                autocompletion=completion.environments,
                rich_help_panel=PANEL,
            ),
        ],
        None,
    ),
    parameter(
        "label",
        Annotated[
            list[str],
            typer.Option(
                "--label",
                "-l",
                metavar="KEY[=VALUE]",
                help="Clusters with this label; several times for several.",
                rich_help_panel=PANEL,
            ),
        ],
        [],
    ),
    parameter(
        "whole",
        Annotated[bool, typer.Option("--all", help="Every cluster.", rich_help_panel=PANEL)],
        False,
    ),
)
PROFILE = parameter(
    "profile",
    Annotated[
        str | None,
        typer.Option(
            help="The layer of this profile.",
            autocompletion=completion.profiles,
            rich_help_panel=PANEL,
        ),
    ],
    None,
)


@dataclass(frozen=True, slots=True)
class Selection:
    """Clusters by their ids, or by filters of the API."""

    ids: tuple[str, ...] = ()
    filters: Parameters = ()
    all: bool = False

    @property
    def is_empty(self) -> bool:
        return not (self.ids or self.filters or self.all)

    def check(self) -> None:
        if sum(map(bool, (self.ids, self.filters, self.all))) > 1:
            raise WrongUsage("Name clusters, or select them, or say --all: one of the three.")
        if self.is_empty:
            raise WrongUsage("Which clusters? Name them, or give a selector or --all.")

    def documents(self, api: Api) -> list[dict[str, Any]]:
        """The clusters as they are now."""
        self.check()
        if self.ids:
            return [api.get(path_of("clusters", item)).data for item in dict.fromkeys(self.ids)]
        found = list(api.pages("/clusters", self.filters))
        if not found:
            raise Refused(f"No cluster matches {self.described}.")
        return found

    @property
    def described(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.filters) or "--all"

    def patch(self, api: Api, patch: dict[str, Any]) -> Request:
        """The same merge patch for each of them, as one change."""
        self.check()
        if len(set(self.ids)) == 1:
            return Request("PATCH", path_of("clusters", self.ids[0]), patch)
        if self.ids:
            return batch([("PATCH", path_of("clusters", item), patch) for item in self.ids])
        if not api.count("/clusters", self.filters):
            raise Refused(f"No cluster matches {self.described}.")
        whole = [("all", "true")] if self.all else []
        return Request("PATCH", "/clusters", patch, [*self.filters, *whole])


def selection_of(values: dict[str, Any]) -> Selection:
    """From the options above. An empty filter is passed on, and the server refuses it: left out, it
    would select more."""
    environment = values["environment"]
    filters = [] if environment is None else [("environment", environment)]
    filters += [("label", text.replace("=", ":", 1)) for text in values["label"]]
    return Selection(tuple(values["cluster"]), filters, values["whole"])


def where_of(texts: Sequence[str]) -> Parameters:
    """`--where environment=prod`: any filter of the list of clusters."""
    found = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise WrongUsage(f"--where {text!r} must be FILTER=VALUE, such as environment=prod.")
        found.append((name, value))
    return found


def batch(operations: Sequence[tuple[str, str, Any]]) -> Request:
    """All or none, as one revision."""
    unique = list({(method, path): body for method, path, body in operations}.items())
    if len(unique) > MOST_OPERATIONS:
        raise Refused(
            f"This is for {len(unique)} clusters; at most {MOST_OPERATIONS} go at once.",
            "For so many, give it to a profile.",
        )
    return Request(
        "POST",
        "/batch",
        [
            {"method": method, "path": path, **({} if body is None else {"body": body})}
            for (method, path), body in unique
        ],
    )
