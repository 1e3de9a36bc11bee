"""The fleet as files: export, diff, apply; and the seed of another service: import."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from fleet_cli.api import Answer
from fleet_cli.applying import (
    apply_documents,
    apply_request,
    dry_run,
    show_differences,
    summary,
)
from fleet_cli.command import command
from fleet_cli.errors import DifferencesFound, Refused
from fleet_cli.exporting import read_fleet, write_tree
from fleet_cli.output import show_document
from fleet_cli.seeds import body_of
from fleet_cli.session import Session
from fleet_cli.tree import Tree, read_tree

Folder = Annotated[Path, typer.Argument(metavar="DIR")]
Prune = Annotated[
    bool,
    typer.Option("--prune", help="Take away what DIR does not name; clusters are decommissioned."),
]


def add(app: typer.Typer) -> None:
    @command(app, examples=["flux-fleet export fleet"], shows=False)
    def export(
        session: Session,
        folder: Folder,
        replace: Annotated[
            bool, typer.Option("--replace", help="Remove files of what is not there any more.")
        ] = False,
    ) -> None:
        """Write the whole fleet as YAML files, one object a file."""
        with session.progress("Reading the fleet") as progress:
            fleet = read_fleet(session.api, progress)
        changed = write_tree(fleet, folder, replace=replace)
        count = sum(map(len, fleet.values()))
        session.tell(f"{count} objects in {folder}; {len(changed)} files changed.")

    @command(app, examples=["flux-fleet diff fleet", "flux-fleet diff fleet --prune -o name"])
    def diff(session: Session, folder: Folder, prune: Prune = False) -> None:
        """Show what apply would change. Exits with 5 if there is something."""
        tree = read_tree(folder)
        tree.raise_if_wrong()
        plan = dry_run(session, apply_request(tree.body(), prune=prune), in_files(tree))
        show_differences(session, plan)
        if plan["objects"]:
            raise DifferencesFound

    @command(
        app,
        examples=[
            "flux-fleet apply fleet --dry-run",
            "flux-fleet apply fleet --prune --yes --reason 'merge request 42'",
        ],
        writes=True,
    )
    def apply(session: Session, folder: Folder, prune: Prune = False) -> None:
        """Make the server match the files of a folder, all or none, as one revision."""
        tree = read_tree(folder)
        tree.raise_if_wrong()
        request = apply_request(tree.body(), prune=prune)
        if session.writing.dry_run:
            show_differences(session, dry_run(session, request, in_files(tree)))
            return
        tell(session, apply_documents(session, lambda: request, in_files(tree)))

    @command(app, "import", examples=["flux-fleet import seed.json --dry-run"], writes=True)
    def import_seed(
        session: Session, file: Annotated[Path, typer.Argument(metavar="SEED.json")]
    ) -> None:
        """Load a seed, all or none, as one revision. What it names becomes exactly so."""
        request = apply_request(body_of(read_json(file)))
        if session.writing.dry_run:
            show_differences(session, dry_run(session, request, in_seed(file)))
            return
        tell(session, apply_documents(session, lambda: request, in_seed(file)))


def in_files(tree: Tree) -> Any:
    def refuse(details: Mapping[str, Any]) -> None:
        tree.add_refusals(details)
        tree.raise_if_wrong()

    return refuse


def in_seed(file: Path) -> Any:
    def refuse(details: Mapping[str, Any]) -> None:
        lines = [f"{path}: {' '.join(texts)}" for path, texts in details.items()]
        raise Refused(f"{file} is refused; nothing was changed:", problems=lines)

    return refuse


def read_json(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeError) as error:
        raise Refused(f"{file} cannot be read: {error}.") from None
    except ValueError as error:
        raise Refused(f"{file} is not JSON: {error}.") from None


def tell(session: Session, answer: Answer | None) -> None:
    if answer is None:
        return
    if session.for_people:
        session.tell(summary(answer.data))
    else:
        show_document(session, answer.data, key="revision")
