"""POST /enroll: a new cluster registers itself."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
import yaml
from django.core.cache import caches
from django.utils import timezone

from fleet.access import token_usage
from fleet.history.change import change, head_number
from fleet.models import Cluster, Enrolment, Profile, Revision, Token, TokenKey
from fleet.services.clusters import cluster_purge
from fleet.services.tokens import EnrolmentDefaults, token_revoke
from fleet.services.undo import revision_revert
from tests.api.conftest import Api
from tests.services.fleets import nothing_changes

pytestmark = pytest.mark.both_databases

OSLO = {"cluster_name": "oslo", "cluster_dns": "oslo.example.com"}
FLUX = "/api/v2/flux/clusters"


@pytest.fixture(autouse=True)
def nobody_has_asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(token_usage, "_noted", {})
    caches["throttle"].clear()
    yield
    caches["throttle"].clear()


Asking = Callable[[str], Api]


@pytest.fixture
def joining(issue: Any, asking: Asking) -> Callable[..., Api]:
    """Asks with an enrolment token for dev."""

    def joining(id: str = "join", environment: str = "dev", **enrolment_defaults: Any) -> Api:
        secret = issue(
            "enrolment",
            id,
            environments=[environment],
            enrolment_defaults=EnrolmentDefaults(**enrolment_defaults),
        )
        return asking(secret)

    return joining


def enrol(api: Api, status: int = 201, **document: Any) -> dict[str, Any]:
    response = api.post("/enroll", {**OSLO, **document})
    assert response.status_code == status, response.json()
    return response.json()


def poll(api: Api, secret: str, dns: str = "oslo.example.com") -> int:
    address = f"{FLUX}/{dns}/platform-components"
    return api.get(address, Authorization=f"Bearer {secret}").status_code


# A new cluster


def test_a_new_cluster_gets_its_token_and_what_to_apply(joining: Any) -> None:
    api = joining()
    answer = enrol(api, labels={"region": "eu"}, node_count=3)
    cluster = answer["cluster"]
    assert (cluster["id"], cluster["cluster_dns"]) == ("oslo", "oslo.example.com")
    assert (cluster["environment"], cluster["state"]) == ("dev", "active")
    assert (cluster["labels"], cluster["node_count"]) == ({"region": "eu"}, 3)
    assert answer["token_id"] == "oslo"
    assert poll(api, answer["token"]) == 200
    secrets = [
        part["stringData"]["token"]
        for part in yaml.safe_load_all(answer["manifest"])
        if part["kind"] == "Secret"
    ]
    assert secrets == [answer["token"]]


def test_its_token_reads_its_own_answers_alone(joining: Any) -> None:
    api = joining()
    secret = enrol(api)["token"]
    assert poll(api, secret, "c-1.example.com") == 403


def test_the_answer_is_not_to_be_kept(joining: Any) -> None:
    response = joining().post("/enroll", OSLO)
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Location"] == "http://testserver/clusters/oslo"


def test_as_yaml_the_answer_is_the_manifest_alone(joining: Any) -> None:
    response = joining().post("/enroll", OSLO, Accept="application/yaml")
    assert response.status_code == 201
    assert response.headers["Content-Type"].startswith("application/yaml")
    kinds = {part["kind"] for part in yaml.safe_load_all(response.content)}
    assert {"ConfigMap", "Secret", "ResourceSet"} <= kinds


def test_a_refusal_is_json_also_where_yaml_is_asked_for(joining: Any) -> None:
    response = joining().post("/enroll", {}, Accept="application/yaml")
    assert (response.status_code, response.json()["error"]) == (400, "validation_error")


def test_the_log_has_one_revision_by_the_token(joining: Any) -> None:
    api, before = joining("join-dev"), head_number()
    enrol(api)
    revision = Revision.objects.get(number=before + 1)
    assert (revision.actor, revision.actor_kind) == ("join-dev", "token")
    assert revision.reason == "Enrol oslo"
    assert head_number() == before + 1


def test_the_token_gives_labels_and_puts_on_lists(joining: Any) -> None:
    api = joining(labels={"tier": "gold"}, profiles=["picked"])
    cluster = enrol(api, labels={"region": "eu", "tier": "gold"})["cluster"]
    assert cluster["labels"] == {"region": "eu", "tier": "gold"}
    listed = Profile.objects.get(pk="picked").clusters.values_list("cluster_id", flat=True)
    assert set(listed) == {"c-3", "oslo"}


def test_a_revert_of_the_enrolment_takes_the_cluster_and_its_token_back(joining: Any) -> None:
    api = joining(profiles=["picked"])
    secret = enrol(api)["token"]
    revision_revert(number=head_number())
    assert not Cluster.objects.filter(pk="oslo").exists()
    assert not Token.objects.filter(pk="oslo").exists()
    assert poll(api, secret) == 401
    assert Token.objects.get(pk="join").uses == 1


# Waiting


def test_where_the_token_says_so_it_waits_unknown_to_flux(joining: Any) -> None:
    api = joining(needs_approval=True)
    answer = enrol(api)
    assert answer["cluster"]["state"] == "waiting"
    assert poll(api, answer["token"]) == 404
    listed = api.get(FLUX, Authorization="Bearer test-read-token").json()["inputs"]
    assert "oslo" not in {item["id"] for item in listed}


def test_approved_it_gets_its_components_with_the_token_that_it_has(joining: Any) -> None:
    api = joining(needs_approval=True)
    answer = enrol(api)
    operator = "Bearer test-write-token"
    approved = api.post("/clusters/oslo/approve", Authorization=operator)
    assert approved.json()["state"] == "active"
    assert poll(api, answer["token"]) == 200
    with nothing_changes():
        assert api.post("/clusters/oslo/approve", Authorization=operator).status_code == 409


def test_an_enrolment_token_cannot_approve(joining: Any) -> None:
    api = joining(needs_approval=True)
    enrol(api)
    with nothing_changes():
        assert api.post("/clusters/oslo/approve").status_code == 403


def test_refused_it_is_forgotten_and_its_token_with_it(joining: Any) -> None:
    api = joining(needs_approval=True)
    answer = enrol(api)
    gone = api.delete("/clusters/oslo", Authorization="Bearer test-write-token")
    assert gone.status_code == 200
    assert not Cluster.objects.filter(pk="oslo").exists()
    assert poll(api, answer["token"]) == 401


# Again


def test_to_ask_again_is_safe_and_makes_the_secret_before_void(joining: Any) -> None:
    api = joining(max_uses=1)
    first = enrol(api)
    again = enrol(api, status=200, cluster_dns="OSLO.example.com")
    assert again["cluster"] == first["cluster"]
    assert again["token_id"] == first["token_id"]
    assert poll(api, first["token"]) == 401
    assert poll(api, again["token"]) == 200
    assert Cluster.objects.filter(pk="oslo").count() == 1
    assert Token.objects.get(pk="join").uses == 1


def test_a_waiting_cluster_may_ask_again(joining: Any) -> None:
    api = joining(needs_approval=True)
    enrol(api)
    assert enrol(api, status=200)["cluster"]["state"] == "waiting"


def refused_again(api: Api, **document: Any) -> str:
    with nothing_changes():
        response = api.post("/enroll", {**OSLO, **document})
    assert response.status_code == 409, response.json()
    return response.json()["message"]


def test_a_cluster_that_has_used_its_token_cannot_be_asked_for_again(joining: Any) -> None:
    api = joining()
    poll(api, enrol(api)["token"])
    token_usage.write()
    assert "has used its token" in refused_again(api)


def test_a_waiting_cluster_that_polls_has_used_its_token_too(joining: Any) -> None:
    api = joining(needs_approval=True)
    poll(api, enrol(api)["token"])
    token_usage.write()
    assert "has used its token" in refused_again(api)


def test_after_an_hour_a_cluster_cannot_be_asked_for_again(joining: Any) -> None:
    api = joining()
    enrol(api)
    Enrolment.objects.update(created_at=timezone.now() - timedelta(minutes=61))
    assert "had an hour" in refused_again(api)


def test_another_token_cannot_ask_again(joining: Any) -> None:
    enrol(joining("one"))
    assert refused_again(joining("two")) == (
        "There is a cluster with the DNS name 'oslo.example.com' already."
    )


def test_another_token_of_the_same_name_cannot_ask_again(joining: Any) -> None:
    enrol(joining())
    token_revoke(id="join")
    refused_again(joining())


def test_a_cluster_that_a_person_made_cannot_be_asked_for(joining: Any) -> None:
    refused_again(joining(), cluster_name="one", cluster_dns="c-1.example.com")


def test_another_name_for_a_known_dns_name_is_refused(joining: Any) -> None:
    api = joining()
    enrol(api)
    refused_again(api, cluster_name="bergen")


def test_another_dns_name_for_a_known_name_is_refused(joining: Any) -> None:
    api = joining()
    enrol(api)
    assert refused_again(api, cluster_dns="x.example.com") == "There is a cluster 'oslo' already."


def test_once_its_token_is_revoked_a_cluster_cannot_ask_again(joining: Any) -> None:
    api = joining()
    enrol(api)
    token_revoke(id="oslo")
    refused_again(api)


def test_a_decommissioned_cluster_cannot_ask_again(joining: Any) -> None:
    api = joining()
    enrol(api)
    api.delete("/clusters/oslo", Authorization="Bearer test-write-token")
    assert "decommissioned" in refused_again(api)


# What a token permits


def test_no_more_clusters_than_the_token_may_register(joining: Any) -> None:
    api = joining(max_uses=2)
    for number in range(2):
        enrol(api, cluster_name=f"n-{number}", cluster_dns=f"n-{number}.example.com")
    with nothing_changes():
        response = api.post("/enroll", OSLO)
    assert response.status_code == 403
    assert response.json()["message"] == (
        "This token has registered as many clusters as it may: 2."
    )


def test_a_refused_cluster_has_used_the_token_up_too(joining: Any) -> None:
    api = joining(max_uses=1, needs_approval=True)
    enrol(api)
    cluster_purge(cluster="oslo")
    assert api.post("/enroll", OSLO).status_code == 403


def test_an_expired_token_registers_nothing(joining: Any) -> None:
    api = joining()
    with change():
        Token.objects.filter(pk="join").update(expires_at=timezone.now() - timedelta(seconds=1))
    with nothing_changes():
        assert api.post("/enroll", OSLO).status_code == 401


def test_a_token_from_before_there_was_one_environment_registers_nothing(joining: Any) -> None:
    api = joining()
    with change():
        Token.objects.filter(pk="join").update(environments=None)
    with nothing_changes():
        assert api.post("/enroll", OSLO).status_code == 403


@pytest.mark.parametrize(
    ("gone", "message"),
    [
        (lambda: Profile.objects.filter(pk="picked").delete(), "which is gone or has no list"),
        (
            lambda: Profile.objects.filter(pk="picked").update(lists_clusters=False),
            "which is gone or has no list",
        ),
    ],
    ids=["deleted", "without a list"],
)
def test_a_profile_that_cannot_be_given_is_an_error(joining: Any, gone: Any, message: str) -> None:
    api = joining(profiles=["picked"])
    with change():
        gone()
    assert message in refused_again(api)


def test_an_environment_that_is_gone_is_an_error(joining: Any) -> None:
    api = joining(environment="lab")
    api.delete("/environments/lab", Authorization="Bearer test-write-token")
    assert "'lab', is gone" in refused_again(api)


def test_it_reads_and_changes_nothing_else(joining: Any) -> None:
    api = joining()
    assert api.get("/clusters").status_code == 403
    assert api.post("/clusters", {}).status_code == 403
    assert api.get(f"{FLUX}/c-1.example.com/namespaces").status_code == 403


def test_an_enrolment_is_no_operation_of_a_batch(api: Api) -> None:
    response = api.post("/batch", [{"method": "POST", "path": "/enroll", "body": OSLO}])
    assert response.status_code == 400


# Bad input

# None where what is told is that of every document of a cluster.
WRONG: list[tuple[Any, dict[str, list[str] | None]]] = [
    ([], {"body": ["must be an object"]}),
    ({}, {"cluster_name": ["is required"], "cluster_dns": ["is required"]}),
    ({**OSLO, "cluster_name": 3}, {"cluster_name": ["must be text, not 3"]}),
    (
        {**OSLO, "cluster_name": "Oslo"},
        {
            "cluster_name": [
                "'Oslo' must be a DNS-1123 label: 1 to 63 lower case letters, digits and hyphens, "
                "with a letter or digit at both ends"
            ]
        },
    ),
    ({**OSLO, "cluster_dns": 3}, {"cluster_dns": ["must be text, not 3"]}),
    ({**OSLO, "id": "x"}, {"id": None}),
    ({**OSLO, "state": "active"}, {"state": None}),
    (
        {**OSLO, "environment": "prod"},
        {"environment": ["must be that of the token, 'dev', or left out"]},
    ),
    ({**OSLO, "labels": []}, {"labels": ["must be an object, not a list"]}),
    ({**OSLO, "labels": {"tier": "silver"}}, {"labels.tier": ["is 'gold' by the token"]}),
    ({**OSLO, "labels": {"a b": "c"}}, {"labels": None}),
    ({**OSLO, "node_count": "x"}, {"node_count": ["must be a whole number, not 'x'"]}),
    ({**OSLO, "platform_components": []}, {"platform_components": None}),
]


@pytest.mark.parametrize(("body", "details"), WRONG, ids=lambda it: str(it)[:60])
def test_bad_input(joining: Any, body: Any, details: dict[str, Any]) -> None:
    api = joining(labels={"tier": "gold"})
    with nothing_changes():
        response = api.post("/enroll", body)
    assert (response.status_code, response.json()["error"]) == (400, "validation_error")
    told = response.json()["details"]
    assert told.keys() == details.keys()
    assert {name: told[name] for name in told if details[name]} == {
        name: text for name, text in details.items() if text
    }


@pytest.mark.parametrize("query", ["dry_run=true", "confirm=x"])
def test_it_takes_no_parameters(joining: Any, query: str) -> None:
    api = joining()
    with nothing_changes():
        assert api.post(f"/enroll?{query}", OSLO).status_code == 400


ISSUED: list[tuple[dict[str, Any], str, str]] = [
    ({"environments": None}, "environments", "must be the one that new clusters are in"),
    ({"environments": []}, "environments", "must be the one that new clusters are in"),
    ({"environments": ["dev", "qa"]}, "environments", "must be the one that new clusters are in"),
    (
        {"environments": ["dve"]},
        "environments[0]",
        "there is no environment 'dve' (did you mean dev?)",
    ),
    ({"labels": []}, "labels", "must be an object, not a list"),
    ({"labels": {"a": 1}}, "labels", ""),
    ({"profiles": "x"}, "profiles", "must be a list, not 'x'"),
    ({"profiles": [1]}, "profiles[0]", "must be text"),
    (
        {"profiles": ["pickd"]},
        "profiles[0]",
        "there is no profile 'pickd' (did you mean picked?)",
    ),
    ({"profiles": ["picked", "picked"]}, "profiles[1]", "'picked' is in the list twice"),
    (
        {"profiles": ["gold"]},
        "profiles[0]",
        "'gold' has no list of clusters: it selects by environments and labels, so give the labels "
        "that it selects",
    ),
    ({"needs_approval": "yes"}, "needs_approval", "must be true or false, not 'yes'"),
    ({"max_uses": 0}, "max_uses", "0 must be at least 1"),
    ({"max_uses": 1.5}, "max_uses", "must be a whole number, not 1.5"),
    (
        {"kind": "reader", "environments": None, "max_uses": 1},
        "max_uses",
        "can be given for an enrolment token only",
    ),
    (
        {"kind": "operator", "labels": {"a": "b"}},
        "labels",
        "can be given for an enrolment token only",
    ),
    (
        {"kind": "operator", "profiles": ["picked"]},
        "profiles",
        "can be given for an enrolment token only",
    ),
    (
        {"kind": "operator", "needs_approval": True},
        "needs_approval",
        "can be given for an enrolment token only",
    ),
]


@pytest.mark.parametrize(("given", "field", "message"), ISSUED, ids=lambda it: str(it)[:50])
def test_tokens_that_are_not_issued(
    api: Api, given: dict[str, Any], field: str, message: str
) -> None:
    body = {"id": "new", "kind": "enrolment", "environments": ["dev"], **given}
    with nothing_changes():
        response = api.post("/tokens", body)
    assert response.status_code == 400
    [problem] = response.json()["details"][field]
    assert message in problem
    assert not TokenKey.objects.exists()


def test_a_token_tells_what_it_gives(api: Api) -> None:
    body = {
        "id": "join",
        "kind": "enrolment",
        "environments": ["dev"],
        "labels": {"tier": "gold"},
        "profiles": ["picked"],
        "needs_approval": True,
        "max_uses": 5,
    }
    issued = api.post("/tokens", body).json()
    assert body.items() <= issued.items()
    assert api.get("/tokens/join").json()["uses"] == 0


# How often


def test_who_asks_too_often_is_told_when_to_ask_again(joining: Any, settings: Any) -> None:
    settings.ENROLMENTS_PER_MINUTE = 3
    api = joining()
    assert [api.post("/enroll", {}).status_code for _ in range(4)] == [400, 400, 400, 429]
    response = api.post("/enroll", OSLO)
    assert response.json()["error"] == "too_many_requests"
    assert 0 < int(response.headers["Retry-After"]) <= 60
    assert not Cluster.objects.filter(pk="oslo").exists()


def test_a_token_is_counted_wherever_it_asks_from(joining: Any, settings: Any) -> None:
    settings.ENROLMENTS_PER_MINUTE = 2
    settings.FORWARDED_ALLOW_IPS = ["127.0.0.1"]
    api = joining()
    asked = [
        api.post("/enroll", {}, X_Forwarded_For=f"10.0.0.{number}").status_code
        for number in range(3)
    ]
    assert asked == [400, 400, 429]


def test_an_address_is_counted_whatever_it_asks_with(joining: Any, settings: Any) -> None:
    settings.ENROLMENTS_PER_MINUTE = 2
    asked = [joining(f"join-{number}").post("/enroll", {}).status_code for number in range(3)]
    assert asked == [400, 400, 429]


def test_what_a_stranger_sends_along_is_no_other_address(joining: Any, settings: Any) -> None:
    settings.ENROLMENTS_PER_MINUTE = 2
    settings.FORWARDED_ALLOW_IPS = ["192.0.2.1"]
    asked = [
        joining(f"join-{number}")
        .post("/enroll", {}, X_Forwarded_For=f"10.0.0.{number}")
        .status_code
        for number in range(3)
    ]
    assert asked == [400, 400, 429]


@pytest.mark.parametrize("clusters", [0, 30])
def test_the_number_of_queries_does_not_grow_with_the_fleet(
    joining: Any, clusters: int, django_assert_max_num_queries: Any
) -> None:
    with change():
        for number in range(clusters):
            Cluster.objects.create(
                id=f"m-{number}", name="m", dns=f"m-{number}.example.com", environment_id="dev"
            )
    api = joining(profiles=["picked"], needs_approval=True)
    with django_assert_max_num_queries(110):
        enrol(api)
