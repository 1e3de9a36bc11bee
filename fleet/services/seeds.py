"""A whole fleet in and out, in the reference service's seed format and our superset of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from fleet import models
from fleet.documents.problems import Problems
from fleet.documents.reading import read_documents
from fleet.documents.specs import Spec
from fleet.errors import Conflict
from fleet.models.cluster import ClusterState
from fleet.revisions import change
from fleet.services.apply import Progress, apply_specs
from fleet.services.clusters import freeze_clusters


def seed_import(
    *, documents: Mapping[str, Any], progress: Progress = lambda done: None
) -> Sequence[Spec]:
    """All or nothing. Entries that exist are brought to what the seed says; others stay."""
    with change():
        problems = Problems()
        specs = read_documents(documents, problems=problems)
        apply_specs(specs, problems=problems, progress=progress)
        apply_states([spec for spec in specs if spec.state is not None])
        return specs


def apply_states(specs: Sequence[Spec]) -> None:
    """Brings clusters to the states that their documents name."""
    present = dict(
        models.Cluster.objects.filter(pk__in=[spec.id for spec in specs]).values_list("pk", "state")
        if len(specs) <= 1_000
        else models.Cluster.objects.values_list("pk", "state")
    )
    for state in (ClusterState.ACTIVE, ClusterState.DECOMMISSIONED):
        leaving = [spec.id for spec in specs if spec.state == state and present[spec.id] != state]
        if leaving:
            models.FrozenAnswers.objects.filter(pk__in=leaving).delete()
            models.Cluster.objects.filter(pk__in=leaving).update(state=state)
    frozen = [spec for spec in specs if spec.state == ClusterState.FROZEN]
    for spec in frozen:
        if spec.frozen_answers is None and present[spec.id] == ClusterState.DECOMMISSIONED:
            raise Conflict(f"{spec.id} is decommissioned; only an active cluster can be frozen.")
    _freeze_as_given([spec for spec in frozen if spec.frozen_answers is not None])
    freeze_clusters(
        spec.id
        for spec in frozen
        if spec.frozen_answers is None and present[spec.id] != ClusterState.FROZEN
    )


def _freeze_as_given(specs: Sequence[Spec]) -> None:
    for spec in specs:
        models.FrozenAnswers.objects.update_or_create(
            pk=spec.id, defaults={"answers": spec.frozen_answers}
        )
    ids = [spec.id for spec in specs]
    models.Cluster.objects.filter(pk__in=ids).update(state=ClusterState.FROZEN)
