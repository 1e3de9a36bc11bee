"""The number of queries of a poll does not depend on the size of the fleet."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from fleet.services.seeds import seed_import
from tests.flux.conftest import SEED

# The revision, the cluster and six kinds of its children, and eleven shared tables. PostgreSQL is
# asked for those that belong together at once.
QUERIES_OF_A_CLUSTER = {"sqlite": 19, "postgresql": 3}[connection.vendor]
QUERIES_OF_THE_LIST = 2


def more_clusters(count: int) -> dict:
    [first, *_] = SEED["clusters"]
    clusters = [
        {**first, "id": f"x-{n}", "cluster_name": f"x-{n}", "cluster_dns": f"x-{n}.example.com"}
        for n in range(count)
    ]
    return {"clusters": clusters}


@pytest.mark.parametrize("count", [0, 50])
@pytest.mark.parametrize(
    ("path", "queries"),
    [
        ("clusters", QUERIES_OF_THE_LIST),
        ("clusters/c-1.example.com/platform-components", QUERIES_OF_A_CLUSTER),
        ("clusters/c-1.example.com/namespaces", QUERIES_OF_A_CLUSTER),
        ("clusters/c-1.example.com/rolebindings", QUERIES_OF_A_CLUSTER),
    ],
)
def test_queries(poll, path, queries, count):
    seed_import(documents=more_clusters(count))
    with CaptureQueriesContext(connection) as captured:
        assert poll(path).status_code == 200
    assert len(captured) == queries
