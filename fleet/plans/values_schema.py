"""Whether the merged values of components meet the JSON Schema that the catalog has for them."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from itertools import islice
from typing import Any

import jsonschema
from referencing import Registry
from referencing.exceptions import Unresolvable

from fleet import models
from fleet.desired_state.inputs import COMPONENTS, Answers
from fleet.history.change import Changes

MOST_PROBLEMS = 50


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    component: str
    message: str
    clusters: tuple[str, ...]


class SchemaCheck:
    """Looks at what a change touches; where a schema itself changed, at every cluster.

    But not at frozen ones: they keep what they have, whatever a schema says by now.
    """

    def __init__(
        self, schemas: dict[str, Any], changed: Collection[str], frozen: Collection[str] = ()
    ) -> None:
        self._frozen = frozen
        self._validators = {item: _validator(schema) for item, schema in schemas.items()}
        self._changed = changed
        self._seen: dict[tuple[str, str], str] = {}
        self._problems: dict[tuple[str, str], list[str]] = defaultdict(list)

    @classmethod
    def for_changes(cls, changes: Changes) -> "SchemaCheck":
        if not changes:
            return cls({}, ())
        rows = models.Component.objects.filter(values_schema__isnull=False)
        changed = {
            change.pk
            for change in changes.rows
            if change.model is models.Component
            and any(name == "values_schema" for name, _, _ in change.fields())
        }
        frozen = models.FrozenAnswers.objects.values_list("pk", flat=True) if changed else ()
        return cls(dict(rows.values_list("pk", "values_schema")), changed, set(frozen))

    def check(self, cluster_id: str, after: Answers, touched: Collection[str]) -> None:
        if not self._validators or cluster_id in self._frozen:
            return
        for item in after.items[COMPONENTS]:
            wanted = item.id in touched or item.id in self._changed
            if not wanted or item.id not in self._validators:
                continue
            key = (item.id, item.body)
            if key not in self._seen:
                self._seen[key] = _problem(self._validators[item.id], item.fields()["values"])
            if self._seen[key]:
                self._problems[item.id, self._seen[key]].append(cluster_id)

    def problems(self) -> tuple[SchemaProblem, ...]:
        return tuple(
            SchemaProblem(component, message, tuple(clusters))
            for (component, message), clusters in sorted(self._problems.items())
        )


def _validator(schema: Any) -> Any:
    """With a registry of its own, so that a `$ref` never makes us fetch anything."""
    return jsonschema.validators.validator_for(schema)(schema, registry=Registry())


def schema_problems(schema: Any, values: Any) -> list[str]:
    """What is wrong with the values: the first few things, as the schema has them."""
    validator = _validator(schema)
    try:
        errors = list(islice(validator.iter_errors(values), MOST_PROBLEMS))
    except (Unresolvable, RecursionError):
        return [_problem(validator, values)]
    return [_sentence(jsonschema.exceptions.best_match([error])) for error in errors]


def _problem(validator: Any, values: Any) -> str:
    try:
        error = jsonschema.exceptions.best_match(validator.iter_errors(values))
    except Unresolvable:
        return "the schema refers to what is not in it; other documents are not looked up"
    except RecursionError:
        return "the schema refers to itself without end"
    return _sentence(error) if error else ""


def _sentence(error: Any) -> str:
    path = ".".join(map(str, error.absolute_path))
    return f"{path}: {error.message}" if path else error.message
