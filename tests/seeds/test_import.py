import copy
import json
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from config.environment import BASE_DIR
from fleet import models
from fleet.desired_state.inputs import COMPONENTS, NAMESPACES, ROLEBINDINGS
from fleet.errors import ConfirmationRequired, Conflict, Invalid
from fleet.history.change import head_number
from fleet.resources.showing import seed_documents
from fleet.services.seeds import seed_import
from tests.answers import answers_for_dns

pytestmark = pytest.mark.django_db

# As the reference service has it: `_id`, and clusters that carry what they are assigned whole.
REFERENCE: dict[str, Any] = {
    "platform_components": [
        {
            "_id": "traefik",
            "component_path": "traefik",
            "component_version": "26.0.0",
            "cluster_env_enabled": False,
            "oci_url": "https://traefik.github.io/charts",
            "oci_tag": "latest",
            "depends_on": [],
        },
        {
            "_id": "podinfo",
            "component_path": "podinfo",
            "component_version": "6.5.0",
            "cluster_env_enabled": False,
            "oci_url": "https://stefanprodan.github.io/podinfo",
            "oci_tag": "latest",
            "depends_on": ["traefik"],
        },
    ],
    "clusters": [
        {
            "_id": "demo-01",
            "cluster_name": "demo-01",
            "cluster_dns": "demo-01.k8s.example.com",
            "environment": "dev",
            "platform_components": [
                {"id": "traefik", "enabled": True, "oci_tag": None, "component_path": None},
                {"id": "podinfo", "enabled": True, "oci_tag": "v2", "component_path": None},
            ],
            "namespaces": [
                {"id": "apps", "labels": {"team": "shop"}, "annotations": {"owner": "shop"}}
            ],
            "rolebindings": [
                {"id": "readers", "role": "view", "subjects": [{"kind": "Group", "name": "team"}]}
            ],
            "patches": {"podinfo": {"replicaCount": "3", "ui.color": "#2f855a"}},
        }
    ],
}


def seed(**sections: Any) -> dict[str, Any]:
    return copy.deepcopy(REFERENCE) | sections


def cluster(cluster_id: str = "demo-01", **fields: Any) -> dict[str, Any]:
    """One more, as small as can be."""
    return {
        "id": cluster_id,
        "cluster_name": cluster_id,
        "cluster_dns": f"{cluster_id}.k8s.example.com",
        "environment": "dev",
    } | fields


def component(component_id: str = "podinfo", **fields: Any) -> dict[str, Any]:
    return {"id": component_id, "component_path": component_id, "oci_url": "oci://x"} | fields


def load(**documents: Any) -> None:
    seed_import(documents=documents)


def fleet() -> dict[str, Any]:
    return {section: list(items) for section, items in seed_documents()}


def inputs(cluster_id: str, resource: str) -> Any:
    return json.loads(answers_for_dns(f"{cluster_id}.k8s.example.com").body(resource))["inputs"]


def refused(documents: Any) -> dict[str, list[str]]:
    """What is wrong, by field; and nothing may have changed."""
    before, revision = fleet(), head_number()
    with pytest.raises(Invalid) as error:
        seed_import(documents=documents)
    assert (fleet(), head_number()) == (before, revision)
    return error.value.details


# The reference service's format


def test_components_of_the_reference_format():
    load(**seed())
    [podinfo, traefik] = inputs("demo-01", COMPONENTS)
    assert (podinfo["id"], podinfo["depends_on"], podinfo["source"]) == (
        "podinfo",
        ["traefik"],
        {"oci_url": "https://stefanprodan.github.io/podinfo", "oci_tag": "v2"},
    )
    assert (traefik["id"], traefik["component_version"]) == ("traefik", "26.0.0")


def test_patches_of_the_reference_format_are_typed():
    load(**seed())
    podinfo = inputs("demo-01", COMPONENTS)[0]
    assert podinfo["patches"] == {"replicaCount": "3", "ui.color": "#2f855a"}
    assert podinfo["values"] == {"replicaCount": 3, "ui": {"color": "#2f855a"}}


