import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fleet import models
from fleet.desired_state.inputs import RESOURCES
from fleet.history.change import change, head_number
from fleet.services.clusters import cluster_decommission, cluster_freeze
from fleet.services.seeds import seed_import
from tests.answers import answers_for_dns
from tests.factories import (
    assign,
    make_cluster,
    make_component,
    make_fleet,
    make_namespace,
    make_profile,
    make_rolebinding,
    patch,
    unset,
)

pytestmark = pytest.mark.django_db

DEMO = Path(__file__).parents[2] / "fleet" / "demo" / "fleet.json"
EXACT = {
    "whole": 3,
    "text_of_whole": "3",
    "float": 1.0,
    "large": 1e22,
    "true": True,
    "text_of_true": "true",
    "null": None,
    "text_of_null": "null",
    "empty_text": "",
    "empty_list": [],
    "empty_object": {},
    "list": [1, "1", None, {"b": 1, "a": 2}],
    "nasty": 'say "hi"\n\t\\ 😀 #{{ x }} \u2028',
    r"a\.b/c.d\[0]": "dotted",
}


def export() -> str:
    output = StringIO()
    call_command("export_seed", stdout=output)
    return output.getvalue()


def exported(section: str) -> list[dict[str, Any]]:
    return json.loads(export())[section]


def empty_the_fleet() -> None:
    with change():
        for model in reversed(models.TRACKED_MODELS):
            model.objects.all().delete()


def make_everything() -> None:
    """A fleet in which each feature is used, and each state of a cluster."""
    with change():
        models.Environment.objects.create(id="stage", rank=25)
        traefik = make_component(id="traefik", kind="kustomize")
        podinfo = make_component(
            id="podinfo",
            depends_on=["traefik"],
            cluster_env_enabled=True,
            values_schema={"type": "object", "properties": {"b": {}, "a": {}}},
        )
        for key, value in EXACT.items():
            patch(podinfo, podinfo, key, value)
        apps = make_namespace(id="apps", labels={"b": "1", "a": "2"}, annotations={"x": "é\n"})
        readers = make_rolebinding(
            id="readers",
            subjects=[
                {"kind": "ServiceAccount", "name": "bot", "namespace": "apps"},
                {"kind": "User", "name": "jo@example.com"},
            ],
        )
        active = make_cluster(
            id="active", environment="stage", labels={"tier": "gold", "a": "b"}, node_count=3
        )
        frozen = make_cluster(id="frozen", vm_image="ubuntu", k0s_version="v1.33.1")
        gone = make_cluster(id="gone", environment="prod")
        for owner in (
            active,
            frozen,
            gone,
            make_profile(id="all", weight=-5),
            make_profile(id="some", environments=["prod", "dev"], labels={"tier": "gold"}),
            make_profile(id="listing", clusters=[gone, active]),
            make_profile(id="listing-none", clusters=[]),
        ):
            assign(owner, podinfo, enabled=False, oci_tag="v2", component_path="p")
            assign(owner, traefik)
            assign(owner, apps)
            assign(owner, readers)
            unset(owner, podinfo, "whole")
            unset(owner, podinfo, r"a\.b/c")
            for key, value in EXACT.items():
                patch(owner, traefik, key, value)
    cluster_freeze(cluster="frozen")
    cluster_decommission(cluster="gone")
    # From here on the frozen cluster differs from what it would get.
    patch(podinfo, podinfo, "later", 1)


def test_export_import_export_is_byte_identical():
    make_everything()
    first = export()
    empty_the_fleet()
    seed_import(documents=json.loads(first))
    assert export() == first


def test_what_clusters_get_survives_export_and_import():
    make_everything()
    names = [f"{item}.k8s.example.com" for item in ("active", "frozen", "gone")]
    before = [answers_for_dns(dns).body(name) for dns in names for name in RESOURCES]
    documents = json.loads(export())
    empty_the_fleet()
    seed_import(documents=documents)
    assert [answers_for_dns(dns).body(name) for dns in names for name in RESOURCES] == before


def test_importing_an_export_over_itself_changes_nothing():
    make_everything()
    before = head_number()
    seed_import(documents=json.loads(export()))
    assert head_number() == before


def test_the_demo_fleet_comes_back_as_it_was():
    seed_import(documents=json.loads(DEMO.read_text(encoding="utf-8")))
    first = export()
    empty_the_fleet()
    seed_import(documents=json.loads(first))
    assert export() == first


def test_a_mixed_fleet_comes_back_as_it_was():
    make_fleet(12)
    first = export()
    empty_the_fleet()
    seed_import(documents=json.loads(first))
    assert export() == first


