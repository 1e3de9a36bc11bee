"""The same act on many clusters, in a few statements."""

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError

from fleet.desired_state.selectors import running_component
from fleet.errors import Conflict
from fleet.history.change import change
from fleet.models import Cluster, ClusterComponent, FrozenAnswers
from fleet.resources.problems import Problems
from fleet.services.clusters import freeze_clusters
from fleet.services.objects import clusters_patch, object_get
from fleet.services.rows import chunks

State = Cluster.State


def component_assign_many(*, ids: Sequence[str], component: str) -> None:
    """To those that do not have it as their own."""
    with change():
        object_get(section="platform_components", id=component)
        for chunk in chunks(ids):
            own = ClusterComponent.objects.filter(component_id=component, cluster_id__in=chunk)
            have = set(own.values_list("cluster_id", flat=True))
            ClusterComponent.objects.bulk_create(
                ClusterComponent(cluster_id=cluster_id, component_id=component)
                for cluster_id in chunk
                if cluster_id not in have
            )


def component_unassign_many(*, ids: Sequence[str], component: str) -> None:
    """What a profile gives stays: that is the profile's to say."""
    with change():
        object_get(section="platform_components", id=component)
        for chunk in chunks(ids):
            own = ClusterComponent.objects.filter(component_id=component, cluster_id__in=chunk)
            own.delete()


def version_pin_many(*, ids: Sequence[str], component: str, version: str) -> None:
    """On those that run the component, by whatever layer; the others do not get it by this."""
    with change():
        object_get(section="platform_components", id=component)
        _check_version(version)
        for chunk in chunks(ids):
            running = Cluster.objects.filter(running_component(component), pk__in=chunk)
            chosen = sorted(running.order_by().values_list("pk", flat=True))
            component_assign_many(ids=chosen, component=component)
            own = ClusterComponent.objects.filter(component_id=component, cluster_id__in=chosen)
            own.update(component_version=version)


def _check_version(version: str) -> None:
    try:
        ClusterComponent(component_version=version).clean_fields(exclude={"cluster", "component"})
    except ValidationError as error:
        problems = Problems()
        problems.add_validation("", error, {})
        problems.raise_if_any()


def patch_set_many(*, ids: Sequence[str], component: str, key: str, value: Any) -> None:
    clusters_patch(ids=ids, patch={"patches": {component: {key: value}}})


def patch_drop_many(*, ids: Sequence[str], component: str, key: str) -> None:
    clusters_patch(ids=ids, patch={"patches": {component: {key: None}}})


def label_many(*, ids: Sequence[str], key: str, value: str | None) -> None:
    """None takes the label away."""
    clusters_patch(ids=ids, patch={"labels": {key: value}})


def move_many(*, ids: Sequence[str], environment: str) -> None:
    clusters_patch(ids=ids, patch={"environment": environment})


def approve_many(*, ids: Sequence[str]) -> None:
    """Those that wait."""
    with change():
        waiting = _in_states(ids, State.WAITING)
        if not waiting:
            raise Conflict("None of these clusters is waiting, so there is nothing to approve.")
        for chunk in chunks(waiting):
            Cluster.objects.filter(pk__in=chunk).update(state=State.ACTIVE)


def freeze_many(*, ids: Sequence[str]) -> None:
    """Those that are active; one that is frozen already stays as it is."""
    with change():
        active = _in_states(ids, State.ACTIVE)
        if not active:
            raise Conflict("None of these clusters is active, so there is nothing to freeze.")
        freeze_clusters(active)


def decommission_many(*, ids: Sequence[str]) -> None:
    with change():
        living = _in_states(ids, State.ACTIVE, State.FROZEN)
        if not living:
            raise Conflict("None of these clusters is active or frozen.")
        for chunk in chunks(living):
            FrozenAnswers.objects.filter(pk__in=chunk).delete()
            Cluster.objects.filter(pk__in=chunk).update(state=State.DECOMMISSIONED)


def _in_states(ids: Sequence[str], *states: str) -> list[str]:
    found: list[str] = []
    for chunk in chunks(ids):
        chosen = Cluster.objects.filter(pk__in=chunk, state__in=states).order_by()
        found += chosen.values_list("pk", flat=True)
    return sorted(found)
