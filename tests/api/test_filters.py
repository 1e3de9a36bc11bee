"""Each filter of each list: what it finds, and what it does not take."""

from typing import Any

import pytest

from tests.api.conftest import Api, ids
from tests.api.filters import FOUND


@pytest.mark.parametrize("address", FOUND)
def test_what_is_found(api: Api, address: str) -> None:
    response = api.get(address)
    assert ids(response) == FOUND[address]
    assert response.headers["X-Total-Count"] == str(len(FOUND[address]))


@pytest.mark.parametrize(
    "key", ["0", "1.2", "a.b", "x-y", "example.com/role", "example.com/0", "a_b", "A"]
)
def test_labels_with_odd_keys(api: Api, key: str) -> None:
    api.patch("/clusters/c-1", {"labels": {key: "v"}})
    api.patch("/clusters/c-2", {"labels": {key: ""}})
    assert ids(api.get(f"/clusters?label={key}:v")) == ["c-1"]
    assert ids(api.get(f"/clusters?label={key}:")) == ["c-2"]
    assert ids(api.get(f"/clusters?label={key}")) == ["c-1", "c-2"]
    assert ids(api.get(f"/clusters?label={key}:other")) == []


def test_by_state(api: Api) -> None:
    api.post("/clusters/c-1/freeze")
    api.delete("/clusters/c-2")
    assert ids(api.get("/clusters?state=frozen")) == ["c-1"]
    assert ids(api.get("/clusters?state=decommissioned")) == ["c-2"]


NOT_A_VALUE = "Select a valid choice. {} is not one of the available choices."
REFUSED: dict[str, dict[str, Any]] = {
    "/clusters?enviroment=prod": {
        "enviroment": ["is not a filter here (did you mean environment?)"]
    },
    "/clusters?dry_run=true": {"dry_run": None},
    "/clusters?all=true": {"all": None},
    "/clusters?state=sleeping": {"state": [NOT_A_VALUE.format("sleeping")]},
    "/clusters?node_count=three": {"node_count": ["must be a whole number"]},
    "/clusters?node_count=3.5": {"node_count": ["must be a whole number"]},
    "/clusters?environment=": {"environment": ["is empty"]},
    "/clusters?environment=%20": {"environment": ["is empty"]},
    "/clusters?label=": {"label": ["is empty"]},
    "/clusters?search=": {"search": ["is empty"]},
    "/clusters?environment=dev&environment=prod": {"environment": ["is given more than once"]},
    "/clusters?search=%00": {"search": ["contains a NUL character"]},
    "/clusters?label=a%20b:c": {
        "label": [
            "'a b' is not a key that Kubernetes takes: an optional DNS prefix and '/', then up "
            "to 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends"
        ]
    },
    "/clusters?label=a:%22": {
        "label": [
            "a: '\"' is not a label value: up to 63 letters, digits, '-', '_' and '.', with a "
            "letter or digit at both ends"
        ]
    },
    "/clusters?component_version=1": {
        "component_version": ["needs component too, to know whose version is meant"]
    },
    "/clusters?ordering=weight": {"ordering": [NOT_A_VALUE.format("weight")]},
    "/platform_components?kind=docker": {"kind": [NOT_A_VALUE.format("docker")]},
    "/platform_components?cluster_env_enabled=maybe": {
        "cluster_env_enabled": [NOT_A_VALUE.format("maybe")]
    },
    "/profiles?weight=heavy": {"weight": ["must be a whole number"]},
    "/environments?rank=1e3": {"rank": ["must be a whole number"]},
    "/namespaces?role=view": {"role": None},
    "/rolebindings?kind=User": {"kind": None},
    "/revisions?source=email": {"source": [NOT_A_VALUE.format("email")]},
    "/revisions?since=yesterday": {"since": ["Enter a valid date/time."]},
    "/revisions?object=podinfo": {"object": None},
    "/revisions?object=components/podinfo": {
        "object": [
            "must be section/id, such as platform_components/podinfo (did you mean "
            "platform_components?)"
        ]
    },
    "/revisions?number=1": {"number": None},
    "/clusters/c-1?verbose=1": {"verbose": ["is not a parameter here"]},
    "/clusters/c-1/effective?revison=1": {
        "revison": ["is not a parameter here (did you mean revision?)"]
    },
}


@pytest.mark.parametrize("address", REFUSED)
def test_what_is_refused(api: Api, address: str) -> None:
    """Never ignored: a list that is longer than was asked for looks right."""
    response = api.get(address)
    assert response.status_code == 400
    assert response.json()["error"] == "validation_error"
    [(name, messages)] = REFUSED[address].items()
    assert list(response.json()["details"]) == [name]
    assert messages in (None, response.json()["details"][name])
