"""The kinds of objects, told as data: where they are, and what they consist of."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from inspect import Parameter
from typing import Annotated, Any

import typer

from fleet_cli.command import parameter
from fleet_cli.completion import Completion
from fleet_cli.errors import WrongUsage
from fleet_cli.pairs import edits_of, map_of
from fleet_cli.tables import Column


class Kind(Enum):
    TEXT = auto()
    NUMBER = auto()
    FLAG = auto()
    MAP = auto()
    LIST = auto()


TYPES: dict[Kind, Any] = {
    Kind.TEXT: str | None,
    Kind.NUMBER: int | None,
    Kind.FLAG: bool | None,
    Kind.MAP: list[str],
    Kind.LIST: list[str],
}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an object, and the option that sets it."""

    name: str
    option: str
    help: str
    kind: Kind = Kind.TEXT
    completion: Completion | None = None
    metavar: str = ""
    # Reads what was given where it is more than text.
    read: Callable[[Sequence[str]], Any] | None = None

    @property
    def keyword(self) -> str:
        return self.option.strip("-").replace("-", "_")

    def parameter(self) -> Parameter:
        several = self.kind in (Kind.MAP, Kind.LIST)
        spelling = self.option
        if self.kind is Kind.FLAG:
            spelling = f"{self.option}/--no-{self.option.strip('-')}"
        option = typer.Option(
            spelling,
            help=self.help,
            metavar=self.metavar or ("KEY=VALUE" if self.kind is Kind.MAP else None),
            autocompletion=self.completion,
        )
        default: Any = [] if several else None
        return parameter(self.keyword, Annotated[TYPES[self.kind], option], default)

    def value(self, given: Any, *, patch: bool) -> Any:
        if self.kind is Kind.MAP:
            read = edits_of if patch else map_of
            return read(given, self.option)
        return self.read(given) if self.read else given


@dataclass(frozen=True, slots=True)
class Resource:
    """A kind of object: `name` is the group of commands, `section` is in the address."""

    name: str
    section: str
    completion: Completion
    columns: tuple[Column, ...]
    fields: tuple[Field, ...] = ()
    filters: tuple[Field, ...] = ()
    help: str = ""

    def app(self) -> typer.Typer:
        return typer.Typer(name=self.name, help=self.help, no_args_is_help=True)

    @property
    def id(self) -> Parameter:
        argument = typer.Argument(metavar=self.name.upper(), autocompletion=self.completion)
        return parameter("id", Annotated[str, argument], Parameter.empty)

    def document(self, values: dict[str, Any], *, patch: bool) -> dict[str, Any]:
        """The fields that were given."""
        return {
            field.name: field.value(values[field.keyword], patch=patch)
            for field in self.fields
            if values[field.keyword] not in (None, [])
        }

    def parameters(self, values: dict[str, Any]) -> list[tuple[str, str]]:
        """The filters that were given, as the API takes them."""
        found: list[tuple[str, str]] = []
        for field in self.filters:
            given = values[field.keyword]
            several = given if isinstance(given, list) else [given]
            found += [(field.name, _spell(field, each)) for each in several if each is not None]
        return found


def _spell(field: Field, given: Any) -> str:
    if isinstance(given, bool):
        return str(given).lower()
    return str(given).replace("=", ":", 1) if field.name == "label" else str(given)


SEARCH = Field("search", "--search", "Text in ids, names and descriptions.")
LABEL_FILTER = Field(
    "label",
    "--label",
    "With this label; several times for several.",
    Kind.LIST,
    metavar="KEY[=VALUE]",
)
DESCRIPTION = Field("description", "--description", "A sentence about it, for people.")
LABELS = Field("labels", "--label", "A label; KEY- takes one away when updating.", Kind.MAP)


def subjects(texts: Sequence[str]) -> list[dict[str, str]]:
    """`Group:dev-team`, `User:ada@example.com`, `ServiceAccount:shop/deployer`."""
    found = []
    for text in texts:
        kind, colon, name = text.partition(":")
        namespace, slash, account = name.partition("/")
        if not colon or (kind == "ServiceAccount") != bool(slash):
            raise WrongUsage(
                f"--subject {text!r} must be Group:NAME, User:NAME or "
                "ServiceAccount:NAMESPACE/NAME."
            )
        if slash:
            found.append({"kind": kind, "name": account, "namespace": namespace})
        else:
            found.append({"kind": kind, "name": name})
    return found
