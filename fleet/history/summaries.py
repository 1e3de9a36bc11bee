"""What a revision did, as a sentence: “set replicaCount 2 → 3 for podinfo on 14 clusters”."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count
from django.utils import timezone

from fleet import models
from fleet.desired_state.values import to_json
from fleet.history.change import RowChange
from fleet.history.revision_rows import Written, alike_rows, first_rows, written_by
from fleet.models.tracked import Row

# Beyond this many rows of one table, a sentence only counts.
SAMPLE = 20
TOLD = 2
# Rows of one revision that are compared with one another, to tell whether they say the same.
MOST_COMPARED = 20_000
LONGEST_VALUE = 40
# The object that a row belongs to: its identity begins with it.
OWNERS: dict[Any, Any] = {
    model: model._meta.get_field(model.identity[0]).related_model
    for model in models.TRACKED_MODELS
    if model.identity[0] != "id"
}
ROWS_OF_AN_OBJECT = {
    models.ComponentDependency: ("dependency", "dependencies"),
    models.ComponentPatch: ("patch", "patches"),
    models.ClusterComponent: ("component", "components"),
    models.ClusterPatch: ("patch", "patches"),
    models.ClusterNamespace: ("namespace", "namespaces"),
    models.ClusterRoleBinding: ("rolebinding", "rolebindings"),
    models.ProfileEnvironment: ("environment", "environments"),
    models.ProfileCluster: ("listed cluster", "listed clusters"),
    models.ProfileComponent: ("component", "components"),
    models.ProfilePatch: ("patch", "patches"),
    models.ProfileNamespace: ("namespace", "namespaces"),
    models.ProfileRoleBinding: ("rolebinding", "rolebindings"),
}
STATES = {
    ("waiting", "active"): "approved",
    ("active", "frozen"): "froze",
    ("frozen", "active"): "unfroze",
    ("active", "decommissioned"): "decommissioned",
    ("frozen", "decommissioned"): "decommissioned",
    ("decommissioned", "active"): "recommissioned",
}


@dataclass(frozen=True, slots=True)
class Story:
    sentence: str
    # How many clusters got something else by it.
    clusters: int


@dataclass(frozen=True, slots=True)
class Clause:
    """Something that was done, and the one thing that it was done to: such clauses add up."""

    before: str
    noun: str
    name: str
    after: str = ""


def stories(revisions: Sequence[models.Revision]) -> dict[int, Story]:
    """In a number of queries that depends on the tables written, not on how many there are."""
    numbers = [revision.number for revision in revisions]
    written = written_by(numbers)
    rows = first_rows(written, SAMPLE)
    alike = _alike(written)
    effects = models.Effect.objects.filter(revision_id__in=numbers).order_by()
    clusters = dict(
        effects.values("revision_id")
        .annotate(count=Count("pk"))
        .values_list("revision_id", "count")
    )
    found = {}
    for revision in revisions:
        number = revision.number
        text = _sentence(written[number], rows[number], number in alike)
        if revision.reverts_id:
            text = f"reverted revision {revision.reverts_id}: {text}"
        found[number] = Story(text, clusters.get(number, 0))
    return found


def _sentence(tables: Sequence[Written], rows: Sequence[RowChange], alike: bool) -> str:
    if not _is_large(tables):
        return tell(rows)
    return tell_alike(rows[0], tables[0].count) if alike and rows else tell_counts(tables)


def _is_large(tables: Iterable[Written]) -> bool:
    return any(table.count > SAMPLE for table in tables)


def _alike(written: Mapping[int, Sequence[Written]]) -> set[int]:
    """Of the large ones, those that did the same to each of many clusters."""
    numbers: dict[Any, list[int]] = {}
    for number, tables in written.items():
        model = tables[0].model if len(tables) == 1 else None
        of_clusters = model in CLAUSES and OWNERS[model] is models.Cluster
        if of_clusters and SAMPLE < tables[0].count <= MOST_COMPARED:
            numbers.setdefault(model, []).append(number)
    return {number for model, own in numbers.items() for number in alike_rows(model, own)}


def tell_alike(first: RowChange, count: int) -> str:
    """What was there before may have differed, so only what is there now is told."""
    if first.kind == "~" and first.model is models.ClusterComponent:
        return f"changed {first.row.component_id} on {_counted(count, 'cluster')}"
    now = RowChange(first.model, first.pk, None, first.new) if first.kind == "~" else first
    [clause] = _clauses([now])
    return f"{clause.before} {_counted(count, clause.noun)}{clause.after}"


def tell_counts(tables: Sequence[Written]) -> str:
    """Objects before the rows that belong to them."""
    counts = sorted(
        (table for table in tables if table.model is not models.FrozenAnswers),
        key=lambda table: (table.model in OWNERS, -table.count),
    )
    parts = [_counted(table.count, *_names(table.model)) for table in counts[: TOLD + 1]]
    rest = sum(table.count for table in counts[TOLD + 1 :])
    return f"wrote {_listed([*parts, *([_counted(rest, 'other row')] if rest else [])])}"


def tell(changes: Sequence[RowChange]) -> str:
    """All of a small revision's changes; those that say the same of several things are one."""
    objects, others = _absorbed(changes)
    clauses: dict[Clause, list[Clause]] = {}
    for clause in _clauses(others):
        clauses.setdefault(Clause(clause.before, clause.noun, "", clause.after), []).append(clause)
    told = [*objects, *(_spelled(group) for group in clauses.values())]
    weights = [1] * len(objects) + [len(group) for group in clauses.values()]
    if not told:
        return "changed nothing that is shown"
    rest = sum(weights[TOLD:])
    more = [f"{_counted(rest, 'more change')}"] if rest else []
    return _listed([*told[:TOLD], *more])


