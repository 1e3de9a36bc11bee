"""What no door to the fleet lets through. Looked at when a change ends, before it is committed."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings

from fleet import models
from fleet.desired_state.inputs import MAX_BYTES, MAX_INPUTS
from fleet.desired_state.layers import CLUSTER_CHILDREN
from fleet.desired_state.values import conflicts, format_key, parse_key
from fleet.errors import ConfirmationRequired, Conflict, Forbidden, Invalid, PlanChanged
from fleet.history.change import Changes
from fleet.plans.plan import FROZEN, Plan

SHOWN = 10
CHUNK = 1_000


def check_rows(changes: Changes) -> None:
    """What must hold of the rows themselves, before a plan can be made of them."""
    check_dependencies(changes)
    check_keys(changes)
    check_frozen(changes)


def check_plan(plan: Plan, *, confirm: str = "", expect: str = "", dry_run: bool = False) -> None:
    check_sizes(plan)
    check_schemas(plan)
    if expect and expect != plan.digest:
        raise PlanChanged("The fleet has changed since that plan was made.", plan)
    if not dry_run:
        check_removals(plan, confirm)


def check_environments(allowed: frozenset[str] | None, changes: Changes, plan: Plan) -> None:
    """By what the change does, wherever it is made: a profile, too, can reach a cluster of prod."""
    if allowed is None:
        return
    touched = _environments_written(changes)
    touched.update(_environments_of(_clusters_concerned(changes, plan)))
    beyond = sorted(touched - allowed)
    if beyond:
        permitted = ", ".join(sorted(allowed)) or "none"
        raise Forbidden(
            f"This would change {', '.join(beyond)}, and you may change these environments only: "
            f"{permitted}.",
            {"environments": beyond, "allowed": sorted(allowed)},
        )


def _environments_written(changes: Changes) -> set[str]:
    """Those that are changed themselves, and those that a cluster is in, leaves or joins."""
    found: set[str] = set()
    for change in changes.rows:
        if change.model is models.Environment:
            found.add(change.pk)
        elif change.model is models.Cluster:
            found.update(row.environment_id for row in (change.old, change.new) if row)
    return found


def _clusters_concerned(changes: Changes, plan: Plan) -> list[str]:
    concerned = set(plan.cluster_ids())
    concerned.update(
        change.row.cluster_id for change in changes.rows if change.model in CLUSTER_CHILDREN
    )
    concerned.update(*(clusters.values() for clusters in changes.inserted.values()))
    # These follow as soon as they are unfrozen.
    for warning in plan.warnings:
        if warning.code == FROZEN:
            concerned.update(warning.clusters)
    return sorted(concerned)


def _environments_of(cluster_ids: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for start in range(0, len(cluster_ids), CHUNK):
        chosen = models.Cluster.objects.filter(pk__in=cluster_ids[start : start + CHUNK])
        found.update(chosen.order_by().values_list("environment_id", flat=True))
    return found


def needs_confirmation(plan: Plan) -> bool:
    return len(plan.removing_clusters) > settings.GUARD_CLUSTERS


def check_removals(plan: Plan, confirm: str) -> None:
    if not needs_confirmation(plan) or confirm == plan.digest:
        return
    count = len(plan.removing_clusters)
    if confirm:
        message = (
            "The fleet has changed since that plan was made, or the change is another one: "
            f"it now takes things away from {count} clusters. Look at the plan again."
        )
    else:
        message = (
            f"This takes things away from {count} clusters, more than {settings.GUARD_CLUSTERS}. "
            "Look at the plan, then confirm it with its digest."
        )
    raise ConfirmationRequired(message, plan)


def check_sizes(plan: Plan) -> None:
    if not plan.oversize:
        return
    first = plan.oversize[0]
    raise Conflict(
        f"The answer for {len({item.cluster for item in plan.oversize})} cluster(s) would grow "
        f"beyond what Flux takes ({MAX_BYTES} bytes, {MAX_INPUTS} inputs): {first.resource} of "
        f"{first.cluster} has {first.size} bytes and {first.count} inputs.",
        {
            "clusters": sorted({item.cluster for item in plan.oversize}),
            "limits": {"bytes": MAX_BYTES, "inputs": MAX_INPUTS},
        },
    )


def check_schemas(plan: Plan) -> None:
    if not plan.schema_problems:
        return
    details: dict[str, Any] = {}
    for problem in plan.schema_problems:
        clusters = ", ".join(problem.clusters[:SHOWN])
        details.setdefault(f"values.{problem.component}", []).append(
            f"{problem.message} (on {clusters})"
        )
    first = plan.schema_problems[0]
    raise Invalid(
        f"The values of {first.component} do not meet its schema on {first.clusters[0]}: "
        f"{first.message}.",
        details,
    )


def check_dependencies(changes: Changes) -> None:
    if not any(
        change.model is models.ComponentDependency and change.new is not None
        for change in changes.rows
    ):
        return
    needs: dict[str, list[str]] = {}
    for component_id, needed in models.ComponentDependency.objects.order_by(
        "component_id", "dependency_id"
    ).values_list("component_id", "dependency_id"):
        needs.setdefault(component_id, []).append(needed)
    cycle = find_cycle(needs)
    if cycle:
        spelled = " → ".join(cycle)
        raise Invalid(
            f"depends_on forms a cycle: {spelled}.",
            {f"platform_components[{cycle[0]}].depends_on": [f"forms a cycle: {spelled}"]},
        )


def find_cycle(needs: dict[str, list[str]]) -> list[str]:
    """A cycle spelled out from and to its first member; empty where there is none."""
    finished: set[str] = set()
    for start in sorted(needs):
        trail: list[str] = []
        pending = [(start, iter(needs.get(start, ())))]
        if start in finished:
            continue
        trail.append(start)
        while pending:
            _, following = pending[-1]
            step = next(following, None)
            if step is None:
                pending.pop()
                finished.add(trail.pop())
            elif step in trail:
                return [*trail[trail.index(step) :], step]
            elif step not in finished:
                trail.append(step)
                pending.append((step, iter(needs.get(step, ()))))
    return []


def check_keys(changes: Changes) -> None:
    """Within one layer, a key may not lead through another: `a` beside `a.b`."""
    problems: dict[str, list[str]] = {}
    for model, owner, section in (
        (models.ComponentPatch, ("component_id",), "platform_components"),
        (models.ProfilePatch, ("profile_id", "component_id"), "profiles"),
        (models.ClusterPatch, ("cluster_id", "component_id"), "clusters"),
    ):
        for layer, keys in _keys_beside(model, owner, _written_patches(changes, model)):
            for found in conflicts(parse_key(key) for key in keys):
                where = ".".join(
                    [f"{section}[{layer[0]}]", "patches", *layer[1:], format_key(found.long)]
                )
                problems[where] = [found.of_long]
    if problems:
        where, [message] = next(iter(problems.items()))
        raise Invalid(f"{where}: {message}.", problems)


def _written_patches(changes: Changes, model: Any) -> dict[Any, str]:
    """The patches that have a value now, by key, each with the object that it belongs to."""
    written = {
        change.pk: getattr(change.new, model.identity[0])
        for change in changes.rows
        if change.model is model and change.new is not None and not change.new.unset
    }
    return written | changes.inserted.get(model, {})


def _keys_beside(
    model: Any, owner: tuple[str, ...], written: dict[Any, str]
) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Each layer and component with a value that was written, and all keys with values there."""
    owners = sorted(set(written.values()))
    for start in range(0, len(owners), CHUNK):
        chosen = {f"{owner[0]}__in": owners[start : start + CHUNK], "unset": False}
        keys: dict[tuple[str, ...], list[str]] = {}
        touched: set[tuple[str, ...]] = set()
        patches = model.objects.filter(**chosen).order_by()
        for pk, key, *layer in patches.values_list("pk", "key", *owner):
            keys.setdefault(tuple(layer), []).append(key)
            if pk in written:
                touched.add(tuple(layer))
        yield from ((layer, own) for layer, own in keys.items() if layer in touched)


