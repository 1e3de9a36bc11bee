"""POST /apply: the fleet as documents."""

import json
from typing import Any

import pytest
from django.conf import settings as django_settings

from fleet import models
from fleet.history.change import head_number
from fleet.services.clusters import cluster_decommission, cluster_freeze
from tests.api.conftest import Api
from tests.api.fleet import CREATED, LEAST
from tests.services.fleets import nothing_changes, served

KEYS = {
    "environments": "environments",
    "namespaces": "namespaces",
    "rolebindings": "rolebindings",
    "components": "platform_components",
    "profiles": "profiles",
    "clusters": "clusters",
}


def everything(api: Api) -> dict[str, list[dict[str, Any]]]:
    return {key: api.get(f"/{section}?limit=1000").json() for key, section in KEYS.items()}


def got(api: Api, cluster_id: str) -> dict[str, Any]:
    return api.get(f"/clusters/{cluster_id}").json()


def done(response: Any) -> list[tuple[str, str, str]]:
    assert response.status_code == 200, response.json()
    return [(item["kind"], item["id"], item["action"]) for item in response.json()["objects"]]


# What is named


def test_what_is_there_applied_again_changes_nothing(api: Api) -> None:
    body = everything(api)
    with nothing_changes():
        response = api.post("/apply?prune=true", body)
    assert response.json() == {
        "created": 0,
        "updated": 0,
        "deleted": 0,
        "unchanged": sum(map(len, body.values())),
        "objects": [],
        "revision": None,
    }


@pytest.mark.parametrize("key", KEYS)
def test_a_new_object_has_the_defaults_of_one_that_is_created(api: Api, key: str) -> None:
    section = KEYS[key]
    response = api.post("/apply", {key: [LEAST[section]]})
    assert response.json()["created"] == 1
    assert api.get(f"/{section}/new").json() == CREATED[section]


FULL = ("lab", "apps", "admins", "podinfo", "gold", "c-1")


@pytest.mark.parametrize(("key", "full"), list(zip(KEYS, FULL, strict=True)))
def test_what_a_document_leaves_out_goes_back_to_its_default(api: Api, key: str, full: str) -> None:
    section = KEYS[key]
    least = {**LEAST[section], "id": full}
    assert done(api.post("/apply", {key: [least]}))[0][2] == "updated"
    assert api.get(f"/{section}/{full}").json() == {**CREATED[section], **least}


def test_what_is_not_named_stays(api: Api) -> None:
    before = everything(api)
    api.post("/apply", {"namespaces": [{"id": "new"}], "profiles": []})
    after = everything(api)
    assert [item for item in after["namespaces"] if item["id"] != "new"] == before["namespaces"]
    assert {**after, "namespaces": []} == {**before, "namespaces": []}


def test_one_revision_with_its_reason_for_all_that_changed(api: Api) -> None:
    head = head_number()
    body = {"environments": [{"id": "new"}], "namespaces": [{"id": "apps"}, {"id": "logs"}]}
    response = api.post("/apply", body, X_Change_Reason="from Git")
    assert done(response) == [("environment", "new", "created"), ("namespace", "apps", "updated")]
    assert response.json()["revision"] == head + 1 == head_number()
    assert response.json()["unchanged"] == 1
    assert response.headers["X-Fleet-Revision"] == str(head + 1)
    assert api.get(f"/revisions/{head + 1}").json()["reason"] == "from Git"


def test_a_second_apply_changes_nothing(api: Api) -> None:
    body = {key: [LEAST[section]] for key, section in KEYS.items()}
    assert api.post("/apply", body).json()["created"] == len(KEYS)
    with nothing_changes():
        assert api.post("/apply", body).json()["unchanged"] == len(KEYS)


def test_objects_may_refer_to_one_another(api: Api) -> None:
    body = {
        "clusters": [{**LEAST["clusters"], "namespaces": ["new"], "environment": "new"}],
        "profiles": [{"id": "new", "clusters": ["new"]}],
        "environments": [{"id": "new"}],
        "namespaces": [{"id": "new"}],
    }
    assert api.post("/apply", body).json()["created"] == 4


def test_a_change_of_what_belongs_to_an_object_is_one_of_the_object(api: Api) -> None:
    document = {**got(api, "c-1"), "values": {"podinfo": {"replicaCount": 9}}}
    del document["patches"]
    assert done(api.post("/apply", {"clusters": [document]})) == [("cluster", "c-1", "updated")]
    assert got(api, "c-1")["values"] == {"podinfo": {"replicaCount": 9}}


