"""The fleet as a folder: `clusters/prod-eu-01.yaml`, one object a file.

A kind whose folder is missing is not spoken of; then nothing of that kind is touched. Git keeps no
empty folders, so the last file of a kind that goes takes nothing with it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fleet_cli.errors import Refused, WrongUsage
from fleet_cli.files import Document, Problem, load_document

# The folders, which are also the lists of POST /apply; and where the API has them.
SECTIONS = {
    "environments": "environments",
    "namespaces": "namespaces",
    "rolebindings": "rolebindings",
    "components": "platform_components",
    "profiles": "profiles",
    "clusters": "clusters",
}
SUFFIXES = {".yaml", ".yml"}
OTHER_FILES = {".md", ".txt"}


@dataclass(slots=True)
class Tree:
    """What a folder says, by kind, and everything that is wrong with it."""

    folder: Path
    documents: dict[str, list[Document]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def body(self) -> dict[str, list[Any]]:
        return {
            kind: [document.data for document in documents]
            for kind, documents in self.documents.items()
        }

    def files(self) -> dict[tuple[str, str], Document]:
        """By kind and id."""
        return {
            (kind, document.data["id"]): document
            for kind, documents in self.documents.items()
            for document in documents
        }

    def raise_if_wrong(self) -> None:
        if self.problems:
            lines = sorted(set(self.problems), key=lambda it: (str(it.file), it.line, it.field))
            count = f"{len(lines)} problems" if len(lines) > 1 else "a problem"
            raise Refused(
                f"{self.folder} has {count}; nothing was changed:", problems=[*map(str, lines)]
            )

    def add_refusals(self, details: Mapping[str, Any]) -> None:
        """What the server says of `clusters[3].patches.podinfo`, by file and line."""
        for path, texts in details.items():
            self.problems += [self._locate(path, text) for text in texts]

    def _locate(self, path: str, text: str) -> Problem:
        place, _, rest = path.partition("]")
        kind, _, index = place.partition("[")
        if kind not in self.documents or not index.isdigit():
            return Problem(self.folder, 1, path, text)
        document = self.documents[kind][int(index)]
        name = rest.lstrip(".")
        return Problem(document.file, document.line_of(name), name, text)


def read_tree(folder: Path) -> Tree:
    if not folder.is_dir():
        raise WrongUsage(f"{folder} is not a folder.", "Make one: flux-fleet export DIR")
    tree = Tree(folder)
    for place in sorted(folder.iterdir()):
        if place.is_dir() and place.name in SECTIONS:
            tree.documents[place.name] = list(_documents(tree, place))
        elif place.is_dir() and not place.name.startswith("."):
            _check_other_folder(tree, place)
        elif place.suffix in SUFFIXES and not place.name.startswith("."):
            tree.problems.append(
                Problem(place, 1, "", f"is in no folder of a kind ({', '.join(SECTIONS)})")
            )
    _check_ids(tree)
    return tree


def _check_other_folder(tree: Tree, place: Path) -> None:
    """`cluster/` for `clusters/` would otherwise be passed over, and with --prune be fatal."""
    if any(file.suffix in SUFFIXES for file in place.rglob("*")):
        tree.problems.append(Problem(place, 1, "", f"is not a kind ({', '.join(SECTIONS)})"))


def _documents(tree: Tree, place: Path) -> Iterator[Document]:
    for file in sorted(place.rglob("*")):
        if file.is_dir() or file.name.startswith(".") or file.suffix in OTHER_FILES:
            continue
        if file.suffix not in SUFFIXES:
            tree.problems.append(Problem(file, 1, "", "is not a YAML file (.yaml or .yml)"))
            continue
        document = load_document(file)
        tree.problems += document.problems
        if not document.problems and not isinstance(document.data, dict):
            tree.problems.append(Problem(file, 1, "", "must be an object with fields"))
        elif not document.problems:
            yield document


def _check_ids(tree: Tree) -> None:
    """The file has the name of what is in it, so that each can be found and none is there twice."""
    for documents in tree.documents.values():
        seen: dict[str, Path] = {}
        for document in documents:
            item_id = document.data.setdefault("id", document.file.stem)
            line = document.line_of("id")
            if item_id != document.file.stem:
                message = f"is {item_id!r}, but the file is called {document.file.name}"
                tree.problems.append(Problem(document.file, line, "id", message))
            elif item_id in seen:
                message = f"{item_id!r} is there twice: {seen[item_id]}"
                tree.problems.append(Problem(document.file, line, "id", message))
            else:
                seen[item_id] = document.file
    tree.documents = {
        kind: [it for it in documents if isinstance(it.data["id"], str)]
        for kind, documents in tree.documents.items()
    }
