"""What schemathesis brought to light, each as the shortest request that shows it."""

import pytest
from jsonschema import Draft202012Validator

from fleet.api.openapi.parameters import NO_ENCODED_NUL
from fleet.api.openapi.types import ANNOTATIONS, LABELS
from fleet.history.change import head_number
from fleet.models import Cluster

pytestmark = pytest.mark.usefixtures("demo_fleet")

PATCH = {"labels": {"checked": "yes"}}
CLUSTER = "/clusters/demo-cluster-01"


@pytest.mark.parametrize("query", ["environment=", "environment=%20", "environment=&state=active"])
def test_an_empty_filter_does_not_choose_every_cluster(ask, query):
    response = ask("PATCH", f"/clusters?{query}", PATCH)
    assert response.status_code == 400
    assert response.json()["details"] == {"environment": ["is empty"]}
    assert not Cluster.objects.filter(labels__checked="yes").exists()


def test_a_limit_of_a_fleet_wide_patch_is_refused_and_not_ignored(ask):
    assert ask("PATCH", "/clusters?environment=dev&limit=1", PATCH).status_code == 400


@pytest.mark.parametrize(
    "patch",
    [
        {"labels": {"not a label": "x"}},
        {"platform_components": [{"id": "nope"}]},
        {"platform_components": [{"id": "podinfo", "oci_tag": "x" * 200}]},
        {"unset": {"podinfo": "text"}},
    ],
)
def test_a_wrong_patch_is_refused_also_where_no_cluster_matches(ask, patch):
    before = head_number()
    assert ask("PATCH", "/clusters?id=nobody", patch).status_code == 400
    assert head_number() == before


def test_a_right_patch_that_meets_no_cluster_changes_nothing(ask):
    before, clusters = head_number(), Cluster.objects.count()
    response = ask("PATCH", "/clusters?id=nobody", PATCH)
    assert response.json() == {"matched": 0, "changed": 0, "clusters": []}
    assert (head_number(), Cluster.objects.count()) == (before, clusters)


@pytest.mark.parametrize("value", ["banana", "1", "yes", "null"])
def test_a_yes_or_no_filter_takes_true_and_false_alone(ask, value):
    assert ask("GET", f"/platform_components?cluster_env_enabled={value}").status_code == 400


@pytest.mark.parametrize("value", ["1.5", "1_0", "１", "1e1", "99999999999", "x"])
def test_a_filter_by_a_number_takes_whole_numbers_alone(ask, value):
    assert ask("GET", f"/clusters?node_count={value}").status_code == 400


@pytest.mark.parametrize("body", ["[]", "0", "null", "false", '""'])
def test_a_revert_takes_an_object_or_nothing(ask, body):
    assert ask("POST", f"/revisions/{head_number()}/revert?dry_run=true", body).status_code == 400


def test_a_removed_version_is_the_default(ask):
    body = {"component_version": None, "oci_tag": None}
    document = ask("PATCH", "/platform_components/podinfo", body).json()
    assert (document["component_version"], document["oci_tag"]) == ("latest", "latest")


def test_a_whole_number_may_be_written_with_a_fraction_of_nothing(ask):
    assert ask("PATCH", CLUSTER, {"node_count": 3.0}).json()["node_count"] == 3
    assert ask("PATCH", CLUSTER, {"node_count": 3.5}).status_code == 400
    restored = ask("POST", f"{CLUSTER}/restore", {"revision": float(head_number())})
    assert restored.status_code == 200


def test_what_a_cluster_gets_can_be_looked_at(ask):
    document = ask("GET", f"{CLUSTER}/effective").json()
    [podinfo] = [item for item in document["platform_components"] if item["id"] == "podinfo"]
    assert podinfo["fields"]["component_version"]["origin"]["layer"]


def test_a_dry_run_tells_the_revision_that_it_looked_at(ask):
    response = ask("PATCH", f"{CLUSTER}?dry_run=true", PATCH)
    assert response.headers["X-Fleet-Revision"] == str(head_number())


def test_clusters_are_ordered_by_the_names_that_the_wire_has(ask):
    names = [item["cluster_dns"] for item in ask("GET", "/clusters?ordering=-cluster_dns").json()]
    assert names == sorted(names, reverse=True)


@pytest.mark.parametrize(("length", "right"), [(253, True), (255, False)])
@pytest.mark.parametrize(("field", "part"), [("labels", LABELS), ("annotations", ANNOTATIONS)])
def test_the_schema_knows_how_long_the_prefix_of_a_key_may_be(ask, field, part, length, right):
    texts = {f"{'a.' * (length // 2)}a/name": "value"}
    response = ask("POST", "/namespaces", {"id": "long", field: texts})
    assert response.status_code == (201 if right else 400)
    assert Draft202012Validator(part).is_valid(texts) == right


def test_the_schema_knows_that_a_reason_is_decoded(ask):
    headers = {"X-Change-Reason": "100%00"}
    assert ask("PATCH", CLUSTER, PATCH, **headers).status_code == 400
    validator = Draft202012Validator({"pattern": NO_ENCODED_NUL})
    assert not validator.is_valid(headers["X-Change-Reason"])
    assert validator.is_valid("100 % of 00%")


def test_what_a_filter_in_a_batch_looks_for_may_have_two_slashes(ask):
    step = {"method": "PATCH", "path": "/clusters?vm_image=oci://images/1", "body": PATCH}
    assert ask("POST", "/batch", [step]).status_code == 200
    nowhere = step | {"path": "//clusters?vm_image=1"}
    assert ask("POST", "/batch", [nowhere]).status_code == 400
