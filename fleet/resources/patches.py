"""Helm values: `patches` (flat, as text), `values` (nested, exact) and `unset`. Three views of one
table of rows."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from fleet.desired_state.values import (
    Path,
    ValueProblem,
    check_value,
    flat_view,
    format_key,
    leaves,
    nest,
    parse_key,
    survives_as_text,
    to_json,
    typed,
)
from fleet.models.tracked import Row
from fleet.resources.fields import ExactField, StoredObject, known_ids, must_be, raise_if_any
from fleet.resources.problems import Problems, describe
from fleet.resources.specs import GivenValue, Tail, given_value, tail_of

Given = dict[Tail, GivenValue]
# The part of a field that is about one component, and where that stands.
Section = tuple[Tail, str, Any]


class PatchRowsField(ExactField):
    """A view of the rows of patches. `by_component` has a part for each component; the catalog has
    the values of one component, its own."""

    section_type: type = dict
    section_name = "an object"

    def __init__(self, *, by_component: bool = True, **options: Any) -> None:
        super().__init__(**options)
        self.by_component = by_component

    def get_attribute(self, instance: StoredObject) -> Sequence[Row]:
        return instance.children[self.parent.Meta.rows["patches"]]

    def to_representation(self, value: Sequence[Row]) -> dict[str, Any]:
        ordered = sorted(value, key=lambda row: row.key)
        if not self.by_component:
            return self.show(ordered)
        own: defaultdict[str, list[Row]] = defaultdict(list)
        for row in ordered:
            own[row.component_id].append(row)
        shown = ((component, self.show(own[component])) for component in sorted(own))
        return {component: part for component, part in shown if part}

    def show(self, rows: Sequence[Row]) -> Any:
        raise NotImplementedError

    def sections(self, data: Any, problems: Problems) -> Iterator[Section]:
        if not isinstance(data, dict):
            raise must_be("an object", data)
        if not self.by_component:
            yield (), "", data
            return
        known = known_ids(self)
        for component_id, section in data.items():
            place = f".{component_id}"
            problem = known.problem("component", component_id)
            if problem:
                problems.add(place, problem)
            elif not isinstance(section, self.section_type):
                problems.add(place, f"must be {self.section_name}, not {describe(section)}")
            else:
                yield (component_id,), place, section


class ValuesField(PatchRowsField):
    """Values, nested and exact."""

    @property
    def empty(self) -> Given:
        return {}

    def to_internal_value(self, data: Any) -> Given:
        problems = Problems()
        found: Given = {}
        for prefix, place, values in self.sections(data, problems):
            for path, value in leaves(values):
                where = f"{place}.{'.'.join(map(str, path))}"
                with problem_at(where, problems):
                    store(found, prefix, path, value, None)
        raise_if_any(problems)
        return found

    def show(self, rows: Sequence[Row]) -> dict[str, Any]:
        """All of them; in a seed, those that `patches` cannot carry."""
        seed = self.context.get("seed", False)
        return nest(
            (parse_key(row.key), row.value)
            for row in rows
            if not row.unset and not (seed and survives_as_text(row.value))
        )


class PatchesField(ValuesField):
    """Values by key, as text."""

    def to_internal_value(self, data: Any) -> Given:
        problems = Problems()
        found: Given = {}
        for prefix, place, patches in self.sections(data, problems):
            for key, value in patches.items():
                text = value if isinstance(value, str) else None
                with problem_at(f"{place}.{key}", problems):
                    for path, leaf in leaves(typed(value), parse_key(str(key))):
                        store(found, prefix, path, leaf, text)
        raise_if_any(problems)
        return found

    def show(self, rows: Sequence[Row]) -> dict[str, Any]:
        """All of them; in a seed, those of which reading the text back gives exactly the value, so
        that the reference service can read it too."""
        seed = self.context.get("seed", False)
        return flat_view(
            (parse_key(row.key), row.value)
            for row in rows
            if not row.unset and (not seed or survives_as_text(row.value))
        )


class UnsetField(PatchRowsField):
    """Keys of lower layers to ignore."""

    section_type = list
    section_name = "a list of keys"

    @property
    def empty(self) -> frozenset[Tail]:
        return frozenset()

    def to_internal_value(self, data: Any) -> frozenset[Tail]:
        problems = Problems()
        tails = set()
        for prefix, place, keys in self.sections(data, problems):
            for index, key in enumerate(keys):
                where = f"{place}[{index}]"
                if not isinstance(key, str):
                    problems.add(where, f"must be a key, not {describe(key)}")
                    continue
                with problem_at(where, problems):
                    tails.add(tail_of(*prefix, format_key(parse_key(key))))
        raise_if_any(problems)
        return frozenset(tails)

    def show(self, rows: Sequence[Row]) -> list[str]:
        return [row.key for row in rows if row.unset]


@contextmanager
def problem_at(place: str, problems: Problems) -> Iterator[None]:
    try:
        yield
    except (ValueProblem, TypeError) as problem:
        problems.add(place, str(problem))


def store(found: Given, prefix: Tail, path: Path, value: Any, text: str | None) -> None:
    check_value(value)
    key = format_key(path)
    parse_key(key)
    tail = tail_of(*prefix, key)
    if tail in found:
        raise ValueProblem("is given twice")
    found[tail] = given_value(to_json(value), text)
