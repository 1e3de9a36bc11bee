"""Bad input: each way in, each mistake, the exact error, and that nothing changed."""

from collections.abc import Iterator
from typing import Any

import pytest

from fleet.history.change import head_number
from tests.api.conftest import Api
from tests.services.fleets import export

CLUSTER, COMPONENT = "/clusters/c-1", "/platform_components/podinfo"
MEBIBYTE = 1024 * 1024

NAME = (
    "must be a DNS-1123 label: 1 to 63 lower case letters, digits and hyphens, with a letter or "
    "digit at both ends"
)
DNS_NAME = "must be a DNS name: lower case labels of letters, digits and hyphens, separated by dots"
LABEL_KEY = (
    "is not a key that Kubernetes takes: an optional DNS prefix and '/', then up to 63 letters, "
    "digits, '-', '_' and '.', with a letter or digit at both ends"
)
LABEL_VALUE = (
    "is not a label value: up to 63 letters, digits, '-', '_' and '.', with a letter or digit at "
    "both ends"
)
OF_CLUSTERS = (
    "is not a field here (allowed: _id, cluster_dns, cluster_name, description, environment, "
    "frozen_answers, id, k0s_version, labels, namespaces, node_count, patches, "
    "platform_components, rolebindings, state, unset, values, vm_image)"
)
ASSIGNED = (
    "is not a field here (allowed: _id, component_path, component_version, enabled, "
    "enabled_inherited, id, oci_tag)"
)
ANSWERS = "must be an object with cluster, platform-components, namespaces, rolebindings"
BRACKET = r"sets one item of a list; lists are replaced whole (write \[ for a real bracket)"
BEYOND_53 = "is a whole number that Flux would round; write it as text in quotes"
ADDRESS = "must be an address that starts with https:// or oci://"
LEADS_THROUGH = "which has a value of its own; keep one of the two"
UNREADABLE = "The body is not JSON that we can read:"

Details = dict[str, list[str]]


@pytest.fixture(scope="module")
def as_seeded(seeded: None) -> tuple[str, int]:
    return export(), head_number()


@pytest.fixture(autouse=True)
def _nothing_changes(fleet: None, as_seeded: tuple[str, int]) -> Iterator[None]:
    """By any of the tests here."""
    yield
    assert (export(), head_number()) == as_seeded


def nested(levels: int, value: Any = 1) -> Any:
    for _ in range(levels):
        value = {"a": value}
    return value


# Bodies that are not one clear JSON document: the whole message.
UNREADABLE_BODIES: dict[str, tuple[bytes, str]] = {
    "an open brace": (
        b"{",
        "Expecting property name enclosed in double quotes in line 1, column 2.",
    ),
    "single quotes": (
        b"{'node_count': 1}",
        "Expecting property name enclosed in double quotes in line 1, column 2.",
    ),
    "text after the end": (b"{} {}", "Extra data in line 1, column 4."),
    "not UTF-8": (b'{"vm_image": "\xc3("}', "it is not UTF-8 text."),
    "bytes of no text": (b"\xff\xfe\xfa", "it is not UTF-8 text."),
    "a key twice": (
        b'{"node_count": 1, "node_count": 2}',
        "the key 'node_count' is there twice in one object.",
    ),
    "a key twice, deep inside": (
        b'{"values": {"podinfo": {"a": {"b": 1, "b": 1}}}}',
        "the key 'b' is there twice in one object.",
    ),
    "not a number": (b'{"node_count": NaN}', "NaN is not a JSON number."),
    "an infinite number": (b'{"node_count": -Infinity}', "-Infinity is not a JSON number."),
    "a number of 5,000 digits": (
        b'{"node_count": ' + b"1" * 5_000 + b"}",
        "it has a number of too many digits.",
    ),
    "NUL in a value": (b'{"vm_image": "a\\u0000b"}', "contains a NUL character."),
    "NUL in a key": (b'{"values": {"podinfo": {"a\\u0000b": 1}}}', "contains a NUL character."),
    "half a character": (
        b'{"vm_image": "\\ud800"}',
        "contains half of a Unicode surrogate pair.",
    ),
    "half a character in a key": (
        b'{"labels": {"\\udfff": "x"}}',
        "contains half of a Unicode surrogate pair.",
    ),
    "65 levels": (
        b'{"a":' * 65 + b"1" + b"}" * 65,
        "it is nested deeper than 64 levels.",
    ),
    "100,000 levels": (b"[" * 100_000, "it is nested deeper than 64 levels."),
}


