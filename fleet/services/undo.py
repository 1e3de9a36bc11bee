"""Undo: take a revision back, or a cluster to what it was."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import IntegrityError

from fleet import models
from fleet.errors import Conflict, NotFound
from fleet.history.change import RowChange, change
from fleet.history.time_travel import changes_of, cluster_rows_at, revision_get
from fleet.models.tracked import Row, columns, same
from fleet.services.rows import (
    Identity,
    create_rows,
    delete_rows,
    dns_holders,
    identity_of,
    is_plain,
    missing_references,
    rows_by_identity,
    spell,
    unfitting,
    update_rows,
)


@dataclass(frozen=True, slots=True)
class UndoConflict:
    """Why a part of a revision cannot be taken back."""

    object: str
    reason: str


@dataclass(slots=True)
class _Work:
    """What taking a revision back does to one table."""

    create: list[Row] = field(default_factory=list)
    delete: list[Row] = field(default_factory=list)
    update: list[tuple[Row, dict[str, Any]]] = field(default_factory=list)


def revision_revert(*, number: int, skip_conflicts: bool = False) -> None:
    """Puts back exactly what the revision changed, as a new revision."""
    with change() as opened:
        by = reverted_by(revision_get(number))
        if by is not None:
            raise Conflict(f"Revision {number} was reverted by revision {by.number} already.")
        # A token that was revoked stays so, and a secret never comes back.
        done = changes_of(number)
        changes = [item for item in done if item.model is not models.Token]
        # One that came with its cluster goes with it.
        tokens = [item for item in done if item.model is models.Token and item.kind == "+"]
        work, conflicts = _plan_work(changes, tokens)
        if conflicts and not skip_conflicts:
            _refuse(conflicts)
        if not any(part.create or part.delete or part.update for part in work.values()):
            raise Conflict(f"Nothing of revision {number} is left to be reverted.")
        opened.reverts = number
        _run(work)


def _refuse(conflicts: Sequence[UndoConflict]) -> None:
    more = f" (and {len(conflicts) - 1} more)" if len(conflicts) > 1 else ""
    first = conflicts[0]
    raise Conflict(
        f"Later changes stand in the way: {first.object} {first.reason}{more}.",
        {"conflicts": [{"object": item.object, "reason": item.reason} for item in conflicts]},
    )


def reverted_by(revision: models.Revision) -> models.Revision | None:
    """The revision that took it back and was not itself taken back."""
    for candidate in revision.reverted_by.order_by("-number"):
        if reverted_by(candidate) is None:
            return candidate
    return None


def cluster_restore(*, cluster: str, number: int) -> models.Cluster:
    """The cluster with its assignments, patches, labels and state as at the revision."""
    with change():
        if not is_plain(cluster):
            raise NotFound(f"There was no cluster {cluster!r} at revision {number}.")
        then = cluster_rows_at(cluster, number)
        purged = not models.Cluster.objects.filter(pk=cluster).exists()
        children = dict(then.children)
        # A profile's list is the profile's, unless the purge was what took the cluster off it.
        listed = children.pop(models.ProfileCluster)
        if purged:
            known = set(models.Profile.objects.values_list("pk", flat=True))
            children[models.ProfileCluster] = [row for row in listed if row.profile_id in known]
        _require_references(models.Cluster, [then.row], cluster)
        for model, rows in children.items():
            _require_references(model, rows, cluster)
        _require_dns_name(then.row)
        try:
            _bring(models.Cluster, [then.row], {"id": cluster})
            for model, rows in children.items():
                _bring(model, rows, {"cluster_id": cluster})
        except IntegrityError as error:
            raise unfitting(error) from error
        return models.Cluster.objects.get(pk=cluster)


def _bring(model: Any, wanted: Sequence[Row], where: Mapping[str, Any]) -> None:
    """Makes the rows of this scope those, by what they are about."""
    current = {identity_of(model, row): row for row in model.objects.filter(**where).rows()}
    target = {identity_of(model, row): row for row in wanted}
    delete_rows(model, [row for identity, row in current.items() if identity not in target])
    create_rows(model, [row for identity, row in target.items() if identity not in current])
    update_rows(
        model,
        [
            (current[identity], _settings(model, row))
            for identity, row in target.items()
            if identity in current
        ],
    )


def _require_references(model: Any, rows: Sequence[Row], cluster: str) -> None:
    missing = sorted(
        {
            spell(target, [key])
            for gone in missing_references(model, rows).values()
            for _, target, key in gone
            if (target, key) != (models.Cluster, cluster)
        }
    )
    if missing:
        raise Conflict(
            f"It refers to what is no longer there: {', '.join(missing)}.", {"missing": missing}
        )


def _require_dns_name(row: Row) -> None:
    for _, holder in dns_holders([row]):
        message = f"{row.dns!r} is the DNS name of cluster {holder} by now"
        raise Conflict(f"{message}.", {"cluster_dns": [message]})


def _settings(model: Any, row: Row) -> dict[str, Any]:
    """A row's values, without what it is about and its generated key."""
    return {
        name: getattr(row, name)
        for name in columns(model)
        if name not in model.identity and name != model._meta.pk.attname
    }


