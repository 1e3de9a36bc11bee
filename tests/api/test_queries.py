"""Every list and every object takes the same number of queries for 1 and for 50 of everything."""

from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from fleet.history.change import head_number
from fleet.services.seeds import seed_import
from tests.api.conftest import Api

# Of each, how many queries; a session or a user would be more, a token takes none.
BUDGETS = {
    "/environments": 3,
    "/namespaces": 3,
    "/rolebindings": 3,
    "/platform_components": 5,
    "/profiles": 9,
    # One is for which profiles switch components off or on.
    "/clusters": 9,
    "/revisions": 2,
    "/clusters?label=a:b&search=x": 9,
    # Which profiles give it is read once, from eleven tables; and once more for the version.
    "/clusters?component=x00": 20,
    "/clusters?component=x00&component_version=1": 31,
    "/clusters?namespace=x00": 20,
    "/profiles?component=x00": 9,
    "/environments/x00": 2,
    "/namespaces/x00": 2,
    "/rolebindings/x00": 2,
    "/platform_components/x00": 4,
    "/platform_components/x00/usage": 6,
    "/profiles/x00": 8,
    "/clusters/x00": 8,
    "/clusters/x00/effective": 20,
    "/clusters/x00/diff?from=1&to={head}": 25,
    "/clusters/x00/revisions": 3,
    "/revisions?cluster=x00": 2,
    "/revisions?object=clusters/x00": 8,
}


def seed(count: int) -> dict[str, Any]:
    """Of everything this many, and the first cluster, profile and component have all of it."""
    names = [f"x{number:02}" for number in range(count)]

    def assignments(name: str) -> dict[str, Any]:
        own = names if name == "x00" else [name]
        return {
            "platform_components": own,
            "namespaces": own,
            "rolebindings": own,
            "patches": {item: {"size": "1", "other": "2"} for item in own},
        }

    return {
        "environments": [{"id": name} for name in names],
        "namespaces": [{"id": name, "labels": {"a": "b"}} for name in names],
        "rolebindings": [{"id": name, "role": "view"} for name in names],
        "platform_components": [
            {
                "id": name,
                "component_path": name,
                "oci_url": "oci://registry.example",
                "depends_on": names[1:] if name == "x00" else [],
                "patches": dict.fromkeys(names, "1") if name == "x00" else {"a": "1"},
            }
            for name in names
        ],
        "profiles": [
            {
                "id": name,
                "environments": names if name == "x00" else [name],
                "clusters": names if name == "x00" else [name],
                **assignments(name),
            }
            for name in names
        ],
        "clusters": [
            {
                "id": name,
                "cluster_name": name,
                "cluster_dns": f"{name}.example.com",
                "environment": name,
                "labels": {"a": "b"},
                **assignments(name),
            }
            for name in names
        ],
    }


def queries(api: Api, method: str, address: str, body: Any = None) -> int:
    with CaptureQueriesContext(connection) as captured:
        response = api(method, address, body)
    assert response.status_code == 200, response.content
    return len(captured)


def reads(api: Api) -> dict[str, int]:
    return {address: queries(api, "GET", address.format(head=head_number())) for address in BUDGETS}


def test_reads(api: Api) -> None:
    seed_import(documents=seed(1))
    few = reads(api)
    seed_import(documents=seed(50))
    assert reads(api) == few
    assert {address: count for address, count in few.items() if count > BUDGETS[address]} == {}


def test_a_fleet_wide_patch_and_its_revision(api: Api) -> None:
    seed_import(documents=seed(50))
    counts: list[tuple[int, int]] = []
    for query in ("label=a:b", "id=x00", "label=a:b"):
        patch = {"labels": {"n": str(len(counts))}, "patches": {"x00": {"n": str(len(counts))}}}
        write = queries(api, "PATCH", f"/clusters?{query}", patch)
        counts.append((write, queries(api, "GET", f"/revisions/{head_number()}")))
    _, one, fifty = counts  # The first creates what the others change.
    assert one == fifty
    assert one[0] <= 65
    assert one[1] <= 40
