"""The commands that every kind of object has: list, get, create, update and delete."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from fleet_cli.api import Answer, Request, path_of
from fleet_cli.command import command
from fleet_cli.errors import WrongUsage
from fleet_cli.files import read_document
from fleet_cli.output import show_document, show_list, watched
from fleet_cli.resources import Resource
from fleet_cli.session import Session
from fleet_cli.writes import carry_out

FileOption = Annotated[
    Path | None,
    typer.Option("--file", "-f", help="A YAML or JSON file with the object; options win."),
]
Examples = Sequence[str]


def add_list(app: typer.Typer, resource: Resource, *, examples: Examples) -> None:
    own = [field.parameter() for field in resource.filters]
    text = f"List the {resource.section.replace('_', ' ')}, all or those that match."

    @command(app, "list", examples=examples, watches=True, own=own, help=text)
    def list_objects(session: Session, **values: Any) -> None:
        parameters = resource.parameters(values)

        def look() -> list[Any]:
            with session.progress(f"Reading {resource.section}") as progress:
                return list(
                    session.api.pages(f"/{resource.section}", parameters, progress=progress)
                )

        watched(session, look, lambda found: show_list(session, found, resource.columns))


def add_get(app: typer.Typer, resource: Resource, *, examples: Examples) -> None:
    text = f"Show one {resource.name}."

    @command(app, "get", examples=examples, watches=True, arguments=[resource.id], help=text)
    def get_object(session: Session, **values: Any) -> None:
        path = path_of(resource.section, values["id"])
        watched(
            session,
            lambda: session.api.get(path).data,
            lambda found: show_document(session, found),
        )


def add_create(app: typer.Typer, resource: Resource, *, examples: Examples) -> None:
    own = [field.parameter() for field in resource.fields]

    @command(
        app, "create", examples=examples, writes=True, own=own, help=f"Make a {resource.name}."
    )
    def create_object(session: Session, id: str, file: FileOption = None, **values: Any) -> None:
        document = document_of(resource, file, values, patch=False, id=id)
        request = Request("POST", f"/{resource.section}", document)
        done(session, resource, carry_out(session, lambda: request), "made")


def add_update(app: typer.Typer, resource: Resource, *, examples: Examples) -> None:
    own = [field.parameter() for field in resource.fields]
    text = f"Change fields of a {resource.name}; the others stay."

    @command(
        app,
        "update",
        examples=examples,
        writes=True,
        arguments=[resource.id],
        own=own,
        help=text,
    )
    def update_object(session: Session, file: FileOption = None, **values: Any) -> None:
        patch = document_of(resource, file, values, patch=True)
        request = Request("PATCH", path_of(resource.section, values["id"]), patch)
        done(session, resource, carry_out(session, lambda: request), "changed")


def add_delete(app: typer.Typer, resource: Resource, *, examples: Examples) -> None:
    text = f"Delete a {resource.name} that nothing uses any more."

    @command(app, "delete", examples=examples, writes=True, arguments=[resource.id], help=text)
    def delete_object(session: Session, **values: Any) -> None:
        request = Request("DELETE", path_of(resource.section, values["id"]))
        done(session, resource, carry_out(session, lambda: request), "deleted")


def document_of(
    resource: Resource, file: Path | None, values: dict[str, Any], *, patch: bool, id: str = ""
) -> dict[str, Any]:
    """From the file and the options. In a patch, `null` of the file takes a field away."""
    document = read_document(file) if file else {}
    document |= resource.document(values, patch=patch)
    if id:
        document["id"] = id
    if patch and not document:
        raise WrongUsage("Nothing to change was given.", "Give an option, or --file.")
    return document


def done(session: Session, resource: Resource, answer: Answer | None, verb: str) -> None:
    """Tells a person what was done in a line, and a program what the object is now."""
    if answer is None:
        return
    if session.for_people:
        name = f"{resource.name} {answer.data['id']}"
        session.tell(f"{name[0].upper()}{name[1:]} {verb}, revision {answer.revision}.")
    else:
        show_document(session, answer.data)
