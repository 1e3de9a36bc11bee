from tests.e2e.cluster import Cluster
from tests.e2e.desired import state_for
from tests.e2e.fleet import Fleet
from tests.e2e.observed import state_of
from tests.e2e.waiting import eventually


def follows(cluster: Cluster, fleet: Fleet) -> None:
    """Asks once; then it has exactly what it was told, and nothing else that we made."""
    cluster.poll()
    eventually(lambda: state_of(cluster), state_for(fleet.inputs(cluster.dns)))