def test_embedded_namespaces_become_objects_of_their_own():
    load(**seed())
    [apps] = inputs("demo-01", NAMESPACES)
    assert (apps["id"], apps["labels"], apps["annotations"]) == (
        "apps",
        {"team": "shop"},
        {"owner": "shop"},
    )


def test_embedded_rolebindings_become_objects_of_their_own():
    load(**seed())
    [readers] = inputs("demo-01", ROLEBINDINGS)
    assert (readers["role"], readers["subjects"]) == (
        "view",
        [{"kind": "Group", "name": "team", "apiGroup": "rbac.authorization.k8s.io"}],
    )


def test_clusters_may_embed_the_same_namespace_alike():
    apps = {"id": "apps", "labels": {"team": "shop"}, "annotations": {}}
    load(clusters=[cluster("a", namespaces=[apps]), cluster("b", namespaces=[{"id": "apps"}])])
    assert [item["id"] for item in inputs("b", NAMESPACES)] == ["apps"]


def test_a_namespace_that_clusters_embed_differently_is_refused():
    clusters = [
        cluster("a", namespaces=[{"id": "apps", "labels": {"team": "shop"}}]),
        cluster("b", namespaces=[{"id": "apps", "labels": {"team": "other"}}]),
    ]
    assert refused({"clusters": clusters}) == {
        "clusters[b].namespaces[0]": ["differs from another entry of namespaces with the same id"]
    }


def test_an_embedded_rolebinding_that_differs_from_the_listed_one_is_refused():
    listed = [{"id": "readers", "role": "view", "subjects": []}]
    embedded = [{"id": "readers", "role": "admin"}]
    documents = {"rolebindings": listed, "clusters": [cluster("a", rolebindings=embedded)]}
    assert refused(documents) == {
        "clusters[a].rolebindings[0]": [
            "differs from another entry of rolebindings with the same id"
        ]
    }


@pytest.mark.parametrize("section", sorted(REFERENCE))
def test_a_section_may_be_missing_where_nothing_refers_to_it(section):
    documents = seed()
    del documents[section]
    if section == "platform_components":
        documents["clusters"] = [cluster()]
    load(**documents)
    assert section != "clusters" or not models.Cluster.objects.exists()


def test_an_empty_seed_changes_nothing():
    before = head_number()
    load()
    assert head_number() == before


# Our superset


def test_environments_profiles_labels_values_and_unset():
    load(
        environments=[{"id": "stage", "rank": 25}],
        namespaces=[{"id": "apps", "labels": {"team": "shop"}}],
        platform_components=[
            component(values={"a": {"b": 1.5}}, patches={"c": "true", "color": "red"})
        ],
        profiles=[
            {
                "id": "gold",
                "weight": 5,
                "environments": ["stage"],
                "labels": {"tier": "gold"},
                "platform_components": ["podinfo"],
                "namespaces": ["apps"],
                "patches": {"podinfo": {"replicas": "2"}},
                "unset": {"podinfo": ["color"]},
            }
        ],
        clusters=[
            cluster("a", environment="stage", labels={"tier": "gold"}),
            cluster("b", environment="stage", labels={"tier": "silver"}),
        ],
    )
    [podinfo] = inputs("a", COMPONENTS)
    assert podinfo["values"] == {"a": {"b": 1.5}, "c": True, "replicas": 2}
    assert [item["id"] for item in inputs("a", NAMESPACES)] == ["apps"]
    assert inputs("b", COMPONENTS) == []


def test_a_profile_with_a_list_of_clusters():
    load(
        platform_components=[component()],
        profiles=[{"id": "wave", "clusters": ["a"], "platform_components": ["podinfo"]}],
        clusters=[cluster("a"), cluster("b")],
    )
    assert [len(inputs(item, COMPONENTS)) for item in ("a", "b")] == [1, 0]


