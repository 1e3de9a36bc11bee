"""The one way to change the fleet: `with change(actor=…, source=…, reason=…):`.

A change is a transaction that holds the lock on the head, so changes follow one another. At its
end, what it did is compared with what was before; if anything differs, the plan is made, the guards
look at it (fleet/plans/planning.py), and the next revision and its history rows are written. A
change inside a change joins it. A write to tracked data outside any change makes one of its own.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from asgiref.local import Local
from django.apps import apps as django_apps
from django.db import models, transaction
from django.utils import timezone

from fleet import progress
from fleet.desired_state.layers import SHARED_MODELS
from fleet.desired_state.queries import rows_by_key, values_by_key
from fleet.errors import UnrecordedWrite
from fleet.gc_pause import without_garbage_collection
from fleet.history.tables import HISTORY_BATCH, copy_to_history, key_of, write_deletions
from fleet.models.cluster import Cluster
from fleet.models.revision import Effect, Head, Revision
from fleet.models.tracked import Row, columns, same

if TYPE_CHECKING:
    from fleet.plans.plan import Plan

# A revision that changes what at least half of the clusters get is wide, from so many on: fewer
# effects are read in milliseconds, and what the other clusters get need not be made again.
WIDE_CLUSTERS = 1_000
# The column that names the cluster, in the tables of what clusters have.
CLUSTER = "cluster_id"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who changes the fleet: a user, a token, or the system itself."""

    name: str
    kind: str = Revision.ActorKind.USER
    # The only environments whose clusters this actor may change; None: any.
    environments: frozenset[str] | None = None


SYSTEM = Actor("system", Revision.ActorKind.SYSTEM)


@dataclass(frozen=True, slots=True)
class RowChange:
    """What a change did to one row of a tracked table."""

    model: Any
    pk: Any
    old: Row | None
    new: Row | None

    @property
    def kind(self) -> str:
        """simple-history's sign for it."""
        if self.old is None:
            return "+"
        return "-" if self.new is None else "~"

    @property
    def row(self) -> Row:
        """The row as history keeps it: the new one, or the last of a deleted one."""
        return self.old if self.new is None else self.new

    def identity(self) -> tuple[Any, ...]:
        return tuple(getattr(self.row, name) for name in self.model.identity)

    def fields(self) -> list[tuple[str, Any, Any]]:
        """(column, old, new) for each that differs, but for key and identity; None: not there."""
        hidden = {*self.model.identity, self.model._meta.pk.attname}
        pairs = (
            (name, getattr(self.old, name, None), getattr(self.new, name, None))
            for name in columns(self.model)
            if name not in hidden
        )
        return [(name, old, new) for name, old, new in pairs if not same(old, new)]


@dataclass(frozen=True, slots=True)
class Changes:
    """The net effect of a change on the rows."""

    rows: list[RowChange]
    # Rows of clusters that the change inserted: by model and key, the id of the cluster. They are
    # not among `rows`: an import of 100,000 clusters has millions, and would need gigabytes.
    inserted: dict[Any, dict[Any, str]]

    def __bool__(self) -> bool:
        return bool(self.rows or self.inserted)

    def counts(self) -> dict[str, int]:
        """How many rows of each model, by its name."""
        counts = Counter(change.model._meta.model_name for change in self.rows)
        for model, keys in self.inserted.items():
            counts[model._meta.model_name] += len(keys)
        return dict(counts)

    def by_kind(self) -> dict[tuple[Any, str], list[Any]]:
        """The keys of the rows, by model and by simple-history's sign for what happened to them."""
        keys: dict[tuple[Any, str], list[Any]] = {}
        for change in self.rows:
            keys.setdefault((change.model, change.kind), []).append(change.pk)
        for model, inserted in self.inserted.items():
            keys.setdefault((model, "+"), []).extend(inserted)
        return keys

    def deleted(self) -> dict[Any, list[Row]]:
        """By model, the rows that are gone, as they were."""
        gone: dict[Any, list[Row]] = {}
        for change in self.rows:
            if change.kind == "-":
                gone.setdefault(change.model, []).append(change.row)
        return gone


