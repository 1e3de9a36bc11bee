"""The file that connects a cluster, without a token and with one."""

from typing import Any

import pytest
import yaml

from config.environment import BASE_DIR
from fleet.bootstrap import FILES, bootstrap_manifest
from fleet.history.change import head_number
from fleet.models import Cluster, Revision, Token, TokenKey
from tests.api.conftest import Api
from tests.services.fleets import nothing_changes

MANIFEST = "/clusters/c-1/bootstrap.yaml"
BOOTSTRAP = "/clusters/c-1/bootstrap"
# Whatever stands in these places stays there, as text.
NASTY = ['"', "'", "\\", "\n---\nkind: Pod", "${CLUSTER_TOKEN}", "<< inputs.id >>", "é\u2028#: {}"]


def objects(text: str) -> dict[tuple[str, str], dict[str, Any]]:
    documents = list(yaml.safe_load_all(text))
    found = {(item["kind"], item["metadata"]["name"]): item for item in documents}
    assert len(found) == len(documents)
    return found


def secret_in(text: str) -> str:
    return objects(text)["Secret", "flux-fleet-token"]["stringData"]["token"]


def test_the_file_has_all_that_a_cluster_needs(api: Api) -> None:
    response = api.get(MANIFEST)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/yaml; charset=utf-8"
    assert set(objects(response.text)) == {
        ("Namespace", "flux-fleet"),
        ("ConfigMap", "cluster-identity"),
        ("Secret", "flux-fleet-token"),
        ("ServiceAccount", "flux-fleet"),
        ("ClusterRoleBinding", "flux-fleet"),
        *(
            (kind, name)
            for kind in ("ResourceSetInputProvider", "ResourceSet")
            for name in ("namespaces", "rolebindings", "platform-components")
        ),
    }


def test_the_file_tells_the_cluster_who_it_is(api: Api) -> None:
    identity = objects(api.get(MANIFEST).text)["ConfigMap", "cluster-identity"]["data"]
    assert identity == {
        "CLUSTER_NAME": "one",
        "CLUSTER_DNS": "c-1.example.com",
        "ENVIRONMENT": "dev",
        "INTERNAL_API_URL": "http://testserver",
    }


@pytest.mark.parametrize("resource", ["platform-components", "namespaces", "rolebindings"])
def test_every_provider_asks_where_the_answer_is(api: Api, resource: str) -> None:
    made = api.post(BOOTSTRAP).text
    spec = objects(made)["ResourceSetInputProvider", resource]["spec"]
    polled = api.get(spec["url"], Authorization=f"Bearer {secret_in(made)}")
    assert polled.status_code == 200
    assert polled.json()["inputs"]
    assert spec["filter"]["limit"] == 10_000


@pytest.mark.parametrize(
    ("address", "insecure"), [("http://f.test", True), ("https://f.test", False)]
)
def test_plain_http_must_be_allowed_expressly(
    api: Api, settings: Any, address: str, insecure: bool
) -> None:
    settings.PUBLIC_API_URL = address
    found = objects(api.get(MANIFEST).text)
    specs = [
        item["spec"] for (kind, _), item in found.items() if kind == "ResourceSetInputProvider"
    ]
    assert [spec["insecure"] for spec in specs] == [insecure] * 3
    assert all(
        spec["url"].startswith(f"{address}/api/v2/flux/clusters/c-1.example.com/") for spec in specs
    )


def test_reading_it_makes_no_token(api: Api) -> None:
    with nothing_changes():
        text = api.get(MANIFEST).text
    assert secret_in(text) == "PUT THE SECRET OF A CLUSTER TOKEN HERE"


def test_a_token_is_made_as_one_revision(api: Api) -> None:
    before = head_number()
    response = api.post(BOOTSTRAP, X_Change_Reason="new cluster")
    assert response.status_code == 201
    assert response.headers["X-Fleet-Revision"] == str(before + 1) == str(head_number())
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Location"] == "http://testserver/tokens/c-1"
    assert Revision.objects.get(number=head_number()).reason == "new cluster"
    token = Token.objects.get()
    assert (token.pk, token.kind, token.cluster_id) == ("c-1", "cluster", "c-1")