@pytest.mark.parametrize("view", ["patches", "values"])
def test_one_of_patches_and_values_suffices(api: Api, view: str) -> None:
    document = got(api, "c-1")
    del document[view]
    with nothing_changes():
        assert done(api.post("/apply", {"clusters": [document]})) == []


def test_a_namespace_may_be_repeated_as_it_is_in_a_cluster(api: Api) -> None:
    document = {**got(api, "c-1"), "namespaces": [{"id": "apps", "labels": {"team": "web"}}]}
    with nothing_changes():
        assert done(api.post("/apply", {"clusters": [document]})) == []


# What is not


def test_prune_takes_away_what_is_not_named_of_the_kinds_that_are(api: Api) -> None:
    body = everything(api)
    del body["rolebindings"]
    for key in ("namespaces", "components"):
        body[key] = [item for item in body[key] if item["id"] != "spare"]
    response = api.post("/apply?prune=true", body)
    assert done(response) == [("namespace", "spare", "deleted"), ("component", "spare", "deleted")]
    assert response.json()["deleted"] == 2
    assert api.get("/rolebindings/spare").status_code == 200


def test_prune_takes_away_a_component_with_what_it_depends_on(api: Api) -> None:
    body = everything(api)
    body |= {"components": [], "profiles": []}
    for cluster in body["clusters"]:
        cluster |= {"platform_components": [], "patches": {}, "values": {}, "unset": {}}
    assert api.post("/apply?prune=true", body).json()["deleted"] == 7
    assert api.get("/platform_components").json() == []


def test_prune_decommissions_a_cluster_and_never_purges_it(api: Api) -> None:
    body = {"clusters": [item for item in everything(api)["clusters"] if item["id"] != "c-2"]}
    response = api.post("/apply?prune=true", body)
    assert done(response) == [("cluster", "c-2", "decommissioned")]
    assert response.json()["deleted"] == 1
    assert got(api, "c-2")["state"] == "decommissioned"
    with nothing_changes():
        assert done(api.post("/apply?prune=true", body)) == []


def test_what_is_used_elsewhere_is_not_pruned_and_told_where(api: Api) -> None:
    with nothing_changes():
        response = api.post("/apply?prune=true", {"namespaces": [{"id": "spare"}]})
    assert response.status_code == 409
    assert response.json()["details"]["used_by"] == {
        "namespace apps": {"clusters": ["c-1"]},
        "namespace logs": {"profiles": ["everywhere"]},
    }


def test_a_decommissioned_cluster_keeps_what_it_has_from_being_pruned(api: Api) -> None:
    body = everything(api)
    body["clusters"] = [item for item in body["clusters"] if item["id"] != "c-1"]
    body["namespaces"] = [item for item in body["namespaces"] if item["id"] != "apps"]
    with nothing_changes():
        response = api.post("/apply?prune=true", body)
    assert response.status_code == 409
    assert response.json()["message"] == (
        "namespace apps is not named, but still in use: clusters c-1. A decommissioned cluster "
        "keeps what it has until it is purged."
    )


def test_a_reference_to_what_prune_takes_away_is_a_problem(api: Api) -> None:
    body = everything(api)
    body["components"] = [item for item in body["components"] if item["id"] != "traefik"]
    with nothing_changes():
        response = api.post("/apply?prune=true", body)
    assert response.status_code == 400
    podinfo = next(i for i, item in enumerate(body["components"]) if item["id"] == "podinfo")
    assert set(response.json()["details"]) == {
        f"components[{podinfo}].depends_on[0].id",
        "profiles[0].platform_components[0].id",
    }


# States


def state_after(api: Api, state: str | None) -> str:
    document = got(api, "c-3")
    document |= {"state": state} if state else {}
    if not state:
        del document["state"]
    response = api.post("/apply", {"clusters": [document]})
    assert response.status_code == 200, response.json()
    return got(api, "c-3")["state"]