def test_a_profile_with_an_empty_list_of_clusters_selects_none():
    load(
        platform_components=[component()],
        profiles=[{"id": "wave", "clusters": [], "platform_components": ["podinfo"]}],
        clusters=[cluster("a")],
    )
    assert inputs("a", COMPONENTS) == []


@pytest.mark.parametrize("none", [{}, {"clusters": None}])
def test_a_profile_without_a_list_of_clusters_selects_all(none):
    load(
        platform_components=[component()],
        profiles=[{"id": "wave", "platform_components": ["podinfo"]} | none],
        clusters=[cluster("a")],
    )
    assert len(inputs("a", COMPONENTS)) == 1


def test_values_are_exact_and_patches_are_typed():
    load(
        platform_components=[component()],
        clusters=[
            cluster(
                platform_components=["podinfo"],
                values={"podinfo": {"text": "3", "float": 1.0, "nothing": None, "empty": {}}},
                patches={"podinfo": {"number": "3", "list": [1, "2"], r"dotted\.key": "x"}},
            )
        ],
    )
    [podinfo] = inputs("demo-01", COMPONENTS)
    assert json.dumps(podinfo["values"], sort_keys=True) == (
        '{"dotted.key": "x", "empty": {}, "float": 1.0, "list": [1, "2"], '
        '"nothing": null, "number": 3, "text": "3"}'
    )


def test_a_frozen_cluster_goes_on_getting_what_its_seed_gave_it():
    documents = {
        "platform_components": [component()],
        "clusters": [cluster(platform_components=["podinfo"], state="frozen")],
    }
    load(**documents)
    load(platform_components=[component(oci_tag="v9")])
    assert inputs("demo-01", COMPONENTS)[0]["source"]["oci_tag"] == "latest"


def test_a_decommissioned_cluster_gets_nothing():
    load(
        platform_components=[component()],
        clusters=[cluster(platform_components=["podinfo"], state="decommissioned")],
    )
    assert inputs("demo-01", COMPONENTS) == []


# What is there already


def test_importing_twice_takes_no_second_revision():
    load(**seed())
    first, documents = head_number(), fleet()
    load(**seed())
    assert (head_number(), fleet()) == (first, documents)


def test_importing_takes_one_revision_for_everything():
    before = head_number()
    load(**seed())
    assert head_number() == before + 1


def test_a_field_that_the_seed_does_not_name_stays():
    load(**seed())
    load(clusters=[{"id": "demo-01", "labels": {"tier": "gold"}}])
    [found] = fleet()["clusters"]
    assert (found["labels"], found["patches"], len(found["platform_components"])) == (
        {"tier": "gold"},
        {"podinfo": {"replicaCount": "3", "ui.color": "#2f855a"}},
        2,
    )


def test_a_list_that_the_seed_names_is_replaced():
    load(**seed())
    load(clusters=[{"id": "demo-01", "platform_components": ["traefik"], "patches": {}}])
    [found] = fleet()["clusters"]
    assert [item["id"] for item in found["platform_components"]] == ["traefik"]
    assert found["patches"] == {}


def test_an_override_that_the_entry_no_longer_names_is_taken_back():
    load(**seed())
    load(clusters=[{"id": "demo-01", "platform_components": [{"id": "podinfo"}]}])
    [podinfo] = inputs("demo-01", COMPONENTS)
    assert podinfo["source"]["oci_tag"] == "latest"


def test_objects_that_the_seed_does_not_name_stay():
    load(**seed())
    load(clusters=[cluster("other")])
    assert [item["id"] for item in fleet()["clusters"]] == ["demo-01", "other"]


def test_clusters_may_refer_to_what_is_there_already():
    load(**seed())
    load(clusters=[cluster("other", platform_components=["podinfo"])])
    assert len(inputs("other", COMPONENTS)) == 1


def test_text_that_was_exact_stays_exact_when_its_patch_comes_back():
    """`patches` cannot tell "3" from 3."""
    load(platform_components=[component(values={"tag": "3"})])
    load(platform_components=[component(patches={"tag": "3"})])
    assert fleet()["platform_components"][0]["values"] == {"tag": "3"}


