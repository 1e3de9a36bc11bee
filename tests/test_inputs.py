import json
from collections import namedtuple
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleet.desired_state.inputs import (
    COMPONENTS,
    MAX_BYTES,
    NAMESPACES,
    RESOURCES,
    ROLEBINDINGS,
    Answers,
    answers_from_document,
    cluster_entry,
    clusters_body,
    encode,
    input_shape,
    item_of,
    nothing,
)
from fleet.desired_state.merge import (
    CatalogComponent,
    Cluster,
    Layer,
    Namespace,
    Origin,
    Profile,
    RoleBinding,
    Shared,
    Subject,
    component_settings,
)
from fleet.desired_state.render import Renderer

ORIGIN = Origin("cluster", "demo-cluster-01")
MORE = ("values_json", "waits_for")
PODINFO = CatalogComponent(
    id="podinfo",
    kind="helm",
    component_path="podinfo",
    component_version="6.5.0",
    oci_url="oci://registry.example.com/charts",
    oci_tag="v1.0.0",
    depends_on=("traefik",),
    patches=((("replicaCount",), "3"), (("ui", "color"), '"#2f855a"')),
)
BLOCK = {
    "name": "demo-cluster-01",
    "dns": "demo-cluster-01.k8s.example.com",
    "environment": "dev",
}
CLUSTER = Cluster(
    id="demo-cluster-01",
    labels={},
    state="active",
    listed_in=frozenset(),
    layer=Layer(
        ORIGIN,
        {"podinfo": component_settings(ORIGIN, assigned=True)},
        namespaces=frozenset({"apps"}),
        rolebindings=frozenset({"readers"}),
    ),
    **BLOCK,
)
APPS = Namespace("apps", (("team", "shop"),), (("owner", "shop@example.com"),))
READERS = RoleBinding(
    "readers",
    "view",
    (
        Subject("Group", "team", "rbac.authorization.k8s.io"),
        Subject("ServiceAccount", "bot", "", "tools"),
    ),
)
SHARED = Shared({"podinfo": PODINFO}, {"apps": APPS}, {"readers": READERS}, ())


def inputs(resource: str, shared: Shared = SHARED, cluster: Cluster = CLUSTER) -> Any:
    return json.loads(Renderer(shared).render(cluster).body(resource))["inputs"]


def component(catalog: CatalogComponent = PODINFO, **said: Any) -> dict[str, Any]:
    layer = Layer(ORIGIN, {"podinfo": component_settings(ORIGIN, assigned=True, **said)})
    shared = replace(SHARED, components={"podinfo": catalog})
    [found] = inputs(COMPONENTS, shared, replace(CLUSTER, layer=layer))
    return found


# Shapes


def test_the_shape_of_a_component():
    assert inputs(COMPONENTS) == [
        {
            "id": "podinfo",
            "component_path": "podinfo",
            "component_version": "6.5.0",
            "cluster_env_enabled": False,
            "depends_on": ["traefik"],
            "enabled": True,
            "patches": {"replicaCount": "3", "ui.color": "#2f855a"},
            "values": {"replicaCount": 3, "ui": {"color": "#2f855a"}},
            "kind": "helm",
            "resolved_path": "podinfo",
            "cluster": BLOCK,
            "source": {"oci_url": "oci://registry.example.com/charts", "oci_tag": "v1.0.0"},
            "values_json": "",
            "waits_for": [],
        }
    ]


def test_the_shape_of_a_component_of_which_nothing_is_said():
    bare = CatalogComponent("podinfo", "kustomize", "apps/podinfo", "latest", "oci://x", "")
    assert component(bare) == {
        "id": "podinfo",
        "component_path": "apps/podinfo",
        "component_version": "latest",
        "cluster_env_enabled": False,
        "depends_on": [],
        "enabled": True,
        "patches": {},
        "values": {},
        "kind": "kustomize",
        "resolved_path": "apps/podinfo",
        "cluster": BLOCK,
        "source": {"oci_url": "oci://x", "oci_tag": ""},
        "values_json": "",
        "waits_for": [],
    }


def test_where_there_is_a_null_the_values_are_there_as_text():
    odd = replace(PODINFO, patches=((("a", "b"), "null"), (("c",), '"\\u2028\\""')))
    assert component(odd)["values_json"] == '{"a":{"b":null},"c":"\u2028\\""}'


def waits(**said: Any) -> Any:
    """What podinfo waits for, on a cluster that says this of traefik, which it depends on."""
    traefik = replace(PODINFO, id="traefik", kind="kustomize", depends_on=())
    shared = replace(SHARED, components={"podinfo": PODINFO, "traefik": traefik})
    settings = {
        "podinfo": component_settings(ORIGIN, assigned=True),
        "traefik": component_settings(ORIGIN, **said),
    }
    found = inputs(COMPONENTS, shared, replace(CLUSTER, layer=Layer(ORIGIN, settings)))
    return found[0]["waits_for"]