@pytest.mark.parametrize("now", ["active", "frozen", "decommissioned"])
@pytest.mark.parametrize("wanted", [None, "active", "frozen", "decommissioned"])
def test_the_state_is_brought_to_what_the_document_says_or_left(
    api: Api, now: str, wanted: str | None
) -> None:
    if now == "frozen":
        cluster_freeze(cluster="c-3")
    elif now == "decommissioned":
        cluster_decommission(cluster="c-3")
    if (now, wanted) == ("decommissioned", "frozen"):
        return  # Refused, see below.
    assert state_after(api, wanted) == (wanted or now)
    with nothing_changes():
        state_after(api, wanted)


def test_a_decommissioned_cluster_cannot_be_frozen(api: Api) -> None:
    cluster_decommission(cluster="c-3")
    document = {**got(api, "c-3"), "state": "frozen"}
    with nothing_changes():
        response = api.post("/apply", {"clusters": [document]})
    assert response.json()["details"] == {
        "clusters[0].state": ["the cluster is decommissioned: only an active one can be frozen"]
    }


def test_a_cluster_is_frozen_with_what_it_gets_before_the_rest_of_the_apply(api: Api) -> None:
    before = served("c-3")
    podinfo = api.get("/platform_components/podinfo").json()
    body = {
        "components": [{**podinfo, "component_version": "7.0.0"}],
        "clusters": [{**got(api, "c-3"), "state": "frozen", "namespaces": ["apps"]}],
    }
    assert api.post("/apply", body).status_code == 200
    assert served("c-3") == before


def test_a_frozen_cluster_comes_with_what_it_was_frozen_with(api: Api) -> None:
    cluster_freeze(cluster="c-3")
    api.patch("/platform_components/podinfo", {"component_version": "7.0.0"})
    before = served("c-3")
    body = everything(api)
    body["clusters"][-1]["frozen_answers"] = json.loads(
        models.FrozenAnswers.objects.values_list("answers", flat=True).get()
    )
    api.post("/clusters/c-3/unfreeze")
    assert served("c-3") != before
    assert done(api.post("/apply", body)) == [("cluster", "c-3", "updated")]
    assert served("c-3") == before


# Plans and guards


def test_a_dry_run_is_the_plan_with_the_counts(api: Api) -> None:
    document = {**got(api, "c-1"), "namespaces": []}
    body = {"clusters": [document, LEAST["clusters"]]}
    with nothing_changes():
        response = api.post("/apply?dry_run=true", body)
    plan = response.json()
    assert {group["clusters"][0] for group in plan["groups"]} == {"c-1", "new"}
    assert (plan["created"], plan["updated"], plan["deleted"], plan["unchanged"]) == (1, 1, 0, 0)
    assert done(response) == [("cluster", "c-1", "updated"), ("cluster", "new", "created")]
    assert plan["revision"] is None


def test_wide_removals_need_the_digest(api: Api, settings: Any) -> None:
    settings.GUARD_CLUSTERS = 1
    with nothing_changes():
        refusal = api.post("/apply?prune=true", {"clusters": []})
    assert refusal.status_code == 409
    assert refusal.json()["error"] == "confirmation_required"
    digest = refusal.json()["details"]["digest"]
    response = api.post(f"/apply?prune=true&confirm={digest}", {"clusters": []})
    assert response.json()["deleted"] == 3


def test_a_limit_to_environments_holds(api: Api) -> None:
    issued = api.post("/tokens", {"id": "ci", "kind": "operator", "environments": ["dev"]}).json()
    mine = {"Authorization": f"Bearer {issued['token']}"}
    body = everything(api)
    body["clusters"][0]["node_count"] = 9
    assert done(api.post("/apply", body, **mine)) == [("cluster", "c-1", "updated")]
    body["clusters"][1]["node_count"] = 9
    with nothing_changes():
        assert api.post("/apply", body, **mine).status_code == 403


def test_an_apply_is_no_operation_of_a_batch(api: Api) -> None:
    with nothing_changes():
        response = api.post("/batch", [{"method": "POST", "path": "/apply", "body": {}}])
    assert response.status_code == 400


# Bad input