@dataclass(slots=True)
class Change:
    """An open change. `revision` and `plan` are there once it has ended."""

    actor: Actor
    source: str
    reason: str
    registry: Any = django_apps
    reverts: int | None = None
    revision: Revision | None = None
    plan: "Plan | None" = None
    _before: dict[Any, dict[Any, Row | None]] = field(default_factory=dict)

    def touch(self, model: type[models.Model], pks: Sequence[Any]) -> None:
        """Remembers rows as they are now, before they are written for the first time."""
        before = self._before.setdefault(model, {})
        missing = [pk for pk in (key_of(model, pk) for pk in pks) if pk not in before]
        if missing:
            found = rows_by_key(model, missing)
            before.update((pk, found.get(pk)) for pk in missing)

    def touch_new(self, model: type[models.Model], pks: Sequence[Any]) -> None:
        """Remembers rows that this change has just inserted."""
        before = self._before.setdefault(model, {})
        for pk in pks:
            before.setdefault(key_of(model, pk), None)

    def row_changes(self) -> Changes:
        """The net effect so far, read from the database."""
        changes = Changes([], {})
        for model, before in self._before.items():
            keys = list(before)
            if _is_child(model):
                keys = [pk for pk, old in before.items() if old is not None]
                inserted = _clusters_of_new(model, before)
                if inserted:
                    changes.inserted[model] = inserted
            after = rows_by_key(model, keys)
            changes.rows.extend(
                RowChange(model, pk, before[pk], after.get(pk))
                for pk in keys
                if not same(before[pk], after.get(pk))
            )
        return changes

    def write_revision(self, changes: Changes, **known: Any) -> None:
        """`known` is what else is to be told of it."""
        head = self.registry.get_model("fleet", "Head").objects.get()
        head.number += 1
        head.save()
        self.revision = self.registry.get_model("fleet", "Revision").objects.create(
            number=head.number,
            created_at=timezone.now(),
            actor_kind=self.actor.kind,
            actor=self.actor.name,
            source=self.source,
            reason=self.reason,
            reverts_id=self.reverts,
            **known,
        )
        # Rows that are there are copied inside the database, which is many times faster.
        for (model, kind), keys in changes.by_kind().items():
            if kind != "-":
                copy_to_history(model, keys, kind, self.revision)
        for model, rows in changes.deleted().items():
            write_deletions(model, rows, self.revision)

    def write_effects(self) -> None:
        """Who was concerned is known now, and would be expensive to find out later."""
        assert self.revision is not None  # noqa: S101
        assert self.plan is not None  # noqa: S101
        number = self.revision.number
        concerned = self.plan.cluster_ids()
        Effect.objects.bulk_create(
            (Effect(revision_id=number, cluster_id=cluster_id) for cluster_id in concerned),
            batch_size=HISTORY_BATCH,
        )


def _is_wide(plan: "Plan") -> bool:
    """Most changes are small, and need not count the fleet."""
    concerned = len(plan.cluster_ids())
    return concerned >= WIDE_CLUSTERS and 2 * concerned >= Cluster.objects.count()


def _is_child(model: Any) -> bool:
    """Whether its rows belong to a cluster. The models of a migration do not tell."""
    return bool(getattr(model, "identity", ("",))[0] == CLUSTER)


def _clusters_of_new(model: Any, before: dict[Any, Row | None]) -> dict[Any, str]:
    """By key, the cluster of each row that was not there before, and is now."""
    found = values_by_key(model, CLUSTER, [pk for pk, old in before.items() if old is None])
    # One text for each cluster, not one for each of its rows.
    return {pk: sys.intern(cluster_id) for pk, cluster_id in found.items()}