def test_a_component_waits_for_what_it_depends_on():
    assert waits(assigned=True) == [{"id": "traefik", "kind": "kustomize"}]


def test_a_component_does_not_wait_for_what_is_not_on_the_cluster():
    assert waits(oci_tag="v2") == []


def test_a_component_does_not_wait_for_what_is_disabled():
    assert waits(assigned=True, enabled=False) == []


def test_the_shape_of_a_namespace():
    assert inputs(NAMESPACES) == [
        {
            "id": "apps",
            "labels": {"team": "shop"},
            "annotations": {"owner": "shop@example.com"},
            "cluster": BLOCK,
        }
    ]


def test_the_shape_of_a_rolebinding():
    assert inputs(ROLEBINDINGS) == [
        {
            "id": "readers",
            "role": "view",
            "subjects": [
                {"kind": "Group", "name": "team", "apiGroup": "rbac.authorization.k8s.io"},
                {"kind": "ServiceAccount", "name": "bot", "apiGroup": "", "namespace": "tools"},
            ],
            "cluster": BLOCK,
        }
    ]


@pytest.mark.parametrize("resource", RESOURCES)
def test_an_input_has_the_fields_and_types_of_its_shape(resource):
    [found] = inputs(resource)
    types = [(field, type(value)) for field, value in found.items()]
    assert types == list(input_shape(resource).items())


def test_the_shape_of_a_cluster_entry():
    fields = {
        "id": "demo-cluster-01",
        "name": "demo",
        "dns": "demo.example.com",
        "environment_id": "dev",
        "state": "frozen",
        "labels": {"tier": "gold", "region": "eu"},
        "node_count": 3,
        "vm_image": "ubuntu",
        "k0s_version": "v1.33.1+k0s.0",
    }
    row = namedtuple("Row", fields)(**fields)
    assert json.loads(clusters_body([cluster_entry(row)])) == {
        "inputs": [
            {
                "id": "demo-cluster-01",
                "cluster_name": "demo",
                "cluster_dns": "demo.example.com",
                "environment": "dev",
                "state": "frozen",
                "labels": {"region": "eu", "tier": "gold"},
                "node_count": 3,
                "vm_image": "ubuntu",
                "k0s_version": "v1.33.1+k0s.0",
            }
        ]
    }


def test_fields_keep_their_order_since_flux_compares_bytes():
    assert Renderer(SHARED).render(CLUSTER).body(NAMESPACES) == (
        b'{"inputs":[{"id":"apps","labels":{"team":"shop"},'
        b'"annotations":{"owner":"shop@example.com"},'
        b'"cluster":{"name":"demo-cluster-01","dns":"demo-cluster-01.k8s.example.com",'
        b'"environment":"dev"}}]}'
    )


def test_what_is_not_json_has_no_bytes():
    with pytest.raises(ValueError, match="Out of range"):
        encode(float("nan"))


def test_no_clusters_are_an_empty_list():
    assert clusters_body([]) == b'{"inputs":[]}'


def test_the_path_has_the_environment_where_there_is_one_folder_for_each():
    assert component(replace(PODINFO, cluster_env_enabled=True))["resolved_path"] == "podinfo/dev"


def test_an_overridden_path_is_resolved_too():
    found = component(replace(PODINFO, cluster_env_enabled=True), component_path="other")
    assert (found["component_path"], found["resolved_path"]) == ("other", "other/dev")


def test_clusters_of_different_environments_get_different_paths_from_one_renderer():
    renderer = Renderer(
        replace(SHARED, components={"podinfo": replace(PODINFO, cluster_env_enabled=True)})
    )
    found = [
        renderer.render(replace(CLUSTER, environment=item)).items[COMPONENTS][0].fields()
        for item in ("dev", "prod")
    ]
    assert [item["resolved_path"] for item in found] == ["podinfo/dev", "podinfo/prod"]


def tagging(oci_tag: str, **selector: Any) -> Profile:
    origin = Origin("profile", "tagging")
    said = component_settings(origin, assigned=True, oci_tag=oci_tag)
    return Profile("tagging", 100, Layer(origin, {"podinfo": said}), **selector)


def tag_of(renderer: Renderer, **overrides: Any) -> str:
    """What a cluster gets that says nothing itself."""
    silent = replace(CLUSTER, layer=Layer(ORIGIN), **overrides)
    return renderer.render(silent).items[COMPONENTS][0].fields()["source"]["oci_tag"]


def test_clusters_under_different_profiles_get_different_components_from_one_renderer():
    profiles = tuple(
        replace(tagging(item, environments=frozenset({item})), id=item) for item in ("dev", "prod")
    )
    renderer = Renderer(replace(SHARED, profiles=profiles))
    assert [tag_of(renderer, environment=item) for item in ("dev", "prod")] == ["dev", "prod"]