NEW = LEAST["clusters"]
WRONG: list[tuple[Any, dict[str, list[str]]]] = [
    ([], {"body": ["must be an object"]}),
    (
        {"cluster": []},
        {"cluster": ["is not a kind of object (did you mean clusters?)"]},
    ),
    (
        {"platform_components": []},
        {"platform_components": ["is not a kind of object (did you mean components?)"]},
    ),
    ({"clusters": None}, {"clusters": ["must be a list, not null"]}),
    ({"clusters": {}}, {"clusters": ["must be a list, not an object"]}),
    ({"clusters": ["c-1"]}, {"clusters[0].id": ["is required, and must be text"]}),
    ({"clusters": [NEW, {**NEW, "id": 3}]}, {"clusters[1].id": ["is required, and must be text"]}),
    (
        {"namespaces": [{"id": "a"}, {"id": "a"}]},
        {"namespaces[1].id": ["'a' is in the list twice"]},
    ),
    (
        {"clusters": [{"id": "c-1"}]},
        {
            "clusters[0].cluster_name": ["is required"],
            "clusters[0].cluster_dns": ["is required"],
            "clusters[0].environment": ["is required"],
        },
    ),
    (
        {"clusters": [{**NEW, "state": "asleep"}]},
        {"clusters[0].state": ["'asleep' must be one of: waiting, active, frozen, decommissioned"]},
    ),
    (
        {
            "clusters": [
                {**NEW, "patches": {"podinfo": {"a": "1"}}, "values": {"podinfo": {"a": 2}}}
            ]
        },
        {"clusters[0].patches.podinfo.a": ["says another thing than values does of this key"]},
    ),
    (
        {
            "clusters": [{**NEW, "patches": {"podinfo": {"x": "1", "x.y": "2"}}}],
            "components": [{"id": "new", "component_path": "x", "oci_url": "nowhere", "kin": 1}],
            "namespaces": [{"id": "UPPER"}],
        },
        {
            "clusters[0].patches.podinfo.x.y": [
                "leads through x, which has a value of its own; keep one of the two"
            ],
            "components[0].kin": ["is not a field here (did you mean kind?)"],
            "components[0].oci_url": [
                "'nowhere' must be an address that starts with https:// or oci://"
            ],
            "namespaces[0].id": [
                "'UPPER' must be a DNS-1123 label: 1 to 63 lower case letters, digits and hyphens, "
                "with a letter or digit at both ends"
            ],
        },
    ),
    (
        {"clusters": [{**NEW, "namespaces": [{"id": "apps", "labels": {"team": "data"}}]}]},
        {
            "clusters[0].namespaces[0].labels": [
                "is not that of the namespace 'apps', which is changed by itself"
            ]
        },
    ),
]


@pytest.mark.parametrize(("body", "details"), WRONG, ids=lambda it: str(it)[:50])
def test_all_problems_at_once_by_path_and_nothing_changes(
    api: Api, body: Any, details: dict[str, list[str]]
) -> None:
    with nothing_changes():
        response = api.post("/apply", body)
    assert response.status_code == 400
    assert response.json()["error"] == "validation_error"
    assert response.json()["details"] == details


def test_a_dns_name_that_is_taken_is_a_conflict(api: Api) -> None:
    with nothing_changes():
        response = api.post("/apply", {"clusters": [{**NEW, "cluster_dns": "c-1.example.com"}]})
    assert response.status_code == 409
    assert response.json()["details"] == {
        "clusters[0].cluster_dns": ["'c-1.example.com' is the DNS name of cluster c-1 already"]
    }


@pytest.mark.parametrize("query", ["prune=yes", "prun=true", "prune=true&prune=true"])
def test_parameters_are_read_strictly(api: Api, query: str) -> None:
    with nothing_changes():
        assert api.post(f"/apply?{query}", {}).status_code == 400


def test_a_body_is_needed(api: Api) -> None:
    assert api.post("/apply?prune=true").status_code == 400


def test_a_body_may_be_larger_than_that_of_an_object(api: Api) -> None:
    annotations = {"x": "y" * 200_000}
    many = [{"id": f"n-{n}", "annotations": annotations} for n in range(10)]
    assert len(json.dumps(many)) > django_settings.MAX_BODY
    assert api.post("/apply", {"namespaces": many}).json()["created"] == 10


@pytest.mark.parametrize("clusters", [2, 40])
def test_the_number_of_queries_is_fixed(
    api: Api, clusters: int, django_assert_max_num_queries: Any
) -> None:
    body = {
        "clusters": [
            {**NEW, "id": f"n-{n}", "cluster_dns": f"n-{n}.example.com", "namespaces": ["apps"]}
            for n in range(clusters)
        ]
    }
    with django_assert_max_num_queries(75):
        assert api.post("/apply", body).json()["created"] == clusters
