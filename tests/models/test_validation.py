"""What the models refuse, by name of the field, and what the database refuses without them."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models.deletion import ProtectedError

from fleet import models
from fleet.desired_state.values import to_json
from fleet.kubernetes import MAX_ANNOTATIONS
from fleet.models.profile import MAX_WEIGHT
from tests.factories import (
    assign,
    make_cluster,
    make_component,
    make_namespace,
    make_profile,
    make_rolebinding,
    patch,
)

pytestmark = pytest.mark.django_db

# A valid object of each model that people name themselves.
VALID: dict[Any, dict[str, Any]] = {
    models.Environment: {"id": "stage", "rank": 5},
    models.Namespace: {"id": "apps"},
    models.RoleBinding: {
        "id": "readers",
        "role": "view",
        "subjects": [{"kind": "Group", "name": "team"}],
    },
    models.Component: {
        "id": "podinfo",
        "component_path": "podinfo",
        "oci_url": "oci://registry.example.com",
    },
    models.Profile: {"id": "everywhere"},
    models.Cluster: {
        "id": "demo",
        "name": "demo",
        "dns": "demo.k8s.example.com",
        "environment_id": "dev",
    },
}

BAD_NAMES = {
    "empty": "",
    "upper case": "Demo",
    "underscore": "demo_1",
    "dot": "demo.1",
    "blank": "demo 1",
    "leading hyphen": "-demo",
    "trailing hyphen": "demo-",
    "trailing newline": "demo\n",
    "leading newline": "\ndemo",
    "64 characters": "a" * 64,
    "umlaut": "dëmo",
    "fullwidth digit": "demo１",
    "NUL": "de\x00mo",
}
GOOD_NAMES = ["a", "0", "demo-1", "1-demo", "a--b", "a" * 63]


def build(model: Any, **overrides: Any) -> Any:
    return model(**VALID[model] | overrides)


def refused(instance: Any) -> dict[str, list[str]]:
    with pytest.raises(ValidationError) as error:
        instance.full_clean()
    return error.value.message_dict


def bad_names() -> list[Any]:
    return [pytest.param(name, id=label) for label, name in BAD_NAMES.items()]


# Names


@pytest.mark.parametrize("model", VALID)
def test_a_valid_object_is_taken(model):
    build(model).full_clean()


@pytest.mark.parametrize("name", bad_names())
@pytest.mark.parametrize("model", VALID)
def test_an_id_is_a_dns_label(model, name):
    assert set(refused(build(model, id=name))) == {"id"}


@pytest.mark.parametrize("name", GOOD_NAMES)
@pytest.mark.parametrize("model", VALID)
def test_any_dns_label_is_an_id(model, name):
    build(model, id=name).full_clean()


def test_the_error_of_a_name_says_what_is_allowed():
    assert refused(build(models.Cluster, id="Demo")) == {
        "id": [
            "must be a DNS-1123 label: 1 to 63 lower case letters, digits and hyphens, "
            "with a letter or digit at both ends"
        ]
    }


@pytest.mark.parametrize("name", bad_names())
def test_the_name_of_a_cluster_is_a_dns_label_too(name):
    assert set(refused(build(models.Cluster, name=name))) == {"name"}


@pytest.mark.parametrize(
    "dns",
    [
        "",
        "demo..example.com",
        ".demo",
        "demo.",
        "-demo.example.com",
        "demo-.example.com",
        "demo_1.example.com",
        "demo.example.com\n",
        "demo.example.com:443",
        "https://demo.example.com",
        "a" * 64 + ".com",
        ".".join(["a" * 63] * 4),
        "dëmo.example.com",
        "*.example.com",
    ],
)
def test_the_dns_name_of_a_cluster(dns):
    assert set(refused(build(models.Cluster, dns=dns))) == {"dns"}


@pytest.mark.parametrize("dns", ["demo", "10.0.0.1", "a.b-c.d", ".".join(["a" * 62] * 4)])
def test_what_is_a_dns_name(dns):
    build(models.Cluster, dns=dns).full_clean()


def test_a_dns_name_is_kept_in_lower_case():
    cluster = build(models.Cluster, dns="Demo.K8s.Example.COM")
    cluster.full_clean()
    assert cluster.dns == "demo.k8s.example.com"


def test_a_dns_name_is_unique_without_regard_to_case():
    make_cluster(dns="demo.example.com")
    assert set(refused(build(models.Cluster, dns="DEMO.example.com"))) == {"dns"}


# Plain fields


@pytest.mark.parametrize(
    ("model", "field", "value"),
    [
        (models.Environment, "rank", -1),
        (models.Environment, "rank", "first"),
        (models.Environment, "rank", None),
        (models.RoleBinding, "role", ""),
        (models.Component, "kind", "terraform"),
        (models.Component, "kind", ""),
        (models.Component, "component_path", ""),
        (models.Component, "component_path", "a" * 256),
        (models.Component, "component_path", "a\x00"),
        (models.Component, "component_path", "a\ud800"),
        (models.Component, "component_version", ""),
        (models.Component, "component_version", "a" * 129),
        (models.Component, "oci_url", ""),
        (models.Component, "oci_url", "a" * 2049),
        (models.Component, "oci_tag", "a" * 129),
        (models.Component, "oci_tag", "v\x00"),
        (models.Component, "cluster_env_enabled", "perhaps"),
        (models.Profile, "weight", MAX_WEIGHT + 1),
        (models.Profile, "weight", -MAX_WEIGHT - 1),
        (models.Profile, "weight", "heavy"),
        (models.Cluster, "environment_id", "moon"),
        (models.Cluster, "environment_id", None),
        (models.Cluster, "state", "asleep"),
        (models.Cluster, "state", ""),
        (models.Cluster, "node_count", -1),
        (models.Cluster, "node_count", "many"),
        (models.Cluster, "vm_image", "a" * 256),
        (models.Cluster, "k0s_version", "v1\x00"),
    ],
)
def test_a_field_that_is_wrong_is_named(model, field, value):
    assert set(refused(build(model, **{field: value}))) == {field.removesuffix("_id")}


def test_all_fields_that_are_wrong_are_named_at_once():
    wrong = build(models.Cluster, id="Demo", dns="-", labels={"a b": "c"}, state="asleep")
    assert set(refused(wrong)) == {"id", "dns", "labels", "state"}


# Labels and annotations


LABELLED = [
    (models.Cluster, "labels"),
    (models.Profile, "labels"),
    (models.Namespace, "labels"),
    (models.Namespace, "annotations"),
]
BAD_KEYS = [
    "",
    "a b",
    "-a",
    "a-",
    "a.",
    "a\n",
    "ä",
    "a" * 64,
    "/a",
    "a/",
    "a/b/c",
    "ex_ample.com/a",
    "example..com/a",
    "-example.com/a",
    "example.com/-a",
    "a." * 127 + "com/a",
]
GOOD_KEYS = [
    "a",
    "A",
    "0",
    "a_b-c.D",
    "a" * 63,
    "app.kubernetes.io/name",
    "example.com/A_b",
    "a." * 125 + "com/a",
]


@pytest.mark.parametrize("key", BAD_KEYS)
@pytest.mark.parametrize(("model", "field"), LABELLED)
def test_a_key_that_kubernetes_refuses(model, field, key):
    assert set(refused(build(model, **{field: {key: "x"}}))) == {field}


@pytest.mark.parametrize("key", GOOD_KEYS)
@pytest.mark.parametrize(("model", "field"), LABELLED)
def test_a_key_that_kubernetes_takes(model, field, key):
    build(model, **{field: {key: "x"}}).full_clean()


def test_a_label_prefix_is_in_lower_case():
    assert set(refused(build(models.Namespace, labels={"Example.com/a": "x"}))) == {"labels"}


def test_an_annotation_prefix_may_be_in_upper_case():
    """Kubernetes checks the keys of annotations without regard to case."""
    build(models.Namespace, annotations={"Example.com/a": "x"}).full_clean()


@pytest.mark.parametrize("value", ["a b", "-a", "a-", ".a", "a_", "a\n", "ä", "a/b", "a" * 64])
@pytest.mark.parametrize(("model", "field"), LABELLED[:3])
def test_a_label_value_that_kubernetes_refuses(model, field, value):
    assert set(refused(build(model, **{field: {"key": value}}))) == {field}


@pytest.mark.parametrize("value", ["", "a", "A.b_c-1", "0", "a" * 63])
@pytest.mark.parametrize(("model", "field"), LABELLED[:3])
def test_a_label_value_that_kubernetes_takes(model, field, value):
    build(model, **{field: {"key": value}}).full_clean()


@pytest.mark.parametrize("value", ["", "any text\nat all: ä 😀 / {}", "x" * 10_000])
def test_an_annotation_value_is_any_text(value):
    build(models.Namespace, annotations={"key": value}).full_clean()


@pytest.mark.parametrize("value", ["a\x00", "\ud800"])
def test_an_annotation_value_is_text_that_a_database_can_hold(value):
    assert set(refused(build(models.Namespace, annotations={"key": value}))) == {"annotations"}


def test_annotations_as_large_as_kubernetes_takes_them():
    value = "x" * (MAX_ANNOTATIONS - len("key"))
    build(models.Namespace, annotations={"key": value}).full_clean()


def test_annotations_that_are_too_large_together():
    half = "é" * (MAX_ANNOTATIONS // 4)
    assert refused(build(models.Namespace, annotations={"a": half, "b": half})) == {
        "annotations": [f"are {MAX_ANNOTATIONS + 2} bytes together; Kubernetes takes 262144"]
    }


@pytest.mark.parametrize(
    "value", [None, [], "", False, ["a"], "a", 1, {"a": 1}, {"a": None}, {"a": {}}, {1: "a"}]
)
@pytest.mark.parametrize(("model", "field"), LABELLED)
def test_what_is_not_an_object_of_texts(model, field, value):
    assert set(refused(build(model, **{field: value}))) == {field}


# Role bindings


@pytest.mark.parametrize(
    "role", ["", ".", "..", "a/b", "50%", " view", "view\n", "a\x00", "a" * 256]
)
def test_what_is_not_the_name_of_a_role(role):
    assert set(refused(build(models.RoleBinding, role=role))) == {"role"}


@pytest.mark.parametrize("role", ["view", "system:node", "Team Admins", "a.b"])
def test_what_is_the_name_of_a_role(role):
    build(models.RoleBinding, role=role).full_clean()


ACCOUNT = {"kind": "ServiceAccount", "name": "bot", "namespace": "tools"}


@pytest.mark.parametrize(
    ("subject", "message"),
    [
        ("team", "[0]: must be an object with kind and name"),
        ({}, "[0].kind: '' must be one of: User, Group, ServiceAccount"),
        (
            {"kind": "group", "name": "team"},
            "[0].kind: 'group' must be one of: User, Group, ServiceAccount",
        ),
        ({"kind": 1, "name": "team"}, "[0].kind: must be text"),
        ({"kind": "Group"}, "[0].name: must not be empty"),
        ({"kind": "Group", "name": ""}, "[0].name: must not be empty"),
        ({"kind": "Group", "name": None}, "[0].name: must be text"),
        ({"kind": "Group", "name": "a\x00"}, "[0].name: contains a NUL character"),
        (
            {"kind": "Group", "name": "\ud800"},
            "[0].name: contains half of a Unicode surrogate pair",
        ),
        (
            {"kind": "Group", "name": "team", "apiGroup": ""},
            "[0].apiGroup: must be 'rbac.authorization.k8s.io' for a Group",
        ),
        (
            ACCOUNT | {"apiGroup": "rbac.authorization.k8s.io"},
            "[0].apiGroup: must be '' for a ServiceAccount",
        ),
        (
            {"kind": "ServiceAccount", "name": "bot"},
            "[0].namespace: must be the service account's namespace",
        ),
        (
            ACCOUNT | {"namespace": "Tools"},
            "[0].namespace: must be the service account's namespace",
        ),
        (
            ACCOUNT | {"name": "Bot"},
            "[0].name: must be the name of a service account: a DNS name in lower case",
        ),
        (
            {"kind": "User", "name": "jo", "namespace": "tools"},
            "[0].namespace: a User has none",
        ),
        (
            {"kind": "Group", "name": "team", "role": "view"},
            "[0].role: is not a field of a subject; allowed: kind, name, apiGroup, namespace",
        ),
    ],
)
def test_what_is_not_a_subject(subject, message):
    assert refused(build(models.RoleBinding, subjects=[subject])) == {"subjects": [message]}


def test_the_error_of_a_subject_says_which():
    subjects = [{"kind": "Group", "name": "team"}, ACCOUNT, {"kind": "Group", "name": ""}]
    assert refused(build(models.RoleBinding, subjects=subjects)) == {
        "subjects": ["[2].name: must not be empty"]
    }


@pytest.mark.parametrize("subjects", [None, "", {}, "team", {"kind": "Group"}, 1])
def test_subjects_are_a_list(subjects):
    assert set(refused(build(models.RoleBinding, subjects=subjects))) == {"subjects"}


@pytest.mark.parametrize(
    ("subject", "group"),
    [
        ({"kind": "User", "name": "jo@example.com"}, "rbac.authorization.k8s.io"),
        ({"kind": "Group", "name": "system:masters"}, "rbac.authorization.k8s.io"),
        (ACCOUNT, ""),
        (ACCOUNT | {"apiGroup": None}, ""),
    ],
)
def test_the_api_group_of_a_subject_follows_from_its_kind(subject, group):
    binding = build(models.RoleBinding, subjects=[subject])
    binding.full_clean()
    assert binding.subjects == [subject | {"apiGroup": group}]


# Components


@pytest.mark.parametrize(
    "schema",
    [
        [1],
        "object",
        True,
        {"type": "nothing"},
        {"type": 1},
        {"properties": []},
        {"minimum": "1"},
        {"required": "a"},
        {"pattern": "("},
        {"$schema": []},
        {"$schema": 7},
        {"$schema": "http://[bad"},
        {"const": "\x00"},
        {"const": float("nan")},
    ],
)
def test_what_is_not_a_json_schema(schema):
    assert set(refused(build(models.Component, values_schema=schema))) == {"values_schema"}


@pytest.mark.parametrize(
    "schema",
    [
        None,
        {"type": "object", "properties": {"replicaCount": {"type": "integer"}}},
        {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"},
    ],
)
def test_what_is_a_json_schema(schema):
    build(models.Component, values_schema=schema).full_clean()


def test_a_component_cannot_depend_on_itself():
    podinfo = make_component()
    dependency = models.ComponentDependency(component=podinfo, dependency=podinfo)
    with pytest.raises(ValidationError, match="not_itself"):
        dependency.full_clean()


# Patches


PATCHES = ["ComponentPatch", "ProfilePatch", "ClusterPatch"]


def build_patch(model: str, **values: Any) -> Any:
    owner: dict[str, Any] = {}
    if model == "ProfilePatch":
        owner["profile"] = make_profile()
    if model == "ClusterPatch":
        owner["cluster"] = make_cluster()
    defaults = {"component": make_component(), "key": "a", "value": "1"}
    return getattr(models, model)(**defaults | owner | values)


@pytest.mark.parametrize("key", ["", ".", "a.", "a..b", "a[0]", "a\\", "a\x00", "a" * 513])
@pytest.mark.parametrize("model", PATCHES)
def test_what_is_not_a_key(model, key):
    assert set(refused(build_patch(model, key=key))) == {"key"}


@pytest.mark.parametrize(
    "value",
    [
        "",
        "text",
        '{"a": 1}',
        "'text'",
        "True",
        "{",
        "[1,]",
        "NaN",
        "Infinity",
        "1e999",
        "9007199254740992",
        pytest.param("9" * 5000, id="5,000 digits"),
        r'"\u0000"',
        r'"\ud800"',
        pytest.param("[" * 34 + "]" * 34, id="34 levels"),
        pytest.param("[" * 99_999 + "]" * 99_999, id="99,999 levels"),
    ],
)
@pytest.mark.parametrize("model", PATCHES)
def test_what_is_not_the_json_of_a_value(model, value):
    assert set(refused(build_patch(model, value=value))) == {"value"}


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (" 3 ", "3"),
        ("1.0", "1.0"),
        ("1e3", "1000.0"),
        ("true", "true"),
        ("null", "null"),
        (r'"\u00e9"', '"é"'),
        ('[{"b": 1, "a": [1, 2]}]', '[{"a":[1,2],"b":1}]'),
        ("{}", "{}"),
        ('""', '""'),
    ],
)
def test_a_value_is_kept_in_its_one_spelling(given, kept):
    row = build_patch("ComponentPatch", value=given)
    row.full_clean()
    assert row.value == kept


def test_a_form_may_leave_out_a_key_that_it_has_refused_already():
    row = build_patch("ComponentPatch", key="", value=" 3 ")
    row.clean_fields(exclude=["key"])
    assert (row.key, row.value) == ("", "3")


def test_a_key_is_kept_in_its_one_spelling():
    row = build_patch("ComponentPatch", key=r"a\b.c\.d")
    row.full_clean()
    assert row.key == r"ab.c\.d"


@pytest.mark.parametrize("model", PATCHES[1:])
def test_a_key_is_unset_or_has_a_value(model):
    assert refused(build_patch(model, value="1", unset=True)) == {
        "value": ["must be empty where the key is unset"]
    }


@pytest.mark.parametrize("model", PATCHES[1:])
def test_a_key_that_is_unset_needs_no_value(model):
    build_patch(model, value="", unset=True).full_clean()


# Pairs


def pairs() -> list[Any]:
    """Each kind of row of which there may be one for a pair, and how to make it."""
    return [
        lambda: (models.ComponentDependency, _of("component", "dependency")),
        lambda: (models.ComponentPatch, _of("component") | {"key": "a", "value": "1"}),
        lambda: (models.ProfileEnvironment, _of("profile") | {"environment_id": "dev"}),
        lambda: (models.ProfileCluster, _of("profile", "cluster")),
        *(
            lambda owner=owner, kind=kind, model=model: (model, _of(owner, kind))
            for owner, kind, model in [
                ("cluster", "component", models.ClusterComponent),
                ("profile", "component", models.ProfileComponent),
                ("cluster", "namespace", models.ClusterNamespace),
                ("profile", "namespace", models.ProfileNamespace),
                ("cluster", "rolebinding", models.ClusterRoleBinding),
                ("profile", "rolebinding", models.ProfileRoleBinding),
            ]
        ),
        lambda: (models.ClusterPatch, _of("cluster", "component") | {"key": "a", "value": "1"}),
        lambda: (models.ProfilePatch, _of("profile", "component") | {"key": "a", "value": "1"}),
    ]


def _of(*names: str) -> dict[str, Any]:
    makers: dict[str, Any] = {
        "component": make_component,
        "dependency": make_component,
        "profile": make_profile,
        "cluster": make_cluster,
        "namespace": make_namespace,
        "rolebinding": make_rolebinding,
    }
    return {name: makers[name]() for name in names}


PAIR_IDS = [
    "ComponentDependency",
    "ComponentPatch",
    "ProfileEnvironment",
    "ProfileCluster",
    "ClusterComponent",
    "ProfileComponent",
    "ClusterNamespace",
    "ProfileNamespace",
    "ClusterRoleBinding",
    "ProfileRoleBinding",
    "ClusterPatch",
    "ProfilePatch",
]


@pytest.mark.parametrize("make", pairs(), ids=PAIR_IDS)
def test_the_model_refuses_a_pair_that_is_there(make):
    model, values = make()
    model(**values).save()
    with pytest.raises(ValidationError, match="already exists"):
        model(**values).full_clean()


@pytest.mark.parametrize("make", pairs(), ids=PAIR_IDS)
def test_the_database_refuses_a_pair_that_is_there(make):
    model, values = make()
    model(**values).save()
    with pytest.raises(IntegrityError):
        model(**values).save()


# The database itself


def insert(model: Any, **overrides: Any) -> None:
    """Past the models: as another program would write it."""
    values = {field.column: field.get_default() for field in model._meta.concrete_fields}
    values |= VALID[model] | overrides
    values = {
        column: to_json(value) if isinstance(value, dict | list) else value
        for column, value in values.items()
    }
    names = ", ".join(connection.ops.quote_name(column) for column in values)
    marks = ", ".join(["%s"] * len(values))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {model._meta.db_table} ({names}) VALUES ({marks})",  # noqa: S608
            list(values.values()),
        )


@pytest.mark.parametrize("model", VALID)
def test_the_database_takes_a_valid_row(model):
    insert(model)
    assert model.objects.filter(pk=VALID[model]["id"]).exists()


@pytest.mark.parametrize(
    "name", [pytest.param(name, id=label) for label, name in BAD_NAMES.items() if label != "NUL"]
)
@pytest.mark.parametrize("model", VALID)
def test_the_database_refuses_a_bad_id(model, name):
    with pytest.raises(DatabaseError):
        insert(model, id=name)


@pytest.mark.parametrize(
    ("model", "column", "value"),
    [
        (models.Cluster, "name", "Demo"),
        (models.Cluster, "name", "demo\n"),
        (models.Cluster, "dns", "Demo.example.com"),
        (models.Cluster, "dns", "demo.example.com\n"),
        (models.Cluster, "dns", "demo..example.com"),
        (models.Cluster, "dns", ""),
        (models.Cluster, "state", "asleep"),
        (models.Cluster, "state", ""),
        (models.Cluster, "node_count", -1),
        (models.Cluster, "environment_id", None),
        (models.Component, "kind", "terraform"),
        (models.Environment, "rank", -1),
    ],
)
def test_the_database_refuses_a_bad_field(model, column, value):
    with pytest.raises(IntegrityError):
        insert(model, **{column: value})


def test_the_database_refuses_a_dns_name_that_is_taken():
    make_cluster(dns="demo.k8s.example.com")
    with pytest.raises(IntegrityError):
        insert(models.Cluster)


def test_the_database_refuses_an_id_that_is_taken():
    insert(models.Namespace)
    with pytest.raises(IntegrityError):
        insert(models.Namespace)


def test_the_database_refuses_a_component_that_depends_on_itself():
    podinfo = make_component()
    with pytest.raises(IntegrityError):
        models.ComponentDependency(component=podinfo, dependency=podinfo).save()


@pytest.mark.parametrize(("value", "unset"), [("", False), ("1", True)])
@pytest.mark.parametrize("model", PATCHES)
def test_the_database_refuses_neither_and_both_of_a_value_and_unset(model, value, unset):
    with pytest.raises(IntegrityError):
        build_patch(model, value=value, unset=unset).save()


# What is in use


def test_what_is_assigned_cannot_be_deleted():
    cluster = make_cluster()
    for made in (make_component(), make_namespace(), make_rolebinding()):
        assign(cluster, made)
        with pytest.raises(ProtectedError):
            made.delete()


def test_an_environment_with_clusters_cannot_be_deleted():
    make_cluster(environment="prod")
    with pytest.raises(ProtectedError):
        models.Environment.objects.get(pk="prod").delete()


def test_a_cluster_takes_its_own_rows_with_it():
    cluster, podinfo = make_cluster(), make_component()
    assign(cluster, podinfo)
    patch(cluster, podinfo, "a", 1)
    cluster.delete()
    assert not models.ClusterComponent.objects.exists()
    assert not models.ClusterPatch.objects.exists()
    assert models.Component.objects.filter(pk=podinfo.pk).exists()
