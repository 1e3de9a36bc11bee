"""Every page is whole, breaks none of our own policy, fits a phone, and is for everyone (axe)."""

import pytest

from tests.browser.looking import Watched

pytestmark = pytest.mark.slow

CLUSTER = "/admin/fleet/cluster/demo-cluster-01"
PAGES = {
    "home": "/admin/",
    "clusters": "/admin/fleet/cluster/",
    "clusters-filtered": "/admin/fleet/cluster/?environment__id__exact=prod&q=eu&o=1",
    "clusters-none": "/admin/fleet/cluster/?q=nothing-is-called-so",
    "cluster": f"{CLUSTER}/change/",
    "cluster-components": f"{CLUSTER}/change/#components",
    "cluster-patches": f"{CLUSTER}/change/#patches",
    "cluster-namespaces": f"{CLUSTER}/change/#namespaces",
    "cluster-effective": f"{CLUSTER}/effective/",
    "cluster-flux": f"{CLUSTER}/flux/",
    "cluster-bootstrap": f"{CLUSTER}/bootstrap/",
    "cluster-history": f"{CLUSTER}/history/",
    "cluster-compare": f"{CLUSTER}/history/?from=1&to=2",
    "cluster-clone": f"{CLUSTER}/clone/",
    "cluster-freeze": f"{CLUSTER}/freeze/",
    "cluster-frozen": "/admin/fleet/cluster/prod-us-01/effective/",
    "cluster-gone": "/admin/fleet/cluster/dev-us-01/flux/",
    "cluster-add": "/admin/fleet/cluster/add/",
    "components": "/admin/fleet/component/",
    "component": "/admin/fleet/component/podinfo/change/",
    "component-usage": "/admin/fleet/component/podinfo/usage/",
    "component-delete": "/admin/fleet/component/podinfo/delete/",
    "profiles": "/admin/fleet/profile/",
    "profile": "/admin/fleet/profile/core/change/",
    "namespaces": "/admin/fleet/namespace/",
    "namespace": "/admin/fleet/namespace/podinfo/change/",
    "rolebinding": "/admin/fleet/rolebinding/on-call/change/",
    "environments": "/admin/fleet/environment/",
    "revisions": "/admin/fleet/revision/",
    "revision": "/admin/fleet/revision/2/change/?page=9",
    "revision-revert": "/admin/fleet/revision/2/revert/",
    "tokens": "/admin/fleet/token/",
    "token-add": "/admin/fleet/token/add/",
    "users": "/admin/auth/user/",
    "user": "/admin/auth/user/1/change/",
    "user-add": "/admin/auth/user/add/",
    "user-password": "/admin/auth/user/1/password/",
    "groups": "/admin/auth/group/",
    "password": "/admin/password_change/",
}
# They come with their packages: we mend what keeps people out.
OTHERS = {
    "api": "/api",
    "api-clusters": "/clusters?limit=3",
    "api-cluster": "/clusters/demo-cluster-01",
    "api-tokens": "/tokens",
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_for_everyone(watched: Watched, name: str) -> None:
    watched.goto(PAGES[name])
    watched.look(name)


@pytest.mark.parametrize("name", OTHERS)
def test_a_page_of_the_browsable_api_can_be_used_by_everyone(watched: Watched, name: str) -> None:
    watched.goto(OTHERS[name])
    watched.look(name, ours=False)


def test_the_page_to_try_the_api_can_be_used_by_everyone(watched: Watched) -> None:
    watched.goto("/docs").locator(".opblock").first.wait_for()
    # The link to an operation is inside of the button that opens it: Swagger UI makes it so.
    watched.look("docs", ours=False, but=("nested-interactive",))