# What is refused


def test_all_that_is_wrong_is_told_at_once_by_entry_and_field():
    documents = {
        "environments": [{"id": "Stage"}, {"id": "late", "rank": "last"}],
        "namespaces": [{"id": "apps", "labels": {"a b": "x"}, "annotation": {}}],
        "rolebindings": [{"id": "readers", "role": "a/b", "subjects": [{"kind": "Team"}]}],
        "platform_components": [
            component("one", kind="terraform", depends_on=["tow"]),
            component("two", patches={"a..b": "1"}, values={"c": {"": 1}}),
            {"id": "three"},
        ],
        "profiles": [{"id": "gold", "weight": 1.5, "environments": ["prd"]}],
        "clusters": [
            cluster("a", cluster_dns="-", environment="prd", state="asleep", node_count=True),
            cluster("b", patches={"one": {"x[0]": "1"}, "four": {}}, unset={"two": [1, ""]}),
            cluster("c", platform_components=[{"id": "one", "enable": True}, {"oci_tag": "x"}]),
            cluster("d", namespaces="apps", rolebindings=[1]),
        ],
    }
    name = (
        "must be a DNS-1123 label: 1 to 63 lower case letters, digits and hyphens, "
        "with a letter or digit at both ends"
    )
    environments = "(did you mean prod?)"
    assert refused(documents) == {
        "environments[Stage].id": [f"'Stage' {name}"],
        "environments[late].rank": ["must be a whole number, not 'last'"],
        "namespaces[apps].annotation": ["is not a field here (did you mean annotations?)"],
        "namespaces[apps].labels": [
            "'a b' is not a key that Kubernetes takes: an optional DNS prefix and '/', then up to "
            "63 letters, digits, '-', '_' and '.', with a letter or digit at both ends"
        ],
        "rolebindings[readers].role": [
            "must be the name of a ClusterRole: not '.' or '..', without '/', '%' or outer blanks"
        ],
        "rolebindings[readers].subjects": [
            "[0].kind: 'Team' must be one of: User, Group, ServiceAccount"
        ],
        "platform_components[one].depends_on[0].id": [
            "there is no component 'tow' (did you mean two?)"
        ],
        "platform_components[one].kind": ["'terraform' must be one of: helm, kustomize"],
        "platform_components[two].patches.a..b": ["has an empty part between its dots"],
        "platform_components[two].values.c.": ["has an empty part between its dots"],
        "platform_components[three].component_path": ["is required"],
        "platform_components[three].oci_url": ["is required"],
        "profiles[gold].weight": ["must be a whole number, not 1.5"],
        "profiles[gold].environments[0].id": [f"there is no environment 'prd' {environments}"],
        "clusters[a].environment": [f"there is no environment 'prd' {environments}"],
        "clusters[a].state": ["'asleep' must be one of: waiting, active, frozen, decommissioned"],
        "clusters[a].node_count": ["must be a whole number, not true"],
        "clusters[a].cluster_dns": [
            "'-' must be a DNS name: lower case labels of letters, digits and hyphens, "
            "separated by dots"
        ],
        "clusters[b].patches.one.x[0]": [
            r"sets one item of a list; lists are replaced whole (write \[ for a real bracket)"
        ],
        "clusters[b].patches.four": ["there is no component 'four' (allowed: one, three, two)"],
        "clusters[b].unset.two[0]": ["must be a key, not 1"],
        "clusters[b].unset.two[1]": ["must not be empty"],
        "clusters[c].platform_components[0].enable": [
            "is not a field here (did you mean enabled?)"
        ],
        "clusters[c].platform_components[1].id": ["is required, and must be text"],
        "clusters[d].namespaces": ["must be a list, not 'apps'"],
        "clusters[d].rolebindings[0]": ["must be an id, or an object with an id"],
    }


