"""More than Flux Operator takes by default."""

from tests.e2e.cluster import Cluster
from tests.e2e.fleet import Fleet
from tests.e2e.following import follows
from tests.e2e.observed import state_of

# Of more than 100 it would drop, and then remove, the rest, were it not told otherwise.
COUNT = 150


def test_150_namespaces_all_arrive(berlin: Cluster, fleet: Fleet) -> None:
    names = [f"many-{number:03}" for number in range(COUNT)]
    made = [{"method": "POST", "path": "/namespaces", "body": {"id": name}} for name in names]
    assigned = {"namespaces": [{"id": name} for name in [*names, "odd", "team-space"]]}
    fleet.change(
        "POST", "/batch", [*made, {"method": "PATCH", "path": "/clusters/berlin", "body": assigned}]
    )
    follows(berlin, fleet)
    assert {f"Namespace/{name}" for name in names} <= set(state_of(berlin))