def _absorbed(changes: Sequence[RowChange]) -> tuple[list[str], list[RowChange]]:
    """Objects that came or went, told with the rows that came or went with them; and the rest."""
    whole = {(change.model, change.pk): change.kind for change in changes if _is_whole(change)}
    names: dict[tuple[Any, str], list[str]] = {}
    parts: dict[tuple[Any, str], Counter[Any]] = {}
    rest = []
    for change in changes:
        owner = OWNERS.get(change.model)
        what = (owner, change.identity()[0])
        if _is_whole(change):
            names.setdefault((change.model, change.kind), []).append(change.pk)
        elif owner is not None and whole.get(what) == change.kind:
            parts.setdefault((owner, change.kind), Counter())[change.model] += 1
        elif change.model is not models.FrozenAnswers:
            rest.append(change)
    told = []
    for (model, kind), ids in names.items():
        verb = "created" if kind == "+" else "deleted"
        things = f"{_names(model)[0]} {ids[0]}" if len(ids) == 1 else _many(len(ids), model)
        told.append(f"{verb} {things}{_with(parts.get((model, kind), Counter()))}")
    return told, rest


def _is_whole(change: RowChange) -> bool:
    return change.kind != "~" and change.model not in OWNERS


def _with(parts: Mapping[Any, int]) -> str:
    shown = [
        _counted(count, *ROWS_OF_AN_OBJECT[model])
        for model, count in parts.items()
        if model in ROWS_OF_AN_OBJECT
    ]
    return f" with {_listed(shown)}" if shown else ""


def _clauses(changes: Iterable[RowChange]) -> Iterator[Clause]:
    for change in changes:
        yield from CLAUSES.get(change.model, _of_object)(change)


def _of_object(change: RowChange) -> Iterator[Clause]:
    noun = _names(change.model)[0]
    for field, old, new in change.fields():
        verb = STATES.get((old, new)) if field == "state" else None
        if verb:
            yield Clause(verb, noun, change.pk)
        else:
            after = f" {_value(old)} → {_value(new)}"
            yield Clause(f"changed {field.removesuffix('_id')} of", noun, change.pk, after)


