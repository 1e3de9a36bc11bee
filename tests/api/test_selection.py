"""What a profile selects, by SQL for lists and by the merge for Flux, is the same."""

from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fleet import models
from fleet.desired_state.layers import (
    build_cluster,
    build_shared,
    read_cluster_rows,
    read_shared_rows,
)
from fleet.desired_state.merge import MergedCluster, merge
from fleet.desired_state.selectors import (
    running_component,
    selected_by,
    version_of,
    with_namespace,
    with_rolebinding,
)
from fleet.services.seeds import seed_import

ENVIRONMENTS = ("dev", "qa", "prod")
KEYS = ("0", "1.0", "tier", "example.com/tier", "a.b")
COMPONENTS, NAMESPACES, ROLEBINDINGS = ("x", "y"), ("n", "m"), ("r", "s")
VERSIONS = ("1", "2", "3")

labels = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(["", "0", "gold"]), max_size=3)
assignments = st.fixed_dictionaries(
    {
        "platform_components": st.lists(
            st.fixed_dictionaries(
                {
                    "id": st.sampled_from(COMPONENTS),
                    "component_version": st.none() | st.sampled_from(VERSIONS),
                }
            ),
            max_size=2,
            unique_by=lambda item: item["id"],
        ),
        "namespaces": st.lists(st.sampled_from(NAMESPACES), unique=True),
        "rolebindings": st.lists(st.sampled_from(ROLEBINDINGS), unique=True),
        # A layer may have a value for a component that it does not assign.
        "patches": st.dictionaries(st.sampled_from(COMPONENTS), st.just({"k": "1"})),
    }
)


def numbered(prefix: str, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"id": f"{prefix}-{number}", **item} for number, item in enumerate(items)]


@st.composite
def fleets(draw: Any) -> dict[str, Any]:
    clusters = draw(
        st.lists(
            st.builds(
                lambda own, environment, labels: {
                    **own,
                    "environment": environment,
                    "labels": labels,
                },
                assignments,
                st.sampled_from(ENVIRONMENTS),
                labels,
            ),
            min_size=1,
            max_size=8,
        )
    )
    ids = [f"c-{number}" for number in range(len(clusters))]
    profiles = draw(
        st.lists(
            st.builds(
                lambda own, weight, environments, labels, listed: {
                    **own,
                    "weight": weight,
                    "environments": environments,
                    "labels": labels,
                    "clusters": listed,
                },
                assignments,
                st.integers(0, 2),
                st.lists(st.sampled_from(ENVIRONMENTS), unique=True, max_size=2),
                labels,
                st.none() | st.lists(st.sampled_from(ids), unique=True),
            ),
            max_size=6,
        )
    )
    return {
        "platform_components": [
            {
                "id": item,
                "component_path": item,
                "component_version": "1",
                "oci_url": "oci://registry.example/charts",
            }
            for item in COMPONENTS
        ],
        "namespaces": [{"id": item} for item in NAMESPACES],
        "rolebindings": [{"id": item, "role": "view"} for item in ROLEBINDINGS],
        "profiles": numbered("p", profiles),
        "clusters": [
            {**cluster, "cluster_name": cluster["id"], "cluster_dns": f"{cluster['id']}.example"}
            for cluster in numbered("c", clusters)
        ],
    }


def found(condition: Any) -> set[str]:
    return set(models.Cluster.objects.filter(condition).values_list("pk", flat=True))


@pytest.mark.slow
@pytest.mark.django_db
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=fleets())
def test_sql_and_the_merge_agree(seed: dict[str, Any]) -> None:
    with transaction.atomic():
        seed_import(documents=seed)
        shared = build_shared(read_shared_rows())
        clusters = [build_cluster(rows) for rows in read_cluster_rows()]
        for profile in shared.profiles:
            wanted = {cluster.id for cluster in clusters if profile.selects(cluster)}
            assert found(selected_by(profile)) == wanted
        check_what_clusters_get([merge(shared, cluster) for cluster in clusters])
        transaction.set_rollback(True)


def check_what_clusters_get(merged: list[MergedCluster]) -> None:
    for component in COMPONENTS:
        having = {
            item.cluster.id: own.component_version.value
            for item in merged
            for own in item.components
            if own.id == component
        }
        assert found(running_component(component)) == having.keys()
        versions = dict(
            models.Cluster.objects.annotate(version=version_of(component)).values_list(
                "pk", "version"
            )
        )
        assert {key: versions[key] for key in having} == having
    for namespace in NAMESPACES:
        assert found(with_namespace(namespace)) == {
            item.cluster.id
            for item in merged
            if namespace in {traced.value.id for traced in item.namespaces}
        }
    for rolebinding in ROLEBINDINGS:
        assert found(with_rolebinding(rolebinding)) == {
            item.cluster.id
            for item in merged
            if rolebinding in {traced.value.id for traced in item.rolebindings}
        }