@pytest.mark.parametrize(
    ("documents", "details"),
    [
        (
            [],
            {
                "seed": [
                    "must be an object with environments, namespaces, rolebindings, "
                    "platform_components, profiles, clusters"
                ]
            },
        ),
        ({"cluster": []}, {"cluster": ["is not a section (did you mean clusters?)"]}),
        ({"clusters": {}}, {"clusters": ["must be a list, not an object"]}),
        ({"clusters": ["a"]}, {"clusters[0].id": ["is required, and must be text"]}),
        ({"clusters": [{}]}, {"clusters[0].id": ["is required, and must be text"]}),
        ({"clusters": [{"id": 7}]}, {"clusters[0].id": ["is required, and must be text"]}),
        ({"namespaces": [{"id": ["a"]}]}, {"namespaces[0].id": ["is required, and must be text"]}),
        (
            {"clusters": [cluster("a", namespaces=[{"id": ["x"], "labels": {}}])]},
            {"clusters[a].namespaces[0].id": ["is required, and must be text"]},
        ),
        (
            {"namespaces": [{"id": "apps"}, {"_id": "apps"}]},
            {"namespaces[1].id": ["'apps' is in the list twice"]},
        ),
        (
            {"namespaces": [{"id": "apps", "_id": "other"}]},
            {"namespaces[apps]._id": ["is 'other', but id is 'apps'"]},
        ),
        (
            {"environments": [{"id": "late", "rank": 2**31}]},
            {"environments[late].rank": ["2147483648 is beyond 32 bits"]},
        ),
        (
            {
                "namespaces": [{"id": "apps"}],
                "profiles": [{"id": "all", "namespaces": [{"id": "apps", "lables": {}}]}],
            },
            {"profiles[all].namespaces[0].lables": ["is not a field here (did you mean labels?)"]},
        ),
        (
            {"clusters": [cluster("a", namespaces=["x", "x"])], "namespaces": [{"id": "x"}]},
            {"clusters[a].namespaces[1].id": ["'x' is in the list twice"]},
        ),
        (
            {"clusters": [cluster("a", cluster_dns=5)]},
            {"clusters[a].cluster_dns": ["must be text, not 5"]},
        ),
        (
            {"clusters": [{"id": "a"}]},
            {
                "clusters[a].cluster_name": ["is required"],
                "clusters[a].cluster_dns": ["is required"],
                "clusters[a].environment": ["is required"],
            },
        ),
        (
            {"clusters": [cluster("a", environment=None)]},
            {"clusters[a].environment": ["is required"]},
        ),
        (
            {"clusters": [cluster("a", environment=["dev"])]},
            {"clusters[a].environment": ["must be the id of an environment, not a list"]},
        ),
        (
            {"clusters": [cluster("a"), cluster("b", cluster_dns="A.K8S.example.com")]},
            {
                "clusters[b].cluster_dns": [
                    "'A.K8S.example.com' is the DNS name of cluster a already"
                ]
            },
        ),
        (
            {"clusters": [cluster("a", labels={"tier": 1})]},
            {"clusters[a].labels": ["tier: must be text, in quotes"]},
        ),
        (
            {"clusters": [cluster("a", colour="red")]},
            {
                "clusters[a].colour": [
                    "is not a field here (allowed: _id, cluster_dns, cluster_name, description, "
                    "environment, frozen_answers, id, k0s_version, labels, namespaces, "
                    "node_count, patches, platform_components, rolebindings, state, unset, "
                    "values, vm_image)"
                ]
            },
        ),
        (
            {"clusters": [cluster("a\ud800")]},
            {
                "clusters[a\ud800].id": [
                    r"'a\ud800' must be a DNS-1123 label: 1 to 63 lower case letters, digits and "
                    "hyphens, with a letter or digit at both ends"
                ],
                "clusters[a\ud800].cluster_name": [
                    r"'a\ud800' must be a DNS-1123 label: 1 to 63 lower case letters, digits and "
                    "hyphens, with a letter or digit at both ends"
                ],
                "clusters[a\ud800].cluster_dns": [
                    r"'a\ud800.k8s.example.com' must be a DNS name: lower case labels of letters, "
                    "digits and hyphens, separated by dots"
                ],
            },
        ),
        (
            {"platform_components": [component("a", depends_on=["a"])]},
            {"platform_components[a].depends_on": ["forms a cycle: a → a"]},
        ),
        (
            {
                "platform_components": [
                    component("a", depends_on=["b"]),
                    component("b", depends_on=["a"]),
                ]
            },
            {"platform_components[a].depends_on": ["forms a cycle: a → b → a"]},
        ),
        (
            {"platform_components": [component("a", values_schema={"type": "nothing"})]},
            {
                "platform_components[a].values_schema": [
                    "is not a JSON Schema: 'nothing' is not valid under any of the given schemas"
                ]
            },
        ),
        (
            {"platform_components": [component("a", patches={"x": "1", "x.y": "2"})]},
            {
                "platform_components[a].patches.x.y": [
                    "leads through x, which has a value of its own; keep one of the two"
                ]
            },
        ),
        (
            {"platform_components": [component("a", patches={"x": "1"}, values={"x": 2})]},
            {
                "platform_components[a].patches.x": [
                    "says another thing than values does of this key"
                ]
            },
        ),
        (
            {"platform_components": [component("a", patches={"x.y": "1", "x": {"y": 2}})]},
            {"platform_components[a].patches.x": ["is given twice"]},
        ),
        (
            {"platform_components": [component("a", values={"x": 2**53})]},
            {
                "platform_components[a].values.x": [
                    "is a whole number that Flux would round; write it as text in quotes"
                ]
            },
        ),
        (
            {
                "platform_components": [component("a")],
                "clusters": [
                    cluster("c", patches={"a": {"x": "1"}}, unset={"a": ["x"]}),
                ],
            },
            {"clusters[c].unset.a": ["x has a value too; keep one of the two"]},
        ),
        (
            {
                "platform_components": [component("a")],
                "clusters": [
                    cluster("b", patches={"a": {"x": "1"}}, values={"a": {"x": {"y": 1}}}),
                    cluster("c", patches={"a": {"x": "1", "x.y": "2"}}),
                ],
            },
            {
                f"clusters[{item}].patches.a.x.y": [
                    "leads through x, which has a value of its own; keep one of the two"
                ]
                for item in ("b", "c")
            },
        ),
        (
            {"clusters": [cluster("a", frozen_answers={})]},
            {
                "clusters[a].frozen_answers": [
                    "belong to a cluster whose state is frozen",
                    "must be an object with cluster, platform-components, namespaces, rolebindings",
                ]
            },
        ),
        (
            {"clusters": [{"id": "a", "platform_components": None, "state": 5}]},
            {
                "clusters[a].state": ["5 must be one of: waiting, active, frozen, decommissioned"],
                "clusters[a].cluster_name": ["is required"],
                "clusters[a].cluster_dns": ["is required"],
                "clusters[a].environment": ["is required"],
            },
        ),
    ],
)
def test_what_is_refused_and_how_it_is_told(documents, details):
    assert refused(documents) == details