def _of_patch(change: RowChange) -> Iterator[Clause]:
    """The layer says where: by default, in a profile, on a cluster."""
    row, (noun, name, place) = change.row, _place(change)
    if change.new is None:
        was = f"{row.key} (was {_patch_value(change.old)})"
        yield Clause(f"removed {was} of {row.component_id}{place}", noun, name)
    elif change.new.unset:
        yield Clause(f"unset {row.key} for {row.component_id}{place}", noun, name)
    else:
        new = _patch_value(change.new)
        change_text = f"{_patch_value(change.old)} → {new}" if change.old else f"to {new}"
        yield Clause(f"set {row.key} {change_text} for {row.component_id}{place}", noun, name)


def _patch_value(row: Row) -> str:
    return "unset" if row.unset else _short(row.value)


def _place(change: RowChange) -> tuple[str, str, str]:
    if change.model is models.ComponentPatch:
        return "", "", " by default"
    noun = "cluster" if OWNERS[change.model] is models.Cluster else "profile"
    return noun, change.identity()[0], " on" if noun == "cluster" else " in"


def _of_component(change: RowChange) -> Iterator[Clause]:
    noun, name, place = _place(change)
    component = change.row.component_id
    if change.kind != "~":
        yield _assignment(change, component)
        return
    for field, old, new in change.fields():
        if field == "enabled" and new is not None:
            yield Clause(f"{'enabled' if new else 'disabled'} {component}{place}", noun, name)
        else:
            text = f"changed {field} of {component} {_value(old)} → {_value(new)}"
            yield Clause(f"{text}{place}", noun, name)


def _of_assignment(column: str) -> Callable[[RowChange], Iterator[Clause]]:
    def clauses(change: RowChange) -> Iterator[Clause]:
        thing = f"{column.removesuffix('_id')} {getattr(change.row, column)}"
        yield _assignment(change, thing)

    return clauses


def _assignment(change: RowChange, thing: str) -> Clause:
    noun, name, _ = _place(change)
    before = f"assigned {thing} to" if change.kind == "+" else f"took {thing} from"
    return Clause(before, noun, name)


def _of_dependency(change: RowChange) -> Iterator[Clause]:
    row = change.row
    if change.kind == "+":
        yield Clause("made", "component", row.component_id, f" depend on {row.dependency_id}")
    else:
        yield Clause("freed", "component", row.component_id, f" of needing {row.dependency_id}")


def _of_selector(noun: str) -> Callable[[RowChange], Iterator[Clause]]:
    def clauses(change: RowChange) -> Iterator[Clause]:
        profile, name = change.identity()
        verb, joint = ("added", "to") if change.kind == "+" else ("took", "from")
        yield Clause(verb, noun, name, f" {joint} the selector of profile {profile}")

    return clauses


CLAUSES: dict[Any, Callable[[RowChange], Iterator[Clause]]] = {
    models.ComponentDependency: _of_dependency,
    models.ComponentPatch: _of_patch,
    models.ClusterPatch: _of_patch,
    models.ProfilePatch: _of_patch,
    models.ClusterComponent: _of_component,
    models.ProfileComponent: _of_component,
    models.ClusterNamespace: _of_assignment("namespace_id"),
    models.ProfileNamespace: _of_assignment("namespace_id"),
    models.ClusterRoleBinding: _of_assignment("rolebinding_id"),
    models.ProfileRoleBinding: _of_assignment("rolebinding_id"),
    models.ProfileEnvironment: _of_selector("environment"),
    models.ProfileCluster: _of_selector("cluster"),
}


def _spelled(group: Sequence[Clause]) -> str:
    first = group[0]
    if len(group) > 1:
        return f"{first.before} {_counted(len(group), first.noun)}{first.after}"
    return " ".join(filter(None, (first.before, first.noun, first.name))) + first.after


def _names(model: Any) -> tuple[str, str]:
    return str(model._meta.verbose_name), str(model._meta.verbose_name_plural)


def _many(count: int, model: Any) -> str:
    return _counted(count, *_names(model))


def _counted(count: int, noun: str, plural: str = "") -> str:
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def _listed(parts: Sequence[str]) -> str:
    """“a, b and c”."""
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def _value(value: Any) -> str:
    if value in ("", None):
        return "nothing"
    if isinstance(value, datetime):
        return f"{timezone.localtime(value):%Y-%m-%d %H:%M %Z}"
    return _short(value if isinstance(value, str) else to_json(value))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"
