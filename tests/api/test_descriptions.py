"""What people say about an object to one another."""

import pytest

from fleet.models.fields import MAX_DESCRIPTION
from fleet.models.sections import SECTIONS
from tests.api.conftest import Api, ids

OBJECTS = {
    "environments": "lab",
    "namespaces": "apps",
    "rolebindings": "admins",
    "platform_components": "podinfo",
    "profiles": "gold",
    "clusters": "c-1",
}
TEXT = "Runs the shop.\nAsk the web team first."


@pytest.mark.parametrize("section", SECTIONS)
def test_it_is_empty_unless_given(api: Api, section: str) -> None:
    assert api.get(f"/{section}/{OBJECTS[section]}").json()["description"] == ""


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_it_is_kept_as_it_is(api: Api, section: str, method: str) -> None:
    path = f"/{section}/{OBJECTS[section]}"
    assert api(method, path, {"description": TEXT}).json()["description"] == TEXT
    assert api.get(path).json()["description"] == TEXT


@pytest.mark.parametrize("section", SECTIONS)
def test_it_changes_nothing_on_any_cluster(api: Api, section: str) -> None:
    path = f"/{section}/{OBJECTS[section]}?dry_run=true"
    plan = api.patch(path, {"description": TEXT}).json()
    assert plan["totals"]["clusters"] == 0


@pytest.mark.parametrize("section", SECTIONS)
def test_it_is_searched(api: Api, section: str) -> None:
    api.patch(f"/{section}/{OBJECTS[section]}", {"description": TEXT})
    assert ids(api.get(f"/{section}?search=WEB TEAM")) == [OBJECTS[section]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (3, "must be text, not 3"),
        (
            "x" * (MAX_DESCRIPTION + 1),
            f"has {MAX_DESCRIPTION + 1} characters; at most {MAX_DESCRIPTION} are allowed",
        ),
    ],
)
def test_what_is_no_description_is_refused(api: Api, given: object, message: str) -> None:
    response = api.patch("/namespaces/apps", {"description": given})
    assert response.status_code == 400
    assert response.json()["details"] == {"description": [message]}