def test_a_dns_name_of_another_cluster_is_refused():
    load(clusters=[cluster("a")])
    with pytest.raises(Conflict) as refusal:
        load(clusters=[cluster("b", cluster_dns="a.k8s.example.com")])
    assert refusal.value.details == {
        "clusters[b].cluster_dns": ["'a.k8s.example.com' is the DNS name of cluster a already"]
    }


def test_a_refused_seed_changes_nothing_of_what_is_there():
    load(**seed())
    wrong = seed()
    wrong["platform_components"][0]["oci_tag"] = "v9"
    wrong["clusters"].append(cluster("late", environment="moon"))
    assert set(refused(wrong)) == {"clusters[late].environment"}


def frozen_answers(**parts: Any) -> dict[str, Any]:
    block = {"name": "a", "dns": "a.example.com", "environment": "dev"}
    empty: dict[str, Any] = {"platform-components": [], "namespaces": [], "rolebindings": []}
    return {"cluster": block} | empty | parts


FROZEN_COMPONENT = {
    "id": "podinfo",
    "kind": "kustomize",
    "component_path": "x",
    "component_version": "1",
    "cluster_env_enabled": False,
    "resolved_path": "x",
    "depends_on": [],
    "enabled": True,
    "patches": {},
    "values": {},
    "source": {"oci_url": "oci://x", "oci_tag": "v1"},
}


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (
            [],
            "must be an object with cluster, platform-components, namespaces, rolebindings",
        ),
        (frozen_answers(cluster={}), "must have a cluster with name, dns and environment"),
        (
            frozen_answers(cluster={"name": "a", "dns": 1, "environment": "dev"}),
            "must have text for name, dns and environment of its cluster",
        ),
        (frozen_answers(namespaces={}), "must have a list of objects in namespaces"),
        (frozen_answers(namespaces=["a"]), "must have a list of objects in namespaces"),
        (frozen_answers(namespaces=[{"id": 1}]), "must have id in every item of namespaces"),
        (
            frozen_answers(namespaces=[{"id": "a", "labels": {}, "annotations": {}, "b": None}]),
            "must not have null as b in an item of namespaces",
        ),
        (
            frozen_answers(namespaces=[{"id": "a", "labels": {}, "annotations": {}}] * 2),
            "has an id twice in namespaces",
        ),
        (
            frozen_answers(namespaces=[{"id": "a", "labels": {"b": "\ud800"}, "annotations": {}}]),
            "contains half of a Unicode surrogate pair",
        ),
        (
            frozen_answers(**{"platform-components": [FROZEN_COMPONENT | {"source": {}}]}),
            "must have source.oci_tag in every item of platform-components",
        ),
        (
            frozen_answers(**{"platform-components": [FROZEN_COMPONENT | {"waits_for": []}]}),
            "must not have waits_for, which answers get, in an item of platform-components",
        ),
        (
            frozen_answers(**{"platform-components": [FROZEN_COMPONENT | {"depends_on": [[]]}]}),
            "must have ids in depends_on of every item of platform-components",
        ),
    ],
)
def test_frozen_answers_that_flux_could_not_take_are_refused(answers, message):
    documents = {"clusters": [cluster("a", state="frozen", frozen_answers=answers)]}
    assert refused(documents) == {"clusters[a].frozen_answers": [message]}


