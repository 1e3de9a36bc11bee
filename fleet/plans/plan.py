"""Plans: what a change does to the clusters, seen before it happens.

A plan is made inside the change's transaction, from the rows as they are now and the rows as they
were: what the clusters get after it, compared with what they got before.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from fleet import models, progress
from fleet.desired_state.inputs import (
    COMPONENTS,
    MAX_BYTES,
    MAX_INPUTS,
    RESOURCES,
    Answers,
    answers_from_document,
    nothing,
)
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
from fleet.errors import NotFound
from fleet.history.change import Changes, RowChange
from fleet.models.tracked import Row
from fleet.plans.diff import ADDED, CHANGED, REMOVED, ItemChange, difference
from fleet.plans.values_schema import SchemaCheck, SchemaProblem

NEAR_LIMIT = 0.9
FROZEN = "frozen"  # the code of a warning
# Up to this many clusters are named in the queries, whatever part of the fleet they are.
FEW_CLUSTERS = 1_000
# Beyond this many, hardly any cluster has none of the objects that a change to the catalog changed.
MANY_OBJECTS = 100
# The catalog, with the tables by which clusters and profiles get what it has, and their column.
CATALOG: dict[Any, tuple[Any, Any, str]] = {
    models.Component: (models.ClusterComponent, models.ProfileComponent, "component_id"),
    models.Namespace: (models.ClusterNamespace, models.ProfileNamespace, "namespace_id"),
    models.RoleBinding: (models.ClusterRoleBinding, models.ProfileRoleBinding, "rolebinding_id"),
}
CATALOG_CHILDREN = (models.ComponentPatch, models.ComponentDependency)


@dataclass(frozen=True, slots=True)
class Group:
    """Clusters that get the same difference."""

    clusters: tuple[str, ...]
    changes: tuple[ItemChange, ...]


@dataclass(frozen=True, slots=True)
class Warning:
    """Something that a person should know before going ahead."""

    code: str
    message: str
    clusters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Totals:
    clusters: int = 0
    removing_clusters: int = 0
    added: dict[str, int] = field(default_factory=dict)
    changed: dict[str, int] = field(default_factory=dict)
    removed: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Oversize:
    """An answer that Flux would refuse, or cut off."""

    cluster: str
    resource: str
    size: int
    count: int


@dataclass(frozen=True, slots=True)
class Plan:
    groups: tuple[Group, ...] = ()
    totals: Totals = field(default_factory=Totals)
    warnings: tuple[Warning, ...] = ()
    oversize: tuple[Oversize, ...] = ()
    removing_clusters: tuple[str, ...] = ()
    # Clusters that are unknown from now on: to Flux an error, so they keep what they have.
    purged: tuple[str, ...] = ()
    schema_problems: tuple[SchemaProblem, ...] = ()
    # How many rows the change writes, by the name of the model.
    rows: dict[str, int] = field(default_factory=dict)
    digest: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether no cluster gets anything else than before."""
        return not self.groups

    def cluster_ids(self) -> list[str]:
        """The clusters whose answers change."""
        return sorted([*(item for group in self.groups for item in group.clusters), *self.purged])


def make_plan(changes: Changes) -> Plan:
    collected = _Collected(SchemaCheck.for_changes(changes))
    cluster_ids = affected_clusters(changes)
    evaluated = evaluate(changes, cluster_ids, collected.warn)
    for cluster_id, before, after in progress.counted(
        evaluated, "clusters looked at", lambda: _how_many(cluster_ids)
    ):
        collected.add(cluster_id, before, after)
    return collected.plan(changes)


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


def _how_many(cluster_ids: set[str] | None) -> int:
    return models.Cluster.objects.count() if cluster_ids is None else len(cluster_ids)


def affected_clusters(changes: Changes) -> set[str] | None:
    """The clusters that a change can concern; None for "any"."""
    fresh = {(change.model, change.pk) for change in changes.rows if change.kind != "~"}
    cluster_ids = _clusters_with_new_rows(changes)
    changed: dict[Any, set[str]] = defaultdict(set)
    for change in changes.rows:
        if change.model is models.Cluster:
            cluster_ids.add(change.pk)
        elif change.model in CLUSTER_CHILDREN:
            cluster_ids.add(change.row.cluster_id)
        elif change.model in CATALOG:
            changed[change.model].add(change.pk)
        elif change.model in CATALOG_CHILDREN:
            changed[models.Component].add(change.row.component_id)
        elif change.model in SHARED_MODELS:
            return None
    for model, ids in changed.items():
        # Nothing can refer to it before it is there, or when it goes.
        having = _clusters_having(model, {item for item in ids if (model, item) not in fresh})
        if having is None:
            return None
        cluster_ids |= having
    return cluster_ids


def _clusters_having(model: Any, ids: set[str]) -> set[str] | None:
    """The clusters with one of these objects of the catalog; None for "any", where a profile has
    one: which clusters follow a profile is known only when they are looked at."""
    if not ids:
        return set()
    of_clusters, of_profiles, column = CATALOG[model]
    chosen = {f"{column}__in": ids}
    if len(ids) > MANY_OBJECTS or of_profiles.objects.filter(**chosen).exists():
        return None
    rows = of_clusters.objects.filter(**chosen).order_by()
    return set(rows.values_list("cluster_id", flat=True))


def _clusters_with_new_rows(changes: Changes) -> set[str]:
    return set().union(*(clusters.values() for clusters in changes.inserted.values()))


