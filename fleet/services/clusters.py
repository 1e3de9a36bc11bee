"""Acts on clusters beyond their fields: the states of their life."""

from collections.abc import Iterable

from fleet import models
from fleet.desired_state.inputs import encode
from fleet.desired_state.layers import (
    build_cluster,
    build_shared,
    read_cluster_rows,
    read_shared_rows,
)
from fleet.desired_state.render import Renderer
from fleet.errors import Conflict, NotFound
from fleet.history.change import change
from fleet.services.rows import is_plain

State = models.Cluster.State


def cluster_get(cluster_id: str) -> models.Cluster:
    found = models.Cluster.objects.filter(pk=cluster_id).first() if is_plain(cluster_id) else None
    if found is None:
        raise NotFound(f"There is no cluster {cluster_id!r}.")
    return found


def cluster_approve(*, cluster: str) -> models.Cluster:
    """From now on Flux knows a cluster that registered itself."""
    with change():
        found = cluster_get(cluster)
        if found.state != State.WAITING:
            raise Conflict(f"{cluster} is {found.state}; only a waiting cluster can be approved.")
        return _set_state(found, State.ACTIVE)


def cluster_freeze(*, cluster: str) -> models.Cluster:
    """From now on the cluster gets what it gets now, whatever changes around it."""
    with change():
        found = cluster_get(cluster)
        if found.state != State.ACTIVE:
            raise Conflict(f"{cluster} is {found.state}; only an active cluster can be frozen.")
        freeze_clusters([cluster])
        return cluster_get(cluster)


def freeze_clusters(cluster_ids: Iterable[str]) -> None:
    """Keeps the answers of active clusters, and marks them as frozen."""
    chosen = sorted(cluster_ids)
    renderer = Renderer(build_shared(read_shared_rows()))
    answers = [
        models.FrozenAnswers(
            cluster_id=rows.id,
            answers=encode(renderer.render(build_cluster(rows)).to_document()),
        )
        for rows in read_cluster_rows(chosen)
    ]
    models.FrozenAnswers.objects.bulk_create(answers)
    models.Cluster.objects.filter(pk__in=chosen).update(state=State.FROZEN)


def cluster_unfreeze(*, cluster: str) -> models.Cluster:
    """May bring many changes at once: make a dry run first."""
    with change():
        found = cluster_get(cluster)
        if found.state != State.FROZEN:
            raise Conflict(f"{cluster} is {found.state}; only a frozen cluster can be unfrozen.")
        return _set_state(found, State.ACTIVE)


def cluster_decommission(*, cluster: str) -> models.Cluster:
    """The cluster gets empty answers, so that Flux cleans it up. Its settings are kept."""
    with change():
        found = cluster_get(cluster)
        if found.state == State.DECOMMISSIONED:
            raise Conflict(f"{cluster} is decommissioned already.")
        if found.state == State.WAITING:
            raise Conflict(f"{cluster} is waiting; approve it, or purge it to refuse it.")
        return _set_state(found, State.DECOMMISSIONED)


def cluster_recommission(*, cluster: str) -> models.Cluster:
    with change():
        found = cluster_get(cluster)
        if found.state != State.DECOMMISSIONED:
            raise Conflict(
                f"{cluster} is {found.state}; only a decommissioned cluster can be recommissioned."
            )
        return _set_state(found, State.ACTIVE)


def cluster_purge(*, cluster: str) -> None:
    """Forgets a decommissioned cluster, or refuses a waiting one. Its history stays, so it can be
    restored."""
    with change():
        found = cluster_get(cluster)
        if found.state not in {State.DECOMMISSIONED, State.WAITING}:
            raise Conflict(
                f"{cluster} is {found.state}; only a decommissioned or waiting cluster can be "
                "purged."
            )
        found.delete()


def _set_state(found: models.Cluster, state: str) -> models.Cluster:
    models.FrozenAnswers.objects.filter(pk=found.pk).delete()
    found.state = state
    found.save()
    return found
