"""Reads the parts that documents are made of. What is wrong goes into `problems`, all of it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fleet.desired_state.values import (
    ValueProblem,
    check_value,
    format_key,
    leaves,
    parse_key,
    to_json,
    typed,
)
from fleet.documents.problems import Problems, describe, suggestion
from fleet.documents.specs import (
    GivenValue,
    GivenViews,
    Tail,
    Together,
    given_value,
    tail_of,
)

TYPES: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "whole number": (int,),
    "true or false": (bool,),
    "object": (dict,),
    "list": (list,),
}


# What every database has in an integer column; SQLite alone would take more.
INT32 = range(-(2**31), 2**31)
# Finding what is near takes time: enough for what a person mistypes, not for ten thousand ids.
MAX_SUGGESTIONS = 20


@dataclass(frozen=True, slots=True)
class Column:
    """A field on the wire and the model's field behind it. `null` stands for `empty`."""

    name: str
    type: str = "text"
    empty: Any = ""
    choices: tuple[str, ...] = ()


def join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


@dataclass(slots=True)
class Reader:
    """One document, the path under which its problems are reported, and what it may refer to."""

    document: Mapping[str, Any]
    path: str
    problems: Problems
    known: Mapping[str, Collection[str]]
    together: Together = Together.APART

    def reject_unknown(self, allowed: Collection[str]) -> None:
        for name in self.document:
            if name not in allowed:
                self.problem(str(name), "is not a field here" + suggestion(str(name), allowed))

    def problem(self, name: str, message: str) -> None:
        self.problems.add(join(self.path, name), message)

    def typed(self, name: str, kind: str) -> Any:
        """The value if it has the type, None if it has not, which is then a problem."""
        value = whole(self.document[name])
        fits = isinstance(value, TYPES[kind]) and (kind == "true or false") == isinstance(
            value, bool
        )
        if not fits:
            self.problem(name, f"must be {article(kind)}, not {describe(value)}")
            return None
        if kind == "whole number" and value not in INT32:
            self.problem(name, f"{describe(value)} is beyond 32 bits")
            return None
        return value

    def attributes(self, columns: Mapping[str, Column]) -> dict[str, Any]:
        found = {}
        for name, column in columns.items():
            if name not in self.document:
                continue
            if self.document[name] is None:
                found[column.name] = column.empty
                continue
            value = self.typed(name, column.type)
            if value is None or not self.chosen(name, value, column.choices):
                continue
            found[column.name] = value
        return found

    def chosen(self, name: str, value: Any, choices: Collection[str]) -> bool:
        """Whether it is one of the choices, where there are any."""
        if choices and value not in choices:
            self.problem(name, f"{describe(value)} must be one of: {', '.join(choices)}")
            return False
        return True

    def reference(self, name: str, target: str, value: Any, *, where: str = "") -> str | None:
        """An id of an existing object."""
        place = where or name
        if not isinstance(value, str):
            self.problem(place, f"must be the id of {article(target)}, not {describe(value)}")
        elif value not in self.known[target]:
            few = len(self.problems.by_path) < MAX_SUGGESTIONS
            hint = suggestion(value, self.known[target]) if few else ""
            self.problem(place, f"there is no {target} {value!r}{hint}")
        else:
            return value
        return None

    def entries(self, name: str) -> list[tuple[str, str, Mapping[str, Any]]] | None:
        """A list of `{"id": …}` or of plain ids, as (path, id, entry); None where not given."""
        if name not in self.document:
            return None
        given = self.document[name]
        if given is None:
            return []
        if not isinstance(given, list):
            self.problem(name, f"must be a list, not {describe(given)}")
            return []
        found: dict[str, tuple[str, str, Mapping[str, Any]]] = {}
        for index, item in enumerate(given):
            place = f"{name}[{index}]"
            entry = {"id": item} if isinstance(item, str) else item
            if not isinstance(entry, Mapping):
                self.problem(place, "must be an id, or an object with an id")
                continue
            item_id = entry.get("id", entry.get("_id"))
            if not isinstance(item_id, str):
                self.problem(f"{place}.id", "is required, and must be text")
            elif item_id in found:
                self.problem(f"{place}.id", f"{item_id!r} is in the list twice")
            else:
                found[item_id] = (place, item_id, entry)
        return list(found.values())

    def ids(self, name: str, target: str) -> list[str] | None:
        entries = self.entries(name)
        if entries is None:
            return None
        found = []
        for place, item_id, entry in entries:
            self.inside(place, entry).reject_unknown(("id", "_id"))
            if self.reference(name, target, item_id, where=f"{place}.id"):
                found.append(item_id)
        return found

    def inside(self, place: str, entry: Mapping[str, Any]) -> "Reader":
        """For an object in this one."""
        return Reader(entry, join(self.path, place), self.problems, self.known, self.together)


