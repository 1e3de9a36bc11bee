"""`assign`, `unassign`, and `create` with clusters to give it to, for all that can be assigned."""

from collections.abc import Sequence
from typing import Any

import typer

from fleet_cli import verbs
from fleet_cli.api import Request, path_of
from fleet_cli.assigning import TARGET, Target, assign, given, taken, target_of
from fleet_cli.command import command
from fleet_cli.resources import Field, Resource
from fleet_cli.selection import CLUSTERS, Selection, batch
from fleet_cli.session import Session
from fleet_cli.writes import carry_out


def add_create(app: typer.Typer, resource: Resource, *, examples: Sequence[str]) -> None:
    """As for every object; and with --cluster, in one step with its assignment."""
    own = [CLUSTERS, *(field.parameter() for field in resource.fields)]
    text = f"Make a {resource.name}; with --cluster, give it to clusters too."

    @command(app, "create", examples=examples, writes=True, own=own, help=text)
    def create(
        session: Session,
        id: str,
        file: verbs.FileOption = None,
        **values: Any,
    ) -> None:
        document = verbs.document_of(resource, file, values, patch=False, id=id)

        clusters = tuple(values["cluster"])

        def make() -> Request:
            creation = ("POST", f"/{resource.section}", document)
            if not clusters:
                return Request(*creation)
            layers = Target(Selection(clusters)).layers(session.api)
            return batch(
                [
                    creation,
                    *(
                        ("PATCH", path, {resource.section: given({"id": id})(it[resource.section])})
                        for path, it in layers
                    ),
                ]
            )

        answer = carry_out(session, make)
        if answer is not None and clusters:
            answer = session.api.get(path_of(resource.section, id))
        verbs.done(session, resource, answer, "made")


def add_assign(
    app: typer.Typer,
    resource: Resource,
    *,
    examples: Sequence[str],
    fields: Sequence[Field] = (),
) -> None:
    text = f"Give a {resource.name} to clusters, or to a profile."

    @command(
        app,
        "assign",
        examples=examples,
        writes=True,
        arguments=[resource.id],
        own=[*TARGET, *(field.parameter() for field in fields)],
        help=text,
    )
    def assign_object(session: Session, **values: Any) -> None:
        entry = {field.name: values[field.keyword] for field in fields}
        entry = {name: value for name, value in entry.items() if value is not None}
        edit = given({"id": values["id"], **entry})
        assign(session, target_of(values), resource.section, edit, f"{values['id']} given to {{}}")


def add_unassign(app: typer.Typer, resource: Resource, *, examples: Sequence[str]) -> None:
    text = f"Take a {resource.name} away from clusters, or from a profile."

    @command(
        app,
        "unassign",
        examples=examples,
        writes=True,
        arguments=[resource.id],
        own=TARGET,
        help=text,
    )
    def unassign_object(session: Session, **values: Any) -> None:
        edit = taken(values["id"])
        assign(
            session, target_of(values), resource.section, edit, f"{values['id']} taken from {{}}"
        )