def test_frozen_answers_are_served_as_they_were_given():
    answers = frozen_answers(**{"platform-components": [FROZEN_COMPONENT]})
    load(clusters=[cluster("a", state="frozen", frozen_answers=answers)])
    assert inputs("a", COMPONENTS) == [
        FROZEN_COMPONENT | {"values_json": "", "waits_for": [], "cluster": answers["cluster"]}
    ]


# The removal guard


def crowd(size: int, **fields: Any) -> list[dict[str, Any]]:
    return [cluster(f"c-{number}", **fields) for number in range(size)]


def test_a_seed_that_takes_away_from_five_clusters_goes_through():
    load(namespaces=[{"id": "apps"}], clusters=crowd(5, namespaces=["apps"]))
    load(clusters=crowd(5, namespaces=[]))
    assert not models.ClusterNamespace.objects.exists()


def test_a_seed_that_takes_away_from_six_clusters_asks_first():
    load(namespaces=[{"id": "apps"}], clusters=crowd(6, namespaces=["apps"]))
    before, revision = fleet(), head_number()
    with pytest.raises(ConfirmationRequired) as refusal:
        load(clusters=crowd(6, namespaces=[]))
    assert len(refusal.value.plan.removing_clusters) == settings.GUARD_CLUSTERS + 1
    assert (fleet(), head_number()) == (before, revision)


# The command


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "seed.json"


def write(file: Path, documents: Any) -> Path:
    file.write_text(json.dumps(documents), encoding="utf-8")
    return file