def test_the_token_reads_its_own_cluster_alone(api: Api) -> None:
    bearer = f"Bearer {secret_in(api.post(BOOTSTRAP).text)}"
    statuses = [
        api.get(
            f"/api/v2/flux/clusters/{name}.example.com/namespaces", Authorization=bearer
        ).status_code
        for name in ("c-1", "c-2")
    ]
    assert statuses == [200, 403]


def test_each_time_makes_another_token(api: Api) -> None:
    secrets = {secret_in(api.post(BOOTSTRAP).text) for _ in range(3)}
    assert len(secrets) == 3
    assert set(Token.objects.values_list("pk", flat=True)) == {"c-1", "c-1-2", "c-1-3"}


def test_a_token_of_a_long_name_fits(api: Api) -> None:
    name = f"{'a' * 60}-bc"
    body = {
        "id": name,
        "cluster_name": name,
        "cluster_dns": "long.example.com",
        "environment": "dev",
    }
    api.post("/clusters", body)
    assert [api.post(f"/clusters/{name}/bootstrap").status_code for _ in range(2)] == [201, 201]
    assert set(Token.objects.values_list("pk", flat=True)) == {name, f"{'a' * 60}-2"}


def test_a_dry_run_makes_no_token(api: Api) -> None:
    with nothing_changes():
        response = api.post(f"{BOOTSTRAP}?dry_run=true")
    assert response.status_code == 200
    assert response.json()["totals"]["clusters"] == 0
    assert not TokenKey.objects.exists()


@pytest.mark.parametrize(("method", "path"), [("GET", MANIFEST), ("POST", BOOTSTRAP)])
def test_a_decommissioned_cluster_is_not_connected(api: Api, method: str, path: str) -> None:
    api.delete("/clusters/c-1")
    with nothing_changes():
        response = api(method, path)
    assert response.status_code == 409
    assert response.headers["Content-Type"] == "application/json"
    assert response.json() == {
        "error": "conflict",
        "message": "c-1 is decommissioned; recommission it to connect it.",
        "details": {},
    }


def test_a_frozen_cluster_can_be_connected(api: Api) -> None:
    api.post("/clusters/c-1/freeze")
    assert api.post(BOOTSTRAP).status_code == 201


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/clusters/nowhere/bootstrap.yaml", None, 404),
        ("POST", "/clusters/nowhere/bootstrap", None, 404),
        ("GET", f"{MANIFEST}?token=x", None, 400),
        ("POST", f"{BOOTSTRAP}?dry_rum=true", None, 400),
        ("POST", BOOTSTRAP, {"id": "mine"}, 400),
        ("POST", MANIFEST, None, 405),
        ("GET", BOOTSTRAP, None, 405),
    ],
)
def test_a_mistake_is_refused(api: Api, method: str, path: str, body: Any, status: int) -> None:
    with nothing_changes():
        response = api(method, path, body)
    assert response.status_code == status
    assert set(response.json()) == {"error", "message", "details"}


@pytest.mark.parametrize("text", NASTY)
def test_no_text_breaks_out(text: str) -> None:
    cluster = Cluster(id="c", name=text, dns=f"d{text}", environment_id=f"e{text}")
    found = objects(bootstrap_manifest(cluster, api_url=f"https://f{text}", token=f"t{text}"))
    assert len(found) == 11
    assert found["ConfigMap", "cluster-identity"]["data"] == {
        "CLUSTER_NAME": text,
        "CLUSTER_DNS": f"d{text}",
        "ENVIRONMENT": f"e{text}",
        "INTERNAL_API_URL": f"https://f{text}",
    }
    assert found["Secret", "flux-fleet-token"]["stringData"] == {"token": f"t{text}"}
    provider = found["ResourceSetInputProvider", "namespaces"]["spec"]
    assert provider["url"] == f"https://f{text}/api/v2/flux/clusters/d{text}/namespaces"


def test_the_folder_for_git_has_the_same_files() -> None:
    """But for the token, which is no thing to keep in Git."""
    folder = BASE_DIR / "deploy" / "flux"
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text())
    assert [*kustomization["resources"], "token.yaml"] == [
        *(name for name in FILES if name != "token.yaml"),
        "token.yaml",
    ]
    others = {"kustomization.yaml", "enroll-job.yaml"}
    assert {file.name for file in folder.glob("*.yaml")} == {*FILES, *others}
