"""Brings rows to what specifications want, for one object or for ten thousand at once."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models as django_models

from fleet import models
from fleet.desired_state.queries import rows_by_key, rows_with
from fleet.desired_state.values import Path, conflicts, format_key, parse_key
from fleet.history.change import change
from fleet.models.tracked import Row, same
from fleet.resources.problems import Problems, join
from fleet.resources.reading import wire_names
from fleet.resources.specs import ReplacePatches, Spec, Tail, Wanted
from fleet.services.rows import BATCH, chunks, delete_rows, is_plain, update_rows

OWNER_CHUNK = 1_000
Progress = Callable[[int], None]


def apply_specs(
    specs: Sequence[Spec], *, problems: Problems, progress: Progress = lambda done: None
) -> None:
    """Creates what is missing and updates what differs, in an order in which each refers only to
    what is there. From the first problem on nothing more is written, but everything is looked at:
    all problems are told at once. What was written before it is taken back with the change.
    """
    with change():
        _check_dns_names(specs, problems)
        for model in models.TRACKED_MODELS:
            for chunk in chunks([spec for spec in specs if spec.model is model], OWNER_CHUNK):
                _write_objects(model, chunk, problems)
                progress(len(chunk))
        for child_model in models.TRACKED_MODELS:
            owners = [spec for spec in specs if child_model in spec.children]
            for chunk in chunks(owners, OWNER_CHUNK):
                _sync_children(child_model, list(chunk), problems)
                progress(len(chunk))
        problems.raise_if_any()


def _write_objects(model: Any, specs: Sequence[Spec], problems: Problems) -> None:
    """Checks the objects themselves, and writes them where there is no problem so far."""
    existing = rows_by_key(model, [spec.id for spec in specs if is_plain(spec.id)])
    created, updated = [], []
    for spec in specs:
        row = existing.get(spec.id)
        if row is not None and not spec.attributes:
            continue
        instance = model(id=spec.id) if row is None else _instance(model, row)
        for name, value in spec.attributes.items():
            setattr(instance, name, value)
        if not _clean(instance, spec.path, problems):
            continue
        if row is None:
            created.append(instance)
            spec.wrote = True
            continue
        fields = {name: getattr(instance, name) for name in spec.attributes}
        if any(not same(getattr(row, name), value) for name, value in fields.items()):
            updated.append((row, fields))
            spec.wrote = True
    if problems.by_path:
        return
    if created:
        model.objects.bulk_create(created, batch_size=BATCH)
    update_rows(model, updated)


def _sync_children(model: Any, specs: list[Spec], problems: Problems) -> None:
    """Makes the children of these owners exactly the wanted ones."""
    owner, *rest = model.identity
    found: dict[str, dict[Tail, Row]] = {spec.id: {} for spec in specs}
    for row in rows_with(model, owner, list(found)):
        found[getattr(row, owner)][tuple(getattr(row, name) for name in rest)] = row
    created, updated, deleted = [], [], []
    for spec in specs:
        existing = found[spec.id]
        child = spec.children[model]
        if isinstance(child, ReplacePatches) and child.views:
            contradictions = child.views.contradictions(existing)
            for tail in contradictions:
                where = ".".join(("patches", *tail))
                problems.add(
                    join(spec.path, where), "says another thing than values does of this key"
                )
            if contradictions:
                continue
        wanted = child.rows(existing)
        if isinstance(child, ReplacePatches):
            _check_keys(spec, wanted, problems)
        gone = [row for tail, row in existing.items() if tail not in wanted]
        deleted += gone
        spec.wrote |= bool(gone)
        for tail, attributes in wanted.items():
            row = existing.get(tail)
            if row is None:
                key = dict(zip(rest, tail, strict=True))
                created.append({owner: spec.id, **key, **attributes})
            elif any(getattr(row, name) != value for name, value in attributes.items()):
                updated.append((row, attributes))
            else:
                continue
            spec.wrote = True
            # Patches were checked as they were read. Blank and null are always right, and most of
            # what an import brings.
            if isinstance(child, ReplacePatches) or not any(attributes.values()):
                continue
            instance = model(**created[-1]) if row is None else _instance(model, row, attributes)
            _clean(instance, join(spec.path, child.places[tail]), problems)
    if problems.by_path:
        return
    delete_rows(model, deleted)
    model.objects.insert_rows(created)
    update_rows(model, updated)


def _check_keys(spec: Spec, wanted: Wanted, problems: Problems) -> None:
    """As the guard does at the end; but a layer with both `a` and `a.b` cannot even be shown."""
    keys: dict[Tail, list[Path]] = {}
    for (*component, key), attributes in wanted.items():
        if not attributes["unset"]:
            keys.setdefault(tuple(component), []).append(parse_key(key))
    for layer, paths in keys.items():
        for found in conflicts(paths):
            where = ".".join(("patches", *layer, format_key(found.long)))
            problems.add(join(spec.path, where), found.of_long)


def _instance(model: Any, row: Row, attributes: Mapping[str, Any] | None = None) -> Any:
    instance = model.from_db(None, row._fields, tuple(row))
    for name, value in (attributes or {}).items():
        setattr(instance, name, value)
    return instance


def _clean(instance: Any, path: str, problems: Problems) -> bool:
    """As `full_clean()`, but for what it asks the database row by row.

    References have been looked up for all documents at once, and uniqueness is a matter of which
    rows are created.
    """
    references = [
        field.name
        for field in instance._meta.concrete_fields
        if isinstance(field, django_models.ForeignKey)
    ]
    good = True
    try:
        instance.clean_fields(exclude=references)
        instance.clean()
    except ValidationError as error:
        problems.add_validation(path, error, wire_names(instance._meta.model))
        good = False
    missing = [
        field.name
        for field in instance._meta.concrete_fields
        if field.name in references and getattr(instance, field.attname) is None
    ]
    for name in missing:
        if join(path, name) not in problems.by_path:  # Else it is there, but wrong.
            problems.add(join(path, name), "is required")
    return good and not missing


def _check_dns_names(specs: Sequence[Spec], problems: Problems) -> None:
    """Unique, also among what is being written."""
    wanted: dict[str, Spec] = {}
    for spec in specs:
        dns = spec.attributes.get("dns") if spec.model is models.Cluster else None
        if not isinstance(dns, str) or not is_plain(dns):
            continue
        other = wanted.setdefault(dns.lower(), spec)
        if other is not spec:
            problems.add(join(spec.path, "cluster_dns"), _taken(dns, other.id))
    for chunk in chunks(sorted(wanted), OWNER_CHUNK):
        holders = models.Cluster.objects.filter(dns__in=list(chunk)).values_list("dns", "id")
        for dns, holder in holders:
            spec = wanted[dns]
            if spec.id != holder:
                problems.add_taken(join(spec.path, "cluster_dns"), _taken(dns, holder))


def _taken(dns: str, holder: str) -> str:
    return f"{dns!r} is the DNS name of cluster {holder} already"