@pytest.mark.parametrize("name", UNREADABLE_BODIES)
def test_unreadable_bodies(api: Api, name: str) -> None:
    body, message = UNREADABLE_BODIES[name]
    response = api.patch(CLUSTER, body)
    assert response.status_code == 400
    assert response.json() == {
        "error": "validation_error",
        "message": f"{UNREADABLE} {message}",
        "details": {},
    }


WAYS_IN = [
    ("POST", "/clusters"),
    ("PATCH", "/clusters?environment=prod"),
    ("PUT", CLUSTER),
    ("PATCH", CLUSTER),
    ("DELETE", CLUSTER),
    ("POST", "/clusters/c-1/freeze"),
    ("POST", "/clusters/c-1/restore"),
    ("POST", "/revisions/2/revert"),
    ("POST", "/batch"),
]


@pytest.mark.parametrize(("method", "path"), WAYS_IN)
def test_every_way_in_refuses_an_unreadable_body(api: Api, method: str, path: str) -> None:
    response = api(method, path, b'{"a": 1, "a": 2}')
    assert response.status_code == 400
    assert response.json()["message"] == f"{UNREADABLE} the key 'a' is there twice in one object."


@pytest.mark.parametrize(("method", "path"), WAYS_IN)
def test_every_way_in_refuses_another_media_type(api: Api, method: str, path: str) -> None:
    response = api(method, path, b"a=1", Content_Type="application/x-www-form-urlencoded")
    assert response.status_code == 415