def whole(value: Any) -> Any:
    """To JSON, 3.0 is as whole a number as 3."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def article(kind: str) -> str:
    if kind in {"text", "true or false"}:
        return kind
    return f"an {kind}" if kind[0] in "aeio" else f"a {kind}"


def read_patches(reader: Reader, *, by_component: bool) -> GivenViews | None:
    """`patches` and `values`, two views of one store; None where neither is given."""
    if "patches" not in reader.document and "values" not in reader.document:
        return None
    flat: dict[Tail, GivenValue] = {}
    for prefix, place, patches in _sections(reader, "patches", by_component):
        for key, value in patches.items():
            _read_patch(reader, flat, prefix, f"{place}.{key}", str(key), value)
    exact: dict[Tail, GivenValue] = {}
    for prefix, place, values in _sections(reader, "values", by_component):
        for path, value in leaves(values):
            where = f"{place}.{'.'.join(map(str, path))}"
            _store(reader, exact, prefix, where, path, value, None)
    return GivenViews(
        flat if "patches" in reader.document else None,
        exact if "values" in reader.document else None,
        reader.together,
    )


def read_unset(reader: Reader) -> frozenset[Tail] | None:
    if "unset" not in reader.document:
        return None
    tails = set()
    for prefix, place, keys in _sections(reader, "unset", True, of=list):
        for index, key in enumerate(keys):
            where = f"{place}[{index}]"
            if not isinstance(key, str):
                reader.problem(where, f"must be a key, not {describe(key)}")
                continue
            path = _path(reader, where, key)
            if path:
                tails.add(tail_of(*prefix, format_key(path)))
    return frozenset(tails)


def _sections(
    reader: Reader, name: str, by_component: bool, of: type = dict
) -> list[tuple[Tail, str, Any]]:
    """The parts of a field: one for each component, or the whole for a component's own."""
    given = reader.document.get(name)
    if given is None:
        return []
    if not by_component:
        return [((), name, given)] if reader.typed(name, "object") is not None else []
    sections: list[tuple[Tail, str, Any]] = []
    if reader.typed(name, "object") is None:
        return []
    for component_id, section in given.items():
        place = f"{name}.{component_id}"
        if not reader.reference(name, "component", component_id, where=place):
            continue
        if not isinstance(section, of):
            kind = "an object" if of is dict else "a list of keys"
            reader.problem(place, f"must be {kind}, not {describe(section)}")
            continue
        sections.append(((component_id,), place, section))
    return sections


def _read_patch(
    reader: Reader, found: dict[Tail, GivenValue], prefix: Tail, place: str, key: str, value: Any
) -> None:
    path = _path(reader, place, key)
    if not path:
        return
    text = value if isinstance(value, str) else None
    for leaf, leaf_value in leaves(typed(value), path):
        _store(reader, found, prefix, place, leaf, leaf_value, text)


def _store(
    reader: Reader,
    found: dict[Tail, GivenValue],
    prefix: Tail,
    place: str,
    path: Sequence[Any],
    value: Any,
    text: str | None,
) -> None:
    try:
        check_value(value)
        key = format_key(tuple(path))
        parse_key(key)
    except (ValueProblem, TypeError) as problem:
        reader.problem(place, str(problem))
        return
    tail = tail_of(*prefix, key)
    if tail in found:
        reader.problem(place, "is given twice")
    found[tail] = given_value(to_json(value), text)


def _path(reader: Reader, place: str, key: str) -> tuple[str, ...] | None:
    try:
        return parse_key(key)
    except ValueProblem as problem:
        reader.problem(place, str(problem))
        return None
