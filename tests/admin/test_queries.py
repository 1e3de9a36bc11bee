"""Lists and pages take the same number of queries for 1 and for 50 of everything."""

from fleet.models import (
    Cluster,
    Component,
    Environment,
    Namespace,
    Profile,
    RoleBinding,
)
from tests.admin.forms import page_queries, url
from tests.admin.growing import grow


def test_the_number_of_queries_is_fixed(admin_client):
    budgets = {
        url(Cluster, "changelist"): 11,
        url(Component, "changelist"): 8,
        url(Environment, "changelist"): 8,
        url(Namespace, "changelist"): 8,
        url(Profile, "changelist"): 10,
        url(RoleBinding, "changelist"): 9,
        url(Cluster, "change", "x00"): 28,
    }
    grow(0, 1)
    for page in budgets:
        page_queries(admin_client, page)  # the first also fills the caches of Django
    few = {page: page_queries(admin_client, page) for page in budgets}
    grow(1, 50)
    assert {page: page_queries(admin_client, page) for page in budgets} == few
    assert {page: count for page, count in few.items() if count > budgets[page]} == {}