def check_frozen(changes: Changes) -> None:
    """A cluster is frozen exactly where its frozen answers are kept."""
    touched = {
        change.row.cluster_id if change.model is models.FrozenAnswers else change.pk
        for change in changes.rows
        if change.model in (models.FrozenAnswers, models.Cluster)
    }
    touched.update(changes.inserted.get(models.FrozenAnswers, ()))
    for cluster_id in _half_frozen(sorted(touched)):
        raise Conflict(
            f"{cluster_id} can be frozen and unfrozen only with its answers, by cluster_freeze() "
            "and cluster_unfreeze().",
            {"state": ["freeze and unfreeze are acts of their own"]},
        )


def _half_frozen(cluster_ids: Sequence[str]) -> Iterator[str]:
    """Those that are frozen without answers, or have answers without being frozen. Only these are
    asked for: to find all frozen clusters, the database would read the whole fleet."""
    for start in range(0, len(cluster_ids), CHUNK):
        chosen = cluster_ids[start : start + CHUNK]
        clusters = models.Cluster.objects.filter(pk__in=chosen, state=models.Cluster.State.FROZEN)
        answers = models.FrozenAnswers.objects.filter(pk__in=chosen)
        frozen = set(clusters.order_by().values_list("pk", flat=True))
        yield from sorted(frozen ^ set(answers.values_list("pk", flat=True)))