# What PATCH of an object takes as JSON and does not accept: path, body, details.
INVALID: list[tuple[str, Any, Details]] = [
    # Not an object.
    (CLUSTER, None, {"body": ["is missing"]}),
    (CLUSTER, b"", {"body": ["is missing"]}),
    (CLUSTER, b"null", {"body": ["must be an object"]}),
    (CLUSTER, [], {"body": ["must be an object"]}),
    (CLUSTER, "text", {"body": ["must be an object"]}),
    (CLUSTER, 1, {"body": ["must be an object"]}),
    # Fields that are not there.
    (CLUSTER, {"node_cout": 1}, {"node_cout": ["is not a field here (did you mean node_count?)"]}),
    (CLUSTER, {"status": 1}, {"status": ["is not a field here (did you mean state?)"]}),
    (CLUSTER, {"colour": 1}, {"colour": [OF_CLUSTERS]}),
    (CLUSTER, {"": 1}, {"": [OF_CLUSTERS]}),
    (
        "/environments/lab",
        {"n": 1},
        {"n": ["is not a field here (allowed: _id, description, id, rank)"]},
    ),
    (
        "/namespaces/apps",
        {"label": {}},
        {"label": ["is not a field here (did you mean labels?)"]},
    ),
    (COMPONENT, {"oci_ulr": "1"}, {"oci_ulr": ["is not a field here (did you mean oci_url?)"]}),
    # Ids.
    (CLUSTER, {"id": "c-2"}, {"id": ["is 'c-2', but the address says 'c-1'"]}),
    (CLUSTER, {"id": 5}, {"id": ["is 5, but the address says 'c-1'"]}),
    # Text.
    (CLUSTER, {"cluster_name": 1}, {"cluster_name": ["must be text, not 1"]}),
    (CLUSTER, {"cluster_name": "Upper"}, {"cluster_name": [f"'Upper' {NAME}"]}),
    (CLUSTER, {"cluster_name": "a\n"}, {"cluster_name": [f"'a\\n' {NAME}"]}),
    (CLUSTER, {"cluster_name": ""}, {"cluster_name": ["is required"]}),
    (CLUSTER, {"cluster_name": None}, {"cluster_name": ["is required"]}),
    (
        CLUSTER,
        {"cluster_name": "x" * 64},
        {
            "cluster_name": [
                f"'{'x' * 56}… {NAME}",
                "has 64 characters; at most 63 are allowed",
            ]
        },
    ),
    (CLUSTER, {"cluster_dns": "a..b"}, {"cluster_dns": [f"'a..b' {DNS_NAME}"]}),
    (
        CLUSTER,
        {"cluster_dns": ".".join(["x" * 60] * 5)},
        {"cluster_dns": ["has 304 characters; at most 253 are allowed"]},
    ),
    (CLUSTER, {"vm_image": ["x"]}, {"vm_image": ["must be text, not a list"]}),
    (
        CLUSTER,
        {"vm_image": "x" * 256},
        {"vm_image": ["has 256 characters; at most 255 are allowed"]},
    ),
    (
        COMPONENT,
        {"component_version": "x" * 129},
        {"component_version": ["has 129 characters; at most 128 are allowed"]},
    ),
    (COMPONENT, {"component_path": None}, {"component_path": ["is required"]}),
    (COMPONENT, {"component_version": ""}, {"component_version": ["is required"]}),
    (COMPONENT, {"oci_url": "ftp://x"}, {"oci_url": [f"'ftp://x' {ADDRESS}"]}),
    (COMPONENT, {"kind": "docker"}, {"kind": ["'docker' must be one of: helm, kustomize"]}),
    (
        "/rolebindings/admins",
        {"role": "a/b"},
        {
            "role": [
                "must be the name of a ClusterRole: not '.' or '..', without '/', '%' or outer "
                "blanks"
            ]
        },
    ),
    # Numbers.
    (CLUSTER, {"node_count": "3"}, {"node_count": ["must be a whole number, not '3'"]}),
    (CLUSTER, {"node_count": 3.5}, {"node_count": ["must be a whole number, not 3.5"]}),
    (CLUSTER, {"node_count": True}, {"node_count": ["must be a whole number, not true"]}),
    (CLUSTER, b'{"node_count": 1e999}', {"node_count": ["must be a whole number, not inf"]}),
    (CLUSTER, {"node_count": -1}, {"node_count": ["-1 must be at least 0"]}),
    (CLUSTER, {"node_count": 2**31}, {"node_count": ["2147483648 is beyond 32 bits"]}),
    (CLUSTER, {"node_count": 2**64}, {"node_count": ["18446744073709551616 is beyond 32 bits"]}),
    ("/environments/lab", {"rank": -1}, {"rank": ["-1 must be at least 0"]}),
    ("/environments/lab", {"rank": 2**31}, {"rank": ["2147483648 is beyond 32 bits"]}),
    ("/profiles/gold", {"weight": 1_000_001}, {"weight": ["1000001 must be at most 1000000"]}),
    ("/profiles/gold", {"weight": -1_000_001}, {"weight": ["-1000001 must be at least -1000000"]}),
    # True or false.
    (
        COMPONENT,
        {"cluster_env_enabled": "true"},
        {"cluster_env_enabled": ["must be true or false, not 'true'"]},
    ),
    (
        COMPONENT,
        {"cluster_env_enabled": 1},
        {"cluster_env_enabled": ["must be true or false, not 1"]},
    ),
    # States.
    (
        CLUSTER,
        {"state": "asleep"},
        {"state": ["'asleep' must be one of: waiting, active, frozen, decommissioned"]},
    ),
    (
        CLUSTER,
        {"state": "frozen"},
        {"state": ["changes by freeze, unfreeze, decommission and recommission"]},
    ),
    (
        CLUSTER,
        {"frozen_answers": {}},
        {"frozen_answers": ["belong to a cluster whose state is frozen", ANSWERS]},
    ),
    # Labels and annotations.
    (CLUSTER, {"labels": ["a"]}, {"labels": ["must be an object, not a list"]}),
    (CLUSTER, {"labels": {"a": 1}}, {"labels": ["a: must be text, in quotes"]}),
    (CLUSTER, {"labels": {"a": {"b": "c"}}}, {"labels": ["a: must be text, in quotes"]}),
    (CLUSTER, {"labels": {"a b": "c"}}, {"labels": [f"'a b' {LABEL_KEY}"]}),
    (CLUSTER, {"labels": {"": "c"}}, {"labels": [f"'' {LABEL_KEY}"]}),
    (CLUSTER, {"labels": {"a": "c d"}}, {"labels": [f"a: 'c d' {LABEL_VALUE}"]}),
    (CLUSTER, {"labels": {"a": "x" * 64}}, {"labels": [f"a: '{'x' * 64}' {LABEL_VALUE}"]}),
    (
        "/namespaces/apps",
        {"annotations": {"a": 1}},
        {"annotations": ["a: must be text, in quotes"]},
    ),
    (
        "/namespaces/logs",
        {"annotations": {"a": "x" * 256 * 1024}},
        {"annotations": ["are 262145 bytes together; Kubernetes takes 262144"]},
    ),
    # Subjects.
    (
        "/rolebindings/admins",
        {"subjects": {}},
        {"subjects": ["must be a list, not an object"]},
    ),
    (
        "/rolebindings/admins",
        {"subjects": [{"kind": "User", "name": "x"}, {"kind": "Robot", "name": "x"}]},
        {"subjects": ["[1].kind: 'Robot' must be one of: User, Group, ServiceAccount"]},
    ),
    (
        "/rolebindings/admins",
        {"subjects": [{"kind": "ServiceAccount", "name": "x"}]},
        {"subjects": ["[0].namespace: must be the service account's namespace"]},
    ),
    # References.
    (
        CLUSTER,
        {"environment": "prd"},
        {"environment": ["there is no environment 'prd' (did you mean prod?)"]},
    ),
    (
        CLUSTER,
        {"environment": ["dev"]},
        {"environment": ["must be the id of an environment, not a list"]},
    ),
    (CLUSTER, {"environment": None}, {"environment": ["is required"]}),
    (
        CLUSTER,
        {"platform_components": ["traefik", "agent", {"id": "podinof"}]},
        {"platform_components[2].id": ["there is no component 'podinof' (did you mean podinfo?)"]},
    ),
    (
        CLUSTER,
        {"namespaces": [{"id": "aps"}]},
        {"namespaces[0].id": ["there is no namespace 'aps' (did you mean apps?)"]},
    ),
    (
        CLUSTER,
        {"rolebindings": ["x"]},
        {"rolebindings[0].id": ["there is no rolebinding 'x' (allowed: admins, readers, spare)"]},
    ),
    (
        "/profiles/gold",
        {"environments": ["prd"]},
        {"environments[0].id": ["there is no environment 'prd' (did you mean prod?)"]},
    ),
    (
        "/profiles/gold",
        {"clusters": ["c-9"]},
        {"clusters[0].id": ["there is no cluster 'c-9' (did you mean c-3?)"]},
    ),
    (
        COMPONENT,
        {"depends_on": ["traefk"]},
        {"depends_on[0].id": ["there is no component 'traefk' (did you mean traefik?)"]},
    ),
    (
        COMPONENT,
        {"depends_on": ["podinfo"]},
        {"depends_on": ["forms a cycle: podinfo → podinfo"]},
    ),
    # Lists of assignments.
    (
        CLUSTER,
        {"platform_components": {"podinfo": {}}},
        {"platform_components": ["must be a list, not an object"]},
    ),
    (
        CLUSTER,
        {"platform_components": [1]},
        {"platform_components[0]": ["must be an id, or an object with an id"]},
    ),
    (
        CLUSTER,
        {"platform_components": [{}]},
        {"platform_components[0].id": ["is required, and must be text"]},
    ),
    (
        CLUSTER,
        {"platform_components": ["podinfo", {"id": "podinfo"}]},
        {"platform_components[1].id": ["'podinfo' is in the list twice"]},
    ),
    (
        CLUSTER,
        {"platform_components": [{"id": "podinfo", "enabled": "yes"}]},
        {"platform_components[0].enabled": ["must be true or false, not 'yes'"]},
    ),
    (
        CLUSTER,
        {"platform_components": ["traefik", {"id": "podinfo", "oci_tag": "x" * 129}]},
        {"platform_components[1].oci_tag": ["has 129 characters; at most 128 are allowed"]},
    ),
    (
        CLUSTER,
        {"platform_components": [{"id": "podinfo", "version": "1"}]},
        {"platform_components[0].version": [ASSIGNED]},
    ),
    (CLUSTER, {"namespaces": "apps"}, {"namespaces": ["must be a list, not 'apps'"]}),
    (
        CLUSTER,
        {"namespaces": [None]},
        {"namespaces[0]": ["must be an id, or an object with an id"]},
    ),
    # Patches.
    (CLUSTER, {"patches": []}, {"patches": ["must be an object, not a list"]}),
    (
        CLUSTER,
        {"patches": {"podinof": {}}},
        {"patches.podinof": ["there is no component 'podinof' (did you mean podinfo?)"]},
    ),
    (
        CLUSTER,
        {"patches": {"podinfo": "x"}},
        {"patches.podinfo": ["must be an object, not 'x'"]},
    ),
    (CLUSTER, {"patches": {"podinfo": {"": "x"}}}, {"patches.podinfo.": ["must not be empty"]}),
    (
        CLUSTER,
        {"patches": {"podinfo": {"a..b": "x"}}},
        {"patches.podinfo.a..b": ["has an empty part between its dots"]},
    ),
    (CLUSTER, {"patches": {"podinfo": {"a[0]": "x"}}}, {"patches.podinfo.a[0]": [BRACKET]}),
    (
        CLUSTER,
        {"patches": {"podinfo": {"k" * 513: "x"}}},
        {f"patches.podinfo.{'k' * 513}": ["is longer than 512 characters"]},
    ),
    (CLUSTER, {"patches": {"podinfo": {"n": 2**53}}}, {"patches.podinfo.n": [BEYOND_53]}),
    (
        CLUSTER,
        {"patches": {"podinfo": {"ui.color": "red", "ui.color.red": "1"}}},
        {"patches.podinfo.ui.color.red": [f"leads through ui.color, {LEADS_THROUGH}"]},
    ),
    (
        CLUSTER,
        {"patches": {"podinfo": {"a": {"b": 1}, "a.b": "2"}}},
        {"patches.podinfo.a.b": ["is given twice"]},
    ),
    (
        COMPONENT,
        {"patches": {"a": "1", "a.b": "2"}},
        {"patches.a.b": [f"leads through a, {LEADS_THROUGH}"]},
    ),
    # Values.
    (CLUSTER, {"values": {"podinfo": [1]}}, {"values.podinfo": ["must be an object, not a list"]}),
    (CLUSTER, {"values": {"podinfo": {"n": 2**64}}}, {"values.podinfo.n": [BEYOND_53]}),
    (
        CLUSTER,
        b'{"values": {"podinfo": {"n": [1e999]}}}',
        {"values.podinfo.n": ["is not a finite number"]},
    ),
    (
        CLUSTER,
        {"values": {"podinfo": {"x": nested(40)}}},
        {f"values.podinfo.x{'.a' * 32}": ["is nested deeper than 32 levels"]},
    ),
    (
        CLUSTER,
        {"values": {"podinfo": {"": 1}}},
        {"values.podinfo.": ["must not be empty"]},
    ),
    (COMPONENT, {"values": 1}, {"values": ["must be an object, not 1"]}),
    # Unset.
    (CLUSTER, {"unset": ["podinfo"]}, {"unset": ["must be an object, not a list"]}),
    (
        CLUSTER,
        {"unset": {"podinfo": "a"}},
        {"unset.podinfo": ["must be a list of keys, not 'a'"]},
    ),
    (CLUSTER, {"unset": {"podinfo": [1]}}, {"unset.podinfo[0]": ["must be a key, not 1"]}),
    (
        CLUSTER,
        {"unset": {"podinfo": ["a."]}},
        {"unset.podinfo[0]": ["has an empty part between its dots"]},
    ),
    (
        CLUSTER,
        {"unset": {"podinfo": ["x"]}, "patches": {"podinfo": {"x": "1"}}},
        {"unset.podinfo": ["x has a value too; keep one of the two"]},
    ),
    # Schemas.
    (COMPONENT, {"values_schema": []}, {"values_schema": ["must be an object, not a list"]}),
    (
        COMPONENT,
        {"values_schema": {"type": "nope"}},
        {
            "values_schema": [
                "is not a JSON Schema: 'nope' is not valid under any of the given schemas"
            ]
        },
    ),
    (
        COMPONENT,
        {"values_schema": {"required": ["x"]}},
        {"values.podinfo": ["'x' is a required property (on c-1, c-3)"]},
    ),
    # Everything at once.
    (
        CLUSTER,
        {
            "node_count": "x",
            "environment": "nope",
            "colour": 1,
            "namespaces": ["apps", "aps"],
            "patches": {"podinfo": {"a[0]": "1"}},
        },
        {
            "colour": [OF_CLUSTERS],
            "node_count": ["must be a whole number, not 'x'"],
            "environment": ["there is no environment 'nope' (allowed: dev, lab, prod, qa, uat)"],
            "namespaces[1].id": ["there is no namespace 'aps' (did you mean apps?)"],
            "patches.podinfo.a[0]": [BRACKET],
        },
    ),
]


