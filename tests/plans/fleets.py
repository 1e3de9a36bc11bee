"""Clusters that get one component and one namespace by one profile."""

from typing import Any

from fleet import models
from fleet.history.change import change
from fleet.services.objects import object_update
from tests.factories import assign, build_cluster, make_component, make_namespace, make_profile


def clusters_with_podinfo(count: int) -> list[str]:
    with change():
        podinfo, namespace = make_component(id="podinfo"), make_namespace(id="podinfo")
        everywhere = make_profile(id="everywhere")
        assign(everywhere, podinfo)
        assign(everywhere, namespace)
        clusters = [build_cluster(id=f"cluster-{number}") for number in range(count)]
        models.Cluster.objects.bulk_create(clusters)
    return [cluster.id for cluster in clusters]


def everywhere(**document: Any) -> None:
    object_update(section="profiles", id="everywhere", document=document)


def component(item_id: str, *depends_on: str) -> dict[str, Any]:
    return {
        "id": item_id,
        "component_path": item_id,
        "oci_url": "oci://registry.example.com/charts",
        "depends_on": list(depends_on),
    }
