"""Makes the plan of a change, and refuses what no door may let through.

A plan is made inside the change's transaction: what the clusters get after it, compared with what
they got before.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence

from fleet import models, progress
from fleet.desired_state.inputs import COMPONENTS, MAX_BYTES, MAX_INPUTS, RESOURCES, Answers
from fleet.history.change import Actor, Changes
from fleet.plans.affected import affected_clusters
from fleet.plans.diff import ADDED, CHANGED, REMOVED, ItemChange, difference
from fleet.plans.evaluation import evaluate
from fleet.plans.guards import check_environments, check_plan, check_rows
from fleet.plans.plan import LEFTOVER, Group, Oversize, Plan, PlanWarning, Totals
from fleet.plans.values_schema import SchemaCheck

NEAR_LIMIT = 0.9


def plan_change(
    changes: Changes, *, actor: Actor, confirm: str, expect: str, dry_run: bool
) -> Plan:
    """Called as every change ends (fleet/apps.py registers it)."""
    check_rows(changes)
    plan = make_plan(changes)
    check_environments(actor.environments, changes, plan)
    check_plan(plan, confirm=confirm, expect=expect, dry_run=dry_run)
    return plan


def make_plan(changes: Changes) -> Plan:
    collected = _Collected(SchemaCheck.for_changes(changes))
    cluster_ids = affected_clusters(changes)
    evaluated = evaluate(changes, cluster_ids, collected.warn)
    for cluster_id, before, after in progress.counted(
        evaluated, "clusters looked at", lambda: _how_many(cluster_ids)
    ):
        collected.add(cluster_id, before, after)
    collected.warn_of_leftovers(changes)
    return collected.plan(changes)


def _how_many(cluster_ids: set[str] | None) -> int:
    return models.Cluster.objects.count() if cluster_ids is None else len(cluster_ids)


class _Collected:
    """Gathers the differences of one cluster after the other."""

    def __init__(self, schemas: SchemaCheck) -> None:
        self._schemas = schemas
        self._groups: dict[tuple[ItemChange, ...], list[str]] = defaultdict(list)
        self._warnings: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._oversize: list[Oversize] = []
        self._purged: list[str] = []

    def warn(self, code: str, message: str, *cluster_ids: str) -> None:
        self._warnings[(code, message)] += cluster_ids

    def warn_of_leftovers(self, changes: Changes) -> None:
        """Values of layers go with a component that is deleted. No cluster gets them, but somebody
        has written them."""
        deleted = changes.deleted()
        gone = {row.id for row in deleted.get(models.Component, ())}
        for component, profile in sorted(
            {(row.component_id, row.profile_id) for row in deleted.get(models.ProfilePatch, ())}
        ):
            if component in gone:
                message = f"values of profile {profile} for {component}, which is deleted, go too"
                self.warn(LEFTOVER, message)
        for component, cluster in sorted(
            {(row.component_id, row.cluster_id) for row in deleted.get(models.ClusterPatch, ())}
        ):
            if component in gone:
                self.warn(LEFTOVER, f"values for {component}, which is deleted, go too", cluster)

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
                PlanWarning(code, message, tuple(sorted(ids)))
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