def run(file: Path, *options: str) -> str:
    output = StringIO()
    call_command("import_seed", str(file), *options, stdout=output)
    return output.getvalue()


def fails(file: Path, *options: str) -> str:
    with pytest.raises(CommandError) as error:
        run(file, *options)
    return str(error.value)


def test_the_command_tells_what_it_read_and_the_revision(file):
    before = head_number()
    assert run(write(file, REFERENCE)) == (
        f"Read 5 objects from seed.json.\nDone, as revision {before + 1}.\n"
    )


def test_the_command_tells_when_there_is_nothing_to_change(file):
    run(write(file, REFERENCE))
    assert run(file) == "Read 5 objects from seed.json.\nNothing to change.\n"


def test_the_revision_says_where_it_came_from(file):
    run(write(file, REFERENCE), "--reason", "First fleet")
    newest = models.Revision.objects.first()
    assert newest
    assert (newest.source, newest.reason) == ("import", "First fleet")


def test_the_revision_names_the_file_where_no_reason_is_given(file):
    run(write(file, REFERENCE))
    newest = models.Revision.objects.first()
    assert newest
    assert newest.reason == "Import of seed.json"


def test_a_dry_run_changes_nothing(file):
    before = fleet()
    assert run(write(file, REFERENCE), "--dry-run").endswith(
        "This was a dry run: nothing was changed.\n"
    )
    assert fleet() == before


def test_a_missing_file(file):
    assert fails(file) == f"{file} cannot be read: No such file or directory."


def test_a_folder(tmp_path):
    assert fails(tmp_path) == f"{tmp_path} cannot be read: Is a directory."


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"clusters": [}', "Expecting value in line 1, column 15"),
        (b"", "Expecting value in line 1, column 1"),
        (b"\xff\xfe\xfa", "it is not UTF-8 text"),
        (b'{"clusters": [], "clusters": []}', "the key 'clusters' is there twice in one object"),
        (b'{"clusters": NaN}', "NaN is not a JSON number"),
        (b"9" * 5_000, "it has a number of too many digits"),
        (b"[" * 100_000, "it is nested deeper than 64 levels"),
        (b"[" * 100 + b"]" * 100, "it is nested deeper than 64 levels"),
    ],
)
def test_a_file_that_is_not_json(file, content, message):
    file.write_bytes(content)
    assert fails(file) == f"{file} is not JSON that we can read: {message}."


def test_a_refusal_lists_every_problem(file):
    documents = {"clusters": [cluster("a", environment="prd", state="asleep")]}
    assert fails(write(file, documents)) == (
        "Nothing was changed.\n"
        "  clusters[a].environment: there is no environment 'prd' (did you mean prod?)\n"
        "  clusters[a].state: 'asleep' must be one of: waiting, active, frozen, decommissioned"
    )


def test_a_removal_is_confirmed_by_its_digest(file):
    load(namespaces=[{"id": "apps"}], clusters=crowd(6, namespaces=["apps"]))
    message = fails(write(file, {"clusters": crowd(6, namespaces=[])}))
    told, _, digest = message.partition(" Add --confirm ")
    assert told == (
        "This takes things away from 6 clusters, more than 5. "
        "Look at the plan, then confirm it with its digest."
    )
    run(file, "--confirm", digest)
    assert not models.ClusterNamespace.objects.exists()


def test_a_wrong_digest_confirms_nothing(file):
    load(namespaces=[{"id": "apps"}], clusters=crowd(6, namespaces=["apps"]))
    message = fails(write(file, {"clusters": crowd(6, namespaces=[])}), "--confirm", "f" * 32)
    assert message.startswith("The fleet has changed since that plan was made")
    assert models.ClusterNamespace.objects.count() == 6


def test_on_the_command_line_a_mistake_is_one_line_and_no_traceback(file):
    done = subprocess.run(
        [sys.executable, "manage.py", "import_seed", str(file)],
        cwd=BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (
        1,
        "",
        f"CommandError: {file} cannot be read: No such file or directory.\n",
    )