def is_waiting(rows: ClusterRows) -> bool:
    """Then the cluster is unknown to Flux, as one that is not there."""
    return bool(rows.row.state == models.Cluster.State.WAITING)


def answers_of(rows: ClusterRows, renderer: Renderer) -> Answers:
    """What the cluster gets, by its state."""
    state = models.Cluster.State(rows.row.state)
    if state is models.Cluster.State.WAITING:
        raise NotFound(f"{rows.id} is waiting to be approved.")
    if state is models.Cluster.State.DECOMMISSIONED:
        return nothing(build_cluster(rows, traced=False))
    if state is models.Cluster.State.FROZEN:
        # Without its frozen answers there is no right answer, so this must be an error.
        [frozen] = rows.children[models.FrozenAnswers]
        return answers_from_document(json.loads(frozen.answers))
    return renderer.render(build_cluster(rows, traced=False))


class Undo:
    """The rows as they were before a change, from those after it."""

    def __init__(self, changes: Changes) -> None:
        self._inserted = changes.inserted
        self._grown = _clusters_with_new_rows(changes)
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


class _Collected:
    """Gathers the differences of one cluster after the other."""

    def __init__(self, schemas: SchemaCheck) -> None:
        self._schemas = schemas
        self._groups: dict[tuple[ItemChange, ...], list[str]] = defaultdict(list)
        self._warnings: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._oversize: list[Oversize] = []
        self._purged: list[str] = []

    def warn(self, code: str, message: str, cluster_id: str) -> None:
        self._warnings[(code, message)].append(cluster_id)

    def add(self, cluster_id: str, before: Answers | None, after: Answers | None) -> None:
        # A purged cluster is unknown from now on: an error to Flux, so it keeps what it has.
        if after is None:
            if before is not None:
                self._purged.append(cluster_id)
            return
        changes = difference(before, after)
        self._schemas.check(cluster_id, after, {change.id for change in changes})
        if not changes:
            return
        self._groups[changes].append(cluster_id)
        self._check_sizes(cluster_id, after)
        self._check_components(cluster_id, changes, before, after)

    def _check_sizes(self, cluster_id: str, after: Answers) -> None:
        for resource in RESOURCES:
            count = len(after.items[resource])
            if count < MAX_INPUTS / 2 and after.is_surely_below(resource, MAX_BYTES // 2):
                continue
            size = after.size(resource)
            if size > MAX_BYTES or count > MAX_INPUTS:
                self._oversize.append(Oversize(cluster_id, resource, size, count))
            elif size > MAX_BYTES * NEAR_LIMIT or count > MAX_INPUTS * NEAR_LIMIT:
                message = f"{resource} is near the limit of what Flux takes"
                self.warn("near_limit", message, cluster_id)

    def _check_components(
        self,
        cluster_id: str,
        changes: tuple[ItemChange, ...],
        before: Answers | None,
        after: Answers,
    ) -> None:
        own = [change for change in changes if change.resource == COMPONENTS]
        touched = {change.id for change in own if change.action != REMOVED}
        gone = any(change.takes_away for change in own)
        if not touched and not gone:
            return
        items = {item.id: item for item in after.items[COMPONENTS]}
        enabled = {item.id for item in items.values() if item.enabled}
        for item_id in sorted(enabled if gone else enabled & touched):
            for needed in items[item_id].depends_on:
                if needed not in enabled:
                    state = "disabled" if needed in items else "missing"
                    message = f"{item_id} depends on {needed}, which is {state}"
                    self.warn("dependency", message, cluster_id)
        known = before.items[COMPONENTS] if before else ()
        unpinned = {item.id for item in known if item.version == "latest"}
        for item_id in sorted(touched - unpinned):
            if items[item_id].version == "latest":
                message = f"{item_id} has version “latest”, which pins nothing"
                self.warn("latest", message, cluster_id)

    def plan(self, changes: Changes) -> Plan:
        groups = sorted(
            (Group(tuple(sorted(ids)), items) for items, ids in self._groups.items()),
            key=lambda group: (-len(group.clusters), group.clusters),
        )
        removing = sorted(
            cluster_id
            for group in groups
            if any(item.takes_away for item in group.changes)
            for cluster_id in group.clusters
        )
        return Plan(
            groups=tuple(groups),
            totals=_totals(groups, len(removing)),
            warnings=tuple(
                Warning(code, message, tuple(sorted(ids)))
                for (code, message), ids in sorted(self._warnings.items())
            ),
            oversize=tuple(self._oversize),
            removing_clusters=tuple(removing),
            purged=tuple(sorted(self._purged)),
            schema_problems=self._schemas.problems(),
            rows=changes.counts(),
            digest=_digest(groups, sorted(self._purged)),
        )


def _totals(groups: Sequence[Group], removing: int) -> Totals:
    counts: dict[str, Counter[str]] = {ADDED: Counter(), CHANGED: Counter(), REMOVED: Counter()}
    for group in groups:
        for item in group.changes:
            counts[item.action][item.resource] += len(group.clusters)
    return Totals(
        clusters=sum(len(group.clusters) for group in groups),
        removing_clusters=removing,
        added=dict(counts[ADDED]),
        changed=dict(counts[CHANGED]),
        removed=dict(counts[REMOVED]),
    )


def _digest(groups: Sequence[Group], purged: Sequence[str]) -> str:
    """Names exactly this effect on exactly these clusters."""
    text = hashlib.sha256(repr(purged).encode())
    for group in groups:
        text.update(repr((group.clusters, group.changes)).encode("utf-8", "surrogatepass"))
    return text.hexdigest()[:32]