def _plan_work(
    changes: Sequence[RowChange], along: Sequence[RowChange]
) -> tuple[dict[Any, _Work], list[UndoConflict]]:
    """`along` is what goes by itself where what it belongs to is taken back."""
    changes = _net(changes)
    own: dict[Any, list[RowChange]] = {}
    for item in changes:
        own.setdefault(item.model, []).append(item)
    present = {
        model: rows_by_identity(model, (item.identity() for item in items))
        for model, items in own.items()
    }
    work = {model: _Work() for model in own}
    conflicts: list[UndoConflict] = []
    # What stays keeps what it refers to; what cannot come back leaves what refers to it away.
    leaving = {(item.model, item.identity()) for item in (*changes, *along) if item.kind == "+"}
    returning = {(item.model, item.pk) for item in changes if item.kind == "-"}
    known = [model for model in models.TRACKED_MODELS if model in own]
    for model in reversed(known):
        conflicts += _undo_created(model, own[model], present[model], leaving, work[model])
    for model in known:
        conflicts += _undo_deleted(model, own[model], present[model], returning, work[model])
        conflicts += _undo_changed(model, own[model], present[model], returning, work[model])
    return work, conflicts


def _net(changes: Sequence[RowChange]) -> list[RowChange]:
    """A row that was deleted and created anew, with another key, was changed."""
    net: dict[tuple[Any, Identity], RowChange] = {}
    for item in changes:
        what = (item.model, item.identity())
        other = net.get(what)
        net[what] = item if other is None else _joined(item, other)
    return list(net.values())


def _joined(one: RowChange, other: RowChange) -> RowChange:
    return RowChange(one.model, one.pk, one.old or other.old, one.new or other.new)


def _undo_created(
    model: Any,
    changes: Sequence[RowChange],
    present: Mapping[Identity, Row],
    leaving: set[Any],
    work: _Work,
) -> Iterator[UndoConflict]:
    unchanged = []
    for item in changes:
        row = present.get(item.identity())
        if item.kind != "+" or row is None:
            continue
        if same(_settings(model, row), _settings(model, item.new)):
            unchanged.append(row)
        else:
            leaving.discard((model, item.identity()))
            yield UndoConflict(spell(model, item.identity()), "was changed later")
    users = _users(model, unchanged, leaving)
    for row in unchanged:
        identity = identity_of(model, row)
        user = users.get(getattr(row, model._meta.pk.attname))
        if user:
            leaving.discard((model, identity))
            yield UndoConflict(spell(model, identity), f"is used by {user}")
        else:
            work.delete.append(row)


