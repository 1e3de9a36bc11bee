"""A plan for people, as text, and for programs, as a document."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from fleet.plans.diff import ADDED, REMOVED, FieldChange, ItemChange
from fleet.plans.guards import needs_confirmation
from fleet.plans.plan import Plan

SIGNS = {ADDED: "+", REMOVED: "-"}
SHOWN_CLUSTERS = 5


def plan_text(plan: Plan) -> str:
    return "\n".join(_lines(plan)) + "\n"


def _lines(plan: Plan) -> Iterator[str]:
    if plan.is_empty:
        yield "No cluster gets anything else than before."
    for group in plan.groups:
        yield f"{counted(group.clusters)}:"
        for change in group.changes:
            yield f"  {SIGNS.get(change.action, '~')} {change.resource} {change.id}"
            yield from (f"      {_field_text(item)}" for item in change.changed)
    if plan.purged:
        yield f"Forgotten, and keeps what it has: {counted(plan.purged)}"
    for warning in plan.warnings:
        yield f"Warning: {warning.message} ({counted(warning.clusters)})"
    if not plan.is_empty:
        yield f"In total: {_totals_text(plan)}"
    if needs_confirmation(plan):
        yield f"This takes things away from {_clusters(len(plan.removing_clusters))}."
        yield f"To go ahead, confirm this plan: {plan.digest}"


def counted(clusters: Sequence[str]) -> str:
    """“412 clusters (a, b, c, d, e and 407 more)”."""
    names = ", ".join(clusters[:SHOWN_CLUSTERS])
    more = len(clusters) - SHOWN_CLUSTERS
    return f"{_clusters(len(clusters))} ({names}{f' and {more} more' if more > 0 else ''})"


def _clusters(count: int) -> str:
    return "1 cluster" if count == 1 else f"{count} clusters"


def _field_text(change: FieldChange) -> str:
    old = "(none)" if change.old is None else change.old
    new = "(none)" if change.new is None else change.new
    return f"{change.field}: {old} → {new}"


def _totals_text(plan: Plan) -> str:
    totals = plan.totals
    parts = [_clusters(totals.clusters)]
    for name, counts in (
        ("added", totals.added),
        ("changed", totals.changed),
        ("removed", totals.removed),
    ):
        parts += [f"{count} {resource} {name}" for resource, count in sorted(counts.items())]
    return ", ".join(parts)


def plan_document(plan: Plan) -> dict[str, Any]:
    totals = plan.totals
    return {
        "digest": plan.digest,
        "confirmation_required": needs_confirmation(plan),
        "totals": {
            "clusters": totals.clusters,
            "removing_clusters": totals.removing_clusters,
            "added": totals.added,
            "changed": totals.changed,
            "removed": totals.removed,
        },
        "groups": [
            {
                "count": len(group.clusters),
                "clusters": list(group.clusters),
                "changes": [_change_document(change) for change in group.changes],
            }
            for group in plan.groups
        ],
        "purged": list(plan.purged),
        "warnings": [
            {"code": item.code, "message": item.message, "clusters": list(item.clusters)}
            for item in plan.warnings
        ],
        "rows": plan.rows,
    }


def _change_document(change: ItemChange) -> dict[str, Any]:
    return {
        "resource": change.resource,
        "id": change.id,
        "action": change.action,
        "fields": [_field_document(item) for item in change.fields],
    }


def _field_document(change: FieldChange) -> dict[str, Any]:
    """A side that was not there is left out: null would be a value."""
    document: dict[str, Any] = {"field": change.field}
    if change.old is not None:
        document["old"] = json.loads(change.old)
    if change.new is not None:
        document["new"] = json.loads(change.new)
    return document