# Databases take no NUL, and YAML none of the others.
plain_characters = st.characters(
    exclude_categories=["Cs"],
    exclude_characters=["\x00", "\ufffe", "\uffff", *map(chr, range(0x7F, 0xA0))],
)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(plain_characters, max_size=8),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["a", "b.c", "[0]", "é"]), inner, max_size=2)
    ),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from(["a", "b.c", "\\", '"', "😀"]), json_values, max_size=3))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_values_come_back_exactly(values):
    component = {"id": "any", "component_path": "x", "oci_url": "oci://x"}
    seed_import(documents={"platform_components": [component | {"values": values, "patches": {}}]})
    first = export()
    seed_import(documents={"platform_components": [component | {"values": {}, "patches": {}}]})
    seed_import(documents=json.loads(first))
    assert export() == first


# What a seed looks like


def test_an_empty_fleet_is_its_environments():
    assert json.loads(export()) == {
        "environments": [
            {"id": "dev", "rank": 10},
            {"id": "prod", "rank": 40},
            {"id": "qa", "rank": 20},
            {"id": "uat", "rank": 30},
        ],
        "namespaces": [],
        "rolebindings": [],
        "platform_components": [],
        "profiles": [],
        "clusters": [],
    }


def test_a_component():
    make_component(id="traefik")
    podinfo = make_component(id="podinfo", depends_on=["traefik"])
    patch(podinfo, podinfo, "replicaCount", 3)
    patch(podinfo, podinfo, "tag", "3")
    assert exported("platform_components")[0] == {
        "id": "podinfo",
        "kind": "helm",
        "component_path": "charts/podinfo",
        "component_version": "1.0.0",
        "cluster_env_enabled": False,
        "oci_url": "oci://registry.example.com/charts",
        "oci_tag": "v1.0.0",
        "depends_on": ["traefik"],
        "values_schema": None,
        "patches": {"replicaCount": "3"},
        "values": {"tag": "3"},
    }


def test_a_cluster():
    cluster, podinfo = (
        make_cluster(id="demo", labels={"tier": "gold"}),
        make_component(id="podinfo"),
    )
    assign(cluster, podinfo, enabled=True, oci_tag="v2")
    assign(cluster, make_namespace(id="apps"))
    assign(cluster, make_rolebinding(id="readers"))
    patch(cluster, podinfo, "ui.color", "#2f855a")
    patch(cluster, podinfo, "weights", [1, 2])
    unset(cluster, podinfo, "replicaCount")
    assert exported("clusters") == [
        {
            "id": "demo",
            "cluster_name": "demo",
            "cluster_dns": "demo.k8s.example.com",
            "environment": "dev",
            "state": "active",
            "labels": {"tier": "gold"},
            "node_count": None,
            "vm_image": "",
            "k0s_version": "",
            "platform_components": [
                {
                    "id": "podinfo",
                    "enabled": True,
                    "oci_tag": "v2",
                    "component_path": None,
                    "component_version": None,
                }
            ],
            "namespaces": [{"id": "apps"}],
            "rolebindings": [{"id": "readers"}],
            "patches": {"podinfo": {"ui.color": "#2f855a"}},
            "values": {"podinfo": {"weights": [1, 2]}},
            "unset": {"podinfo": ["replicaCount"]},
        }
    ]


@pytest.mark.parametrize(("listed", "clusters"), [(None, None), ([], []), (["b", "a"], ["a", "b"])])
def test_the_list_of_a_profile(listed, clusters):
    made = {item: make_cluster(id=item) for item in ("a", "b")}
    make_profile(id="wave", clusters=None if listed is None else [made[item] for item in listed])
    [profile] = exported("profiles")
    assert profile["clusters"] == clusters


def test_objects_come_in_the_order_of_their_ids_whatever_the_collation():
    for item in ("ab", "a-b", "a1", "a-1"):
        make_namespace(id=item)
    assert [item["id"] for item in exported("namespaces")] == ["a-1", "a-b", "a1", "ab"]


def test_an_export_to_a_file_is_the_same(tmp_path, capsys):
    make_fleet(2)
    call_command("export_seed", str(tmp_path / "seed.json"))
    assert (tmp_path / "seed.json").read_text(encoding="utf-8") == export()
    assert capsys.readouterr().err == f"Wrote {tmp_path / 'seed.json'}.\n"


def test_a_seed_is_text_that_people_can_read():
    make_namespace(id="apps", annotations={"owner": "Zoë"})
    assert '"owner": "Zoë"' in export()
    assert export().endswith("}\n")


def test_the_same_fleet_gives_the_same_bytes():
    make_everything()
    assert export() == export()


@pytest.mark.parametrize("clusters", [1, 30])
def test_an_export_takes_a_fixed_number_of_queries(clusters, django_assert_num_queries):
    """For each section its ids, and its tables, which PostgreSQL is asked for at once."""
    make_fleet(clusters)
    with django_assert_num_queries(12 if connection.vendor == "postgresql" else 25):
        export()