def test_a_renderer_does_not_lean_on_one_with_other_profiles():
    near = Renderer(replace(SHARED, profiles=(tagging("old"),)))
    renderer = Renderer(replace(SHARED, profiles=(tagging("new"),)), near)
    assert [tag_of(near), tag_of(renderer)] == ["old", "new"]


def test_overrides_reach_the_source_and_the_version():
    found = component(oci_tag="v2", component_version="7.0.0")
    assert (found["source"]["oci_tag"], found["component_version"]) == ("v2", "7.0.0")


def test_a_disabled_component_stays_in_the_list():
    assert component(enabled=False)["enabled"] is False


def test_patches_are_text_and_values_are_exact():
    found = component(
        replace(PODINFO, patches=()),
        patches=[(("a", "b.c"), "1.0"), (("d",), "null"), (("e",), '[1,"x"]'), (("f",), '"1"')],
    )
    assert found["patches"] == {r"a.b\.c": "1.0", "d": "null", "e": '[1,"x"]', "f": "1"}
    assert encode(found["values"]) == '{"a":{"b.c":1.0},"d":null,"e":[1,"x"],"f":"1"}'


@pytest.mark.parametrize("missing", ["components", "namespaces", "rolebindings"])
def test_a_dangling_reference_is_an_error_and_not_a_shorter_list(missing):
    without: dict[str, Any] = {missing: {}}
    with pytest.raises(KeyError):
        Renderer(replace(SHARED, **without)).render(CLUSTER)


def test_an_answer_without_items_is_an_empty_list():
    empty = Renderer(SHARED).render(replace(CLUSTER, layer=Layer(ORIGIN)))
    assert [empty.body(resource) for resource in RESOURCES] == [b'{"inputs":[]}'] * 3


def test_a_decommissioned_cluster_gets_nothing():
    assert [nothing(CLUSTER).body(resource) for resource in RESOURCES] == [b'{"inputs":[]}'] * 3


# Bytes


nasty = st.text(max_size=12) | st.sampled_from(
    [
        '"',
        "\\",
        "\n",
        "\r\n",
        "\u2028",
        "😀",
        "é",
        "</script>",
        "\x7f",
        "\x00",
        "{{ x }}",
        '","a":"',
    ]
)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | nasty,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(nasty, inner, max_size=3),
    max_leaves=6,
)


extra = st.fixed_dictionaries(
    {},
    optional={
        "enabled": st.booleans(),
        "component_version": nasty,
        "depends_on": st.lists(nasty, max_size=2),
        "values": json_values,
    },
)


@st.composite
def answers(draw: Any) -> Answers:
    """Any fields in any order, as a later version might have them."""
    return Answers(
        encode(draw(st.dictionaries(nasty, nasty, max_size=3))),
        {
            resource: tuple(
                item_of({"id": item_id, "labels": draw(json_values), **draw(extra)})
                for item_id in draw(st.lists(nasty, unique=True, max_size=3))
            )
            for resource in RESOURCES
        },
    )


@given(answers())
@settings(max_examples=60)
def test_the_size_is_the_length_of_the_body(found):
    for resource in RESOURCES:
        assert found.size(resource) == len(found.body(resource))
        assert not found.is_surely_below(resource, found.size(resource))
        assert found.is_surely_below(resource, MAX_BYTES)


@given(answers())
@settings(max_examples=60)
def test_the_body_is_json_with_each_item_and_the_cluster_inside_it(found):
    block = json.loads(found.cluster)
    for resource in RESOURCES:
        inputs = json.loads(found.body(resource))["inputs"]
        assert all((name in item) == (resource == COMPONENTS) for item in inputs for name in MORE)
        assert [without_more(item) for item in inputs] == [
            item.fields() | {"cluster": block} for item in found.items[resource]
        ]


def without_more(item: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name not in MORE}


@given(answers())
@settings(max_examples=60)
def test_answers_come_back_from_their_document_byte_for_byte(found):
    again = answers_from_document(found.to_document())
    assert [again.body(resource) for resource in RESOURCES] == [
        found.body(resource) for resource in RESOURCES
    ]


@given(answers())
@settings(max_examples=60)
def test_answers_survive_being_kept_as_text(found):
    assert answers_from_document(json.loads(encode(found.to_document()))) == found


@pytest.mark.parametrize("missing", ["cluster", *RESOURCES])
def test_a_document_that_lacks_a_part_is_an_error_and_not_an_empty_list(missing):
    document = Renderer(SHARED).render(CLUSTER).to_document()
    del document[missing]
    with pytest.raises(KeyError, match=missing):
        answers_from_document(document)
