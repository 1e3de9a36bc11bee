"""A fleet that grows, for what must take as many queries for 1 as for 50 of everything."""

from fleet.history.change import change
from fleet.models import Cluster, Environment
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
    with change():
        for number in range(start, end):
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
