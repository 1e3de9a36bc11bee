"""Brings clusters to the states that their documents name."""

from collections.abc import Mapping, Sequence

from fleet import models
from fleet.models.cluster import ClusterState
from fleet.resources.problems import Problems, join
from fleet.resources.specs import Spec
from fleet.services.clusters import freeze_clusters
from fleet.services.rows import chunks

States = Mapping[str, str]


def present_states(specs: Sequence[Spec]) -> States:
    """Of those that are there."""
    found: dict[str, str] = {}
    for chunk in chunks([spec.id for spec in specs]):
        found.update(models.Cluster.objects.filter(pk__in=chunk).values_list("pk", "state"))
    return found


def check_states(specs: Sequence[Spec], present: States, problems: Problems) -> None:
    for spec in specs:
        problem = _problem(spec, present.get(spec.id))
        if problem:
            problems.add(join(spec.path, "state"), problem)


def _problem(spec: Spec, now: str | None) -> str:
    if now is None or now == spec.state:
        return ""
    if spec.state == ClusterState.WAITING:
        return f"the cluster is {now}: only a new one can wait to be approved"
    if now == ClusterState.WAITING and spec.state != ClusterState.ACTIVE:
        return "the cluster is waiting: it can only be approved, by the state active"
    fresh = spec.state == ClusterState.FROZEN and spec.frozen_answers is None
    if fresh and now == ClusterState.DECOMMISSIONED:
        return "the cluster is decommissioned: only an active one can be frozen"
    return ""


def apply_states(specs: Sequence[Spec], present: States) -> None:
    """`present` is from before the objects were written: a cluster that was not there is active."""
    for state in (ClusterState.WAITING, ClusterState.ACTIVE, ClusterState.DECOMMISSIONED):
        leaving = [
            spec.id for spec in specs if spec.state == state and _now(spec, present) != state
        ]
        for chunk in chunks(leaving):
            models.FrozenAnswers.objects.filter(pk__in=chunk).delete()
            models.Cluster.objects.filter(pk__in=chunk).update(state=state)
    frozen = [spec for spec in specs if spec.state == ClusterState.FROZEN]
    _freeze_as_given([spec for spec in frozen if spec.frozen_answers is not None])
    fresh = [
        spec.id
        for spec in frozen
        if spec.frozen_answers is None and _now(spec, present) != ClusterState.FROZEN
    ]
    if fresh:
        freeze_clusters(fresh)


def _now(spec: Spec, present: States) -> str:
    return present.get(spec.id, ClusterState.ACTIVE)


def _freeze_as_given(specs: Sequence[Spec]) -> None:
    for spec in specs:
        models.FrozenAnswers.objects.update_or_create(
            pk=spec.id, defaults={"answers": spec.frozen_answers}
        )
    ids = [spec.id for spec in specs]
    models.Cluster.objects.filter(pk__in=ids).update(state=ClusterState.FROZEN)