@pytest.mark.parametrize(("path", "body", "details"), INVALID, ids=lambda it: str(it)[:60])
def test_invalid_fields(api: Api, path: str, body: Any, details: Details) -> None:
    response = api.patch(path, body)
    assert response.status_code == 400
    assert response.json()["error"] == "validation_error"
    assert response.json()["details"] == details


def test_put_tells_the_same(api: Api) -> None:
    path, body, details = INVALID[-1]
    assert api.put(path, body).json()["details"] == details


# Everything else: method, path, body, status, error, details.
REFUSED: list[tuple[str, str, Any, int, str, Any]] = [
    # As an id that is taken.
    (
        "PATCH",
        CLUSTER,
        {"cluster_dns": "C-2.example.com"},
        409,
        "conflict",
        {"cluster_dns": ["'c-2.example.com' is the DNS name of cluster c-2 already"]},
    ),
    # Creating.
    ("POST", "/clusters", {}, 400, "validation_error", {"id": ["is required, and must be text"]}),
    (
        "POST",
        "/clusters",
        {"id": None},
        400,
        "validation_error",
        {"id": ["is required, and must be text"]},
    ),
    (
        "POST",
        "/clusters",
        {"id": 5},
        400,
        "validation_error",
        {"id": ["is required, and must be text"]},
    ),
    (
        "POST",
        "/clusters",
        {"id": "new"},
        400,
        "validation_error",
        {
            "cluster_name": ["is required"],
            "cluster_dns": ["is required"],
            "environment": ["is required"],
        },
    ),
    ("POST", "/namespaces", {"id": "-a"}, 400, "validation_error", {"id": [f"'-a' {NAME}"]}),
    ("POST", "/namespaces", {"id": "a/b"}, 400, "validation_error", {"id": [f"'a/b' {NAME}"]}),
    ("POST", "/namespaces", {"id": "é"}, 400, "validation_error", {"id": [f"'é' {NAME}"]}),
    (
        "POST",
        "/platform_components",
        {"id": "new"},
        400,
        "validation_error",
        {"component_path": ["is required"], "oci_url": ["is required"]},
    ),
    ("POST", "/rolebindings", {"id": "new"}, 400, "validation_error", {"role": ["is required"]}),
    ("POST", "/namespaces", {"id": "apps"}, 409, "conflict", {"id": ["'apps' exists already"]}),
    # Acts.
    (
        "POST",
        "/clusters/c-1/restore",
        {},
        400,
        "validation_error",
        {"revision": ["must be the number of a revision, not null"]},
    ),
    (
        "POST",
        "/clusters/c-1/restore",
        {"revision": "2"},
        400,
        "validation_error",
        {"revision": ["must be the number of a revision, not '2'"]},
    ),
    (
        "POST",
        "/clusters/c-1/restore",
        {"revision": 2**63},
        400,
        "validation_error",
        {"revision": [f"must be the number of a revision, not {2**63}"]},
    ),
    (
        "POST",
        "/clusters/c-1/restore",
        {"revison": 2},
        400,
        "validation_error",
        {"revison": ["is not a field here"]},
    ),
    ("DELETE", "/namespaces/spare", {"x": 1}, 400, "validation_error", {"body": ["must be empty"]}),
    # More than Flux takes.
    (
        "PATCH",
        CLUSTER,
        {"patches": {"podinfo": {"big": "x" * 500_000}}},
        409,
        "conflict",
        {"clusters": ["c-1"], "limits": {"bytes": 921_600, "inputs": 10_000}},
    ),
    # Too large.
    ("POST", "/clusters", b" " * (MEBIBYTE + 1), 413, "too_large", {}),
    ("PUT", CLUSTER, b" " * (MEBIBYTE + 1), 413, "too_large", {}),
    ("PATCH", CLUSTER, b" " * (MEBIBYTE + 1), 413, "too_large", {}),
    ("POST", "/clusters/c-1/freeze", b" " * (MEBIBYTE + 1), 413, "too_large", {}),
    ("POST", "/batch", b" " * (10 * MEBIBYTE + 1), 413, "too_large", {}),
    # Methods.
    ("PUT", "/clusters", {}, 405, "method_not_allowed", {}),
    ("DELETE", "/clusters", None, 405, "method_not_allowed", {}),
    ("PATCH", "/namespaces", {}, 405, "method_not_allowed", {}),
    ("POST", CLUSTER, {}, 405, "method_not_allowed", {}),
    ("GET", "/batch", None, 405, "method_not_allowed", {}),
    ("GET", "/clusters/c-1/freeze", None, 405, "method_not_allowed", {}),
    ("PATCH", "/clusters/c-1/effective", {}, 405, "method_not_allowed", {}),
    ("POST", "/revisions", {}, 405, "method_not_allowed", {}),
    ("DELETE", "/revisions/1", None, 405, "method_not_allowed", {}),
    ("TRACE", CLUSTER, None, 405, "method_not_allowed", {}),
    ("BREW", CLUSTER, None, 405, "method_not_allowed", {}),
    # Places.
    ("GET", "/nowhere", None, 404, "not_found", {}),
    ("POST", "/cluster", {}, 404, "not_found", {}),
    ("GET", "/clusters/c-1/nowhere", None, 404, "not_found", {}),
    ("GET", "/clusters//c-1", None, 404, "not_found", {}),
    ("PATCH", "/clusters/a%00b", {}, 404, "not_found", {}),
    ("GET", "/clusters/a%00b/effective", None, 404, "not_found", {}),
    ("POST", "/clusters/a%00b/freeze", None, 404, "not_found", {}),
    ("PATCH", "/clusters/%FF", {}, 404, "not_found", {}),
    ("PATCH", "/clusters/%E6%97%A5", {}, 404, "not_found", {}),
    ("PATCH", f"/clusters/{'x' * 3_000}", {}, 404, "not_found", {}),
    ("DELETE", "/clusters/C-1", None, 404, "not_found", {}),
    ("DELETE", "/clusters/%20c-1", None, 404, "not_found", {}),
]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "error", "details"), REFUSED, ids=lambda it: str(it)[:40]
)
def test_refused(
    api: Api, method: str, path: str, body: Any, status: int, error: str, details: Any
) -> None:
    response = api(method, path, body)
    assert response.status_code == status
    assert response.json().keys() == {"error", "message", "details"}
    assert response.json()["error"] == error
    assert response.json()["message"]
    assert response.json()["details"] == details


@pytest.mark.parametrize(
    "media_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "application/yaml",
        "nonsense",
        "",
    ],
)
def test_media_types(api: Api, media_type: str) -> None:
    response = api.patch(CLUSTER, b'{"node_count": 7}', Content_Type=media_type)
    assert response.status_code == 415
    assert response.json() == {
        "error": "unsupported_media_type",
        "message": f'Unsupported media type "{media_type}" in request.',
        "details": {},
    }


def test_a_thousand_unknown_ids_are_answered_at_once(api: Api) -> None:
    """Looking for what is near to each would take minutes in a large fleet."""
    ids = [f"unknown-{number}" for number in range(1_000)]
    details = api.patch("/profiles/gold", {"clusters": ids}).json()["details"]
    assert len(details) == 1_000
    assert details["clusters[0].id"] == ["there is no cluster 'unknown-0' (allowed: c-1, c-2, c-3)"]
    assert details["clusters[999].id"] == ["there is no cluster 'unknown-999'"]
