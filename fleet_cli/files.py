"""Reads YAML for what it says: each value with the line that it stands in, and no guesses.

YAML 1.1 and 1.2 read some plain words in two ways: `no`, `0777`, `12:30`, `1e3`. Helm, Python and
people do not agree on them, so they are refused: with quotes, or written out, they are clear.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from fleet_cli.errors import Refused

Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
TAG = "tag:yaml.org,2002:"
WORDS = {"": None, "~": None, "null": None, "true": True, "false": False}
WHOLE = re.compile(r"-?(0|[1-9][0-9]*)")
FRACTION = re.compile(r"-?[0-9]+\.[0-9]+([eE][+-][0-9]+)?")
# As numbers, these lose a digit that somebody wrote: versions.
LOSES_ZERO = re.compile(r"-?[0-9]+\.[0-9]*[0-9]0")
# What YAML 1.2 takes for a number, and 1.1 for text.
NUMBER_IN_NEWER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|0o[0-7]+")
MAX_DEPTH = 50
AMBIGUOUS = "{} can be read in two ways; write it with quotes, or out in full"


@dataclass(frozen=True, slots=True)
class Problem:
    file: Path
    line: int
    field: str
    message: str

    def __str__(self) -> str:
        where = f"{self.field}: " if self.field else ""
        return f"{self.file}:{self.line}: {where}{self.message}"


@dataclass(slots=True)
class Document:
    """The data of a file, and the line of each field by its path as the API spells it."""

    file: Path
    data: Any = None
    lines: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def line_of(self, path: str) -> int:
        """Of the field, or of the nearest around it."""
        while path and path not in self.lines:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.lines.get(path, 1)

    def add(self, node: yaml.Node, path: str, message: str) -> None:
        self.problems.append(Problem(self.file, node.start_mark.line + 1, path, message))


def load_document(file: Path) -> Document:
    """With everything that is wrong with it, instead of an error for the first."""
    try:
        return parse_document(file, file.read_text(encoding="utf-8"))
    except (OSError, UnicodeError) as error:
        return Document(file, problems=[Problem(file, 1, "", f"cannot be read: {error}")])


def parse_document(file: Path, text: str) -> Document:
    document = Document(file)
    try:
        node = yaml.compose(text, Loader=Loader)
    except yaml.YAMLError as error:
        document.problems.append(_syntax_problem(file, error))
    else:
        document.data = _Reader(document).read(node, "") if node is not None else None
    return document


def _syntax_problem(file: Path, error: yaml.YAMLError) -> Problem:
    mark = getattr(error, "problem_mark", None)
    message = getattr(error, "problem", None) or str(error).splitlines()[0]
    return Problem(file, mark.line + 1 if mark else 1, "", f"is not YAML: {message}")


class _Reader:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.seen: set[int] = set()

    def read(self, node: yaml.Node, path: str, depth: int = 0) -> Any:
        self.document.lines.setdefault(path, node.start_mark.line + 1)
        if id(node) in self.seen:
            self.document.add(node, path, "is an alias; write it out")
            return None
        self.seen.add(id(node))
        if depth > MAX_DEPTH:
            self.document.add(node, path, f"is deeper than {MAX_DEPTH} levels")
            return None
        if isinstance(node, yaml.MappingNode) and node.tag == f"{TAG}map":
            return self._mapping(node, path, depth)
        if isinstance(node, yaml.SequenceNode) and node.tag == f"{TAG}seq":
            return [
                self.read(item, f"{path}[{index}]", depth + 1)
                for index, item in enumerate(node.value)
            ]
        return self._scalar(node, path)

    def _mapping(self, node: yaml.MappingNode, path: str, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = self._scalar(key_node, path)
            if not isinstance(key, str):
                self.document.add(key_node, path, f"has a key that is not text: {key_node.value}")
                continue
            where = f"{path}.{key}" if path else key
            if key in found:
                self.document.add(key_node, where, "is there twice")
                continue
            self.document.lines[where] = key_node.start_mark.line + 1
            found[key] = self.read(value_node, where, depth + 1)
        return found

    def _scalar(self, node: yaml.Node, path: str) -> Any:
        text, plain = node.value, not getattr(node, "style", None)
        if not isinstance(node, yaml.ScalarNode) or not node.tag.startswith(TAG):
            self.document.add(node, path, f"has a tag that is not allowed here: {node.tag}")
        elif node.tag == f"{TAG}str":
            if plain and NUMBER_IN_NEWER.fullmatch(text):
                self.document.add(node, path, AMBIGUOUS.format(text))
            return text
        elif plain and text in WORDS:
            return WORDS[text]
        elif plain and WHOLE.fullmatch(text):
            return int(text)
        elif plain and FRACTION.fullmatch(text) and not LOSES_ZERO.fullmatch(text):
            return float(text)
        else:
            self.document.add(node, path, AMBIGUOUS.format(text))
        return None


def read_document(file: Path) -> dict[str, Any]:
    """An object for a command that takes one."""
    document = load_document(file)
    if not document.problems and not isinstance(document.data, dict):
        document.problems.append(Problem(file, 1, "", "must be an object with fields"))
    if document.problems:
        raise Refused(f"{file} cannot be used:", problems=[str(item) for item in document.problems])
    return dict(document.data)