def _undo_deleted(
    model: Any,
    changes: Sequence[RowChange],
    present: Mapping[Identity, Row],
    returning: set[Any],
    work: _Work,
) -> Iterator[UndoConflict]:
    absent = []
    for item in changes:
        if item.kind != "-":
            continue
        row = present.get(item.identity())
        if row is None:
            absent.append(item.old)
        elif not same(_settings(model, row), _settings(model, item.old)):
            yield UndoConflict(spell(model, item.identity()), "was created anew later")
    obstacles = _obstacles(model, absent, changes, returning)
    for row in absent:
        identity = identity_of(model, row)
        if identity in obstacles:
            returning.discard((model, getattr(row, model._meta.pk.attname)))
            for reason in obstacles[identity].values():
                yield UndoConflict(spell(model, identity), reason)
        else:
            work.create.append(row)


def _undo_changed(
    model: Any,
    changes: Sequence[RowChange],
    present: Mapping[Identity, Row],
    returning: set[Any],
    work: _Work,
) -> Iterator[UndoConflict]:
    updates: list[tuple[Row, dict[str, Any]]] = []
    for item in changes:
        if item.kind != "~":
            continue
        name, row = spell(model, item.identity()), present.get(item.identity())
        if row is None:
            yield UndoConflict(name, "was deleted later")
            continue
        back = {}
        for column, old in _settings(model, item.old).items():
            new, now = getattr(item.new, column), getattr(row, column)
            if same(old, new) or same(now, old):
                continue
            if same(now, new):
                back[column] = old
            else:
                yield UndoConflict(name, f"has another {column} by now: {now!r}")
        if back:
            updates.append((row, back))
    targets = [row._replace(**back) for row, back in updates]
    obstacles = _obstacles(model, targets, changes, returning)
    for row, back in updates:
        identity = identity_of(model, row)
        for column, reason in obstacles.get(identity, {}).items():
            del back[column]
            yield UndoConflict(spell(model, identity), reason)
        if back:
            work.update.append((row, back))


def _obstacles(
    model: Any, wanted: Sequence[Row], changes: Sequence[RowChange], returning: set[Any]
) -> dict[Identity, dict[str, str]]:
    """By column, why rows cannot be as they were, though nobody touched these rows themselves."""
    found: dict[Identity, dict[str, str]] = {}
    for identity, gone in missing_references(model, wanted).items():
        for column, target, key in gone:
            if (target, key) not in returning:
                reason = f"refers to {spell(target, [key])}, which is gone"
                found.setdefault(identity, {})[column] = reason
    if model is models.Cluster:
        moving = {item.pk for item in changes}
        for row, holder in dns_holders(wanted):
            if holder not in moving:
                reason = f"had the DNS name {row.dns}, which cluster {holder} has by now"
                found.setdefault((row.id,), {})["dns"] = reason
    return found


def _users(model: Any, rows: Sequence[Row], leaving: set[Any]) -> dict[Any, str]:
    """By key, one of the rows that refer to it and are not taken back with it."""
    pk = model._meta.pk.attname
    keys = [getattr(row, pk) for row in rows]
    users: dict[Any, str] = {}
    for relation in model._meta.related_objects if keys else ():
        related, column = relation.related_model, relation.field.attname
        if related not in models.TRACKED_MODELS:
            continue
        for row in related.objects.filter(**{f"{column}__in": keys}).rows():
            identity = identity_of(related, row)
            if (related, identity) not in leaving:
                users.setdefault(getattr(row, column), spell(related, identity))
    return users


def _run(work: Mapping[Any, _Work]) -> None:
    """What others refer to is created first and deleted last."""
    try:
        for model in reversed(models.TRACKED_MODELS):
            delete_rows(model, work[model].delete if model in work else ())
        for model in models.TRACKED_MODELS:
            if model in work:
                update_rows(model, work[model].update)
                create_rows(model, work[model].create)
    except IntegrityError as error:
        raise unfitting(error) from error