def _require_identities(changes: Sequence[RowChange]) -> None:
    """A row that changes what it is about would break the thread of its history."""
    for row_change in changes:
        identity = getattr(row_change.model, "identity", ())
        if row_change.kind == "~" and any(
            getattr(row_change.old, name) != getattr(row_change.new, name) for name in identity
        ):
            raise UnrecordedWrite(
                f"{row_change.model._meta.label} {row_change.pk}: {', '.join(identity)} cannot "
                "change; delete the row and create another."
            )


class Planner(Protocol):
    """Makes the plan of a change that is about to end, or refuses the change."""

    def __call__(
        self, changes: Changes, *, actor: Actor, confirm: str, expect: str, dry_run: bool
    ) -> "Plan": ...


_planner: Planner | None = None


def plan_changes_by(registered: Planner) -> None:
    """Plans are made of what a change did, so they know this module, and it does not know them."""
    global _planner
    _planner = registered


# A change lives where its connection lives: in one thread, whatever context others copy.
_current = Local(thread_critical=True)


def current_change() -> Change | None:
    return getattr(_current, "change", None)


@contextmanager
def change(
    *,
    actor: Actor = SYSTEM,
    source: str = Revision.Source.SHELL,
    reason: str = "",
    confirm: str = "",
    expect: str = "",
    dry_run: bool = False,
) -> Iterator[Change]:
    """Opens a change, or joins the open one. A dry run makes the plan and takes it all back.

    It holds the lock until then, as any other: on PostgreSQL it locks the rows that it writes, and
    without the head before them, a real write could be the one that ends in a deadlock.

    `confirm` is the digest of a plan that removes; `expect`, of the only plan to go ahead with.
    """
    outer = current_change()
    if outer is not None:
        if dry_run:
            raise RuntimeError("A dry run cannot be a part of another change.")
        # A savepoint: what is refused leaves nothing behind, also where the caller goes on.
        with transaction.atomic():
            yield outer
        return
    with transaction.atomic():
        lock_head()
        opened = Change(actor=actor, source=source, reason=reason)
        with _as_current(opened):
            yield opened
            with without_garbage_collection():
                _finish(opened, confirm=confirm, expect=expect, dry_run=dry_run)
        if dry_run:
            transaction.set_rollback(True)


def _finish(opened: Change, *, confirm: str, expect: str, dry_run: bool) -> None:
    if _planner is None:
        raise RuntimeError("Nothing has registered itself to plan changes.")
    changes = opened.row_changes()
    _require_identities(changes.rows)
    plan = opened.plan = _planner(
        changes, actor=opened.actor, confirm=confirm, expect=expect, dry_run=dry_run
    )
    if changes and not dry_run:
        progress.say("Writing it down")
        is_shared = any(row_change.model in SHARED_MODELS for row_change in changes.rows)
        opened.write_revision(changes, is_shared=is_shared, is_wide=_is_wide(plan))
        opened.write_effects()


@contextmanager
def migration_change(registry: Any, reason: str) -> Iterator[Change]:
    """Records what a migration writes. No plan: the models may not fit the tables yet."""
    opened = Change(
        actor=SYSTEM, source=Revision.Source.MIGRATION, reason=reason, registry=registry
    )
    with transaction.atomic(), _as_current(opened):
        registry.get_model("fleet", "Head").objects.select_for_update().get_or_create(id=1)
        yield opened
        changes = opened.row_changes()
        if changes:
            opened.write_revision(changes)


@contextmanager
def _as_current(opened: Change) -> Iterator[None]:
    outer = current_change()
    _current.change = opened
    try:
        yield
    finally:
        _current.change = outer


def lock_head() -> int:
    """Writers queue up here, so that revision numbers follow the order of commits."""
    head, _ = Head.objects.select_for_update().get_or_create(id=1)
    return head.number


def head_number() -> int:
    """The newest revision; 0 before the first."""
    return Head.objects.values_list("number", flat=True).first() or 0
