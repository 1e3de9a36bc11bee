"""Finds and writes tracked rows in bulk: what applying, undoing and restoring are made of."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.db import IntegrityError
from django.db import models as django_models

from fleet import models
from fleet.desired_state.queries import rows_with
from fleet.desired_state.values import ValueProblem, check_text, to_json
from fleet.errors import Conflict
from fleet.models.tracked import Row, columns, same

Identity = tuple[Any, ...]
BATCH = 2_000


def chunks(items: Sequence[Any], size: int = BATCH) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def is_plain(text: str) -> bool:
    """Whether a database can be asked for it: NUL and half a surrogate pair are errors to it."""
    try:
        check_text(text)
    except ValueProblem:
        return False
    return True


def identity_of(model: Any, row: Row) -> Identity:
    return tuple(getattr(row, name) for name in model.identity)


def rows_by_identity(model: Any, identities: Iterable[Identity]) -> dict[Identity, Row]:
    """The rows that are about these things today, whatever their keys."""
    wanted = set(identities)
    owners = sorted({identity[0] for identity in wanted})
    rows = rows_with(model, model.identity[0], owners)
    found = {identity_of(model, row): row for row in rows}
    return {identity: row for identity, row in found.items() if identity in wanted}


def create_rows(model: Any, rows: Sequence[Row]) -> None:
    """With generated keys of their own: the old ones belong to the old rows' history."""
    names = columns(model)
    generated = model._meta.auto_field
    instances = []
    for row in rows:
        values = dict(zip(names, row, strict=True))
        if generated is not None:
            del values[generated.attname]
        instances.append(model(**values))
    model.objects.bulk_create(instances, batch_size=BATCH)


def update_rows(model: Any, updates: Iterable[tuple[Row, Mapping[str, Any]]]) -> None:
    """Rows that get the same values are written together: one edit often reaches thousands."""
    pk = model._meta.pk.attname
    groups: dict[str, tuple[Mapping[str, Any], list[Any]]] = {}
    updates = list(updates)
    if model is models.Cluster:
        _free_dns_names(updates)
    for row, values in updates:
        changed: Mapping[str, Any] = {
            name: value for name, value in values.items() if not same(getattr(row, name), value)
        }
        if changed:
            groups.setdefault(to_json(changed), (changed, []))[1].append(getattr(row, pk))
    for changed, keys in groups.values():
        for chunk in chunks(keys):
            model.objects.filter(pk__in=chunk).update(**changed)


def _free_dns_names(updates: Sequence[tuple[Row, Mapping[str, Any]]]) -> None:
    """A cluster may get the name that another one gives up in the same change."""
    moving = [row.id for row, values in updates if values.get("dns", row.dns) != row.dns]
    for cluster_id in moving if len(moving) > 1 else ():
        models.Cluster.objects.filter(pk=cluster_id).update(dns=f"{cluster_id}.renamed.invalid")


def delete_rows(model: Any, rows: Iterable[Row]) -> None:
    pk = model._meta.pk.attname
    for chunk in chunks([getattr(row, pk) for row in rows]):
        model.objects.filter(pk__in=chunk).delete()


def missing_references(
    model: Any, rows: Sequence[Row]
) -> dict[Identity, list[tuple[str, Any, Any]]]:
    """For each row the (column, model, key) of what it refers to and is not there (any more)."""
    missing: dict[Identity, list[tuple[str, Any, Any]]] = defaultdict(list)
    for field in model._meta.concrete_fields:
        if not isinstance(field, django_models.ForeignKey):
            continue
        target: Any = field.related_model
        keys = {getattr(row, field.attname) for row in rows}
        there: set[Any] = set()
        for chunk in chunks(sorted(keys)):
            there.update(target.objects.filter(pk__in=chunk).values_list("pk", flat=True))
        for row in rows:
            key = getattr(row, field.attname)
            if key not in there:
                missing[identity_of(model, row)].append((field.attname, target, key))
    return missing


def dns_holders(clusters: Sequence[Row]) -> list[tuple[Row, str]]:
    """Those whose DNS name another cluster has today, with the id of that cluster."""
    wanted = {row.dns: row for row in clusters}
    held: list[tuple[str, str]] = []
    for chunk in chunks(sorted(wanted)):
        held += models.Cluster.objects.filter(dns__in=chunk).values_list("dns", "pk")
    return [(wanted[dns], holder) for dns, holder in held if wanted[dns].id != holder]


def spell(model: Any, identity: Sequence[Any]) -> str:
    """“cluster patch demo-01 / podinfo / replicaCount”, for people."""
    return f"{model._meta.verbose_name} {' / '.join(map(str, identity))}"


def unfitting(error: IntegrityError) -> Conflict:
    return Conflict(
        "This does not fit the present state of the fleet: a name is taken, or something that it "
        "refers to is gone.",
        {"database": [str(error).splitlines()[0]]},
    )
