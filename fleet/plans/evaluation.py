"""What clusters get before and after a change, from the rows as they are now and as they were."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from fleet import models
from fleet.desired_state.answers import answers_of, is_waiting
from fleet.desired_state.inputs import Answers
from fleet.desired_state.layers import (
    CLUSTER_CHILDREN,
    SHARED_MODELS,
    ClusterRows,
    Rows,
    build_cluster,
    build_shared,
    read_cluster_rows,
    read_shared_rows,
)
from fleet.desired_state.render import Renderer
from fleet.history.change import Changes, RowChange
from fleet.models.tracked import Row
from fleet.plans.affected import clusters_with_new_rows
from fleet.plans.plan import FROZEN

# Up to this many clusters are named in the queries, whatever part of the fleet they are.
FEW_CLUSTERS = 1_000


def evaluate(
    changes: Changes, cluster_ids: set[str] | None, warn: Any
) -> Iterator[tuple[str, Answers | None, Answers | None]]:
    """Each cluster that the change may concern, with what it gets before and after it."""
    if cluster_ids is not None and not cluster_ids:
        return
    undo = Undo(changes)
    shared_rows = read_shared_rows()
    after = Renderer(build_shared(shared_rows))
    before = after
    if undo.touches(SHARED_MODELS):
        old_rows = {model: undo.rows(model, rows) for model, rows in shared_rows.items()}
        before = Renderer(build_shared(old_rows), near=after)
    for rows in read_cluster_rows(_named(cluster_ids)):
        if cluster_ids is not None and rows.id not in cluster_ids:
            continue
        old = undo.cluster(rows)
        if old is not None:
            _warn_frozen(old, rows, before, after, warn)
        if old is rows:
            yield rows.id, *_both_answers(rows, before, after)
        else:
            yield rows.id, _known_answers(old, before), _known_answers(rows, after)
    for gone in undo.purged():
        yield gone.id, _known_answers(gone, before), None


def _known_answers(rows: ClusterRows | None, renderer: Renderer) -> Answers | None:
    """None for a cluster that is not there, or unknown to Flux."""
    return None if rows is None or is_waiting(rows) else answers_of(rows, renderer)


def _both_answers(
    rows: ClusterRows, before: Renderer, after: Renderer
) -> tuple[Answers | None, Answers | None]:
    """Of a cluster whose own rows stay as they are: most of a change to the catalog."""
    if rows.row.state != models.Cluster.State.ACTIVE:
        answers = _known_answers(rows, after)  # By its rows alone, whatever is shared.
        return answers, answers
    cluster = build_cluster(rows, traced=False)
    rendered = after.render(cluster)
    return before.render_again(cluster, rendered), rendered


def _named(cluster_ids: set[str] | None) -> list[str] | None:
    """Those to ask the database for; None for the whole fleet, which costs as much per cluster, and
    which PostgreSQL also reads quickly while it knows nothing of rows that were just imported."""
    if cluster_ids is None:
        return None
    if len(cluster_ids) > FEW_CLUSTERS and 2 * len(cluster_ids) > models.Cluster.objects.count():
        return None
    return sorted(cluster_ids)


def _warn_frozen(
    old: ClusterRows, rows: ClusterRows, before: Renderer, after: Renderer, warn: Any
) -> None:
    if {old.row.state, rows.row.state} != {models.Cluster.State.FROZEN}:
        return
    if old is rows and before is after:
        return
    then, now = build_cluster(old, traced=False), build_cluster(rows, traced=False)
    if before.render(then) != after.render(now):
        warn(FROZEN, "is frozen and will not follow this change", rows.id)


class Undo:
    """The rows as they were before a change, from those after it."""

    def __init__(self, changes: Changes) -> None:
        self._inserted = changes.inserted
        self._grown = clusters_with_new_rows(changes)
        self._by_model: dict[Any, dict[Any, RowChange]] = defaultdict(dict)
        self._by_cluster: dict[str, dict[Any, dict[Any, RowChange]]] = {}
        for change in changes.rows:
            if change.model in CLUSTER_CHILDREN:
                own = self._by_cluster.setdefault(change.row.cluster_id, defaultdict(dict))
                own[change.model][change.pk] = change
            else:
                self._by_model[change.model][change.pk] = change

    def touches(self, tracked: Iterable[Any]) -> bool:
        return any(model in self._by_model for model in tracked)

    def rows(self, model: Any, rows: Sequence[Row]) -> list[Row]:
        return _undone(model, rows, self._by_model.get(model, {}))

    def cluster(self, rows: ClusterRows) -> ClusterRows | None:
        """None for a cluster that is new."""
        change = self._by_model[models.Cluster].get(rows.id)
        if change is not None and change.old is None:
            return None
        own = self._by_cluster.get(rows.id)
        if change is None and own is None and rows.id not in self._grown:
            return rows
        row = rows.row if change is None else change.old
        return ClusterRows(row, self._children(rows.children, own or {}))

    def purged(self) -> Iterator[ClusterRows]:
        for change in self._by_model[models.Cluster].values():
            if change.new is None:
                none: Rows = {model: [] for model in CLUSTER_CHILDREN}
                own = self._by_cluster.get(change.pk, {})
                yield ClusterRows(change.old, self._children(none, own))

    def _children(self, children: Any, own: Any) -> dict[Any, list[Row]]:
        return {
            model: _undone(model, rows, own.get(model, {}), self._inserted.get(model, ()))
            for model, rows in children.items()
        }


def _undone(
    model: Any, rows: Sequence[Row], changes: dict[Any, RowChange], inserted: Collection[Any] = ()
) -> list[Row]:
    if not changes and not inserted:
        return list(rows)
    pk = model._meta.pk.attname
    kept = [
        row for row in rows if getattr(row, pk) not in changes and getattr(row, pk) not in inserted
    ]
    return kept + [change.old for change in changes.values() if change.old is not None]
