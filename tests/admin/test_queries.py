"""Lists and pages take the same number of queries for 1 and for 50 of everything."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from fleet.models import (
    Cluster,
    Component,
    Environment,
    Namespace,
    Profile,
    Revision,
    RoleBinding,
)
from fleet.revisions import change
from tests.admin.forms import url
from tests.factories import (
    assign,
    make_cluster,
    make_component,
    make_namespace,
    make_profile,
    make_rolebinding,
    patch,
)


def grow(start: int, end: int) -> None:
    """Of each one more, all with rows of their own; and the first cluster gets each of them."""
    for number in range(start, end):
        with change():
            name = f"x{number:02}"
            Environment.objects.create(id=name)
            cluster = make_cluster(id=name, environment=name)
            make_profile(id=name, environments=[name], clusters=[cluster])
            first = Cluster.objects.get(id="x00")
            component = make_component(id=name)
            assign(first, component)
            assign(first, make_namespace(id=name))
            assign(first, make_rolebinding(id=name))
            patch(first, component, "size", number)


def queries(client, page: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert client.get(page).status_code == 200
    return len(captured)


PAGES = [
    (Cluster, "changelist", (), 9),
    (Component, "changelist", (), 8),
    (Environment, "changelist", (), 8),
    (Namespace, "changelist", (), 8),
    (Profile, "changelist", (), 10),
    (Revision, "changelist", (), 8),
    (RoleBinding, "changelist", (), 9),
    (Cluster, "change", ("x00",), 16),
]


@pytest.mark.parametrize(("model", "page", "args", "budget"), PAGES)
def test_the_number_of_queries_is_fixed(admin_client, model, page, args, budget):
    address = url(model, page, *args)
    grow(0, 1)
    queries(admin_client, address)
    few = queries(admin_client, address)
    grow(1, 50)
    assert queries(admin_client, address) == few
    assert few <= budget
