import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from fleet.history.change import change
from tests.factories import (
    assign,
    make_cluster,
    make_component,
    make_namespace,
    make_profile,
    make_rolebinding,
    patch,
)


@pytest.fixture
def small_fleet(db) -> None:
    """One of everything: cluster c1 with podinfo, which needs traefik, and profile p1."""
    with change():
        traefik = make_component(id="traefik")
        podinfo = make_component(id="podinfo", depends_on=["traefik"])
        patch(podinfo, podinfo, "replicaCount", 1)
        cluster = make_cluster(id="c1", labels={"tier": "gold"})
        assign(cluster, podinfo)
        patch(cluster, podinfo, "ui.color", "red")
        assign(cluster, make_namespace(id="apps", labels={"team": "web"}))
        assign(cluster, make_rolebinding(id="viewers"))
        profile = make_profile(id="p1", environments=["dev"], clusters=[cluster])
        assign(profile, traefik)


@pytest.fixture
def viewer_client(db, client: Client) -> Client:
    viewer = User.objects.create_user("viewer", is_staff=True)
    looking = Permission.objects.filter(
        content_type__app_label="fleet", codename__startswith="view"
    )
    viewer.user_permissions.set(looking)
    client.force_login(viewer)
    return client
