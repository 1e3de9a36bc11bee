"""The OpenAPI schema: valid, complete, and true of the demo fleet."""

import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from django.urls import URLPattern, get_resolver
from drf_spectacular.validation import validate_schema
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from fleet.desired_state.inputs import RESOURCES
from fleet.models.sections import SECTIONS
from fleet.services.tokens import token_issue
from fleet.web.addresses import path_of
from tests.processes import run

# Pages of the admin, and what leads there.
NOT_API = ("/admin", "/api/auth", "/static")
HOME = "/"
MANAGE = (sys.executable, "manage.py")


def operations(schema: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def resolved(schema: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in part:
        return part
    found = schema
    for name in part["$ref"].removeprefix("#/").split("/"):
        found = found[name]
    return found


def validator(schema: dict[str, Any], part: dict[str, Any]) -> Draft202012Validator:
    """References lead into the whole schema."""
    whole: Resource[Any] = DRAFT202012.create_resource(schema)
    registry: Registry[Any] = Registry().with_resource("urn:fleet", whole)
    base = json.loads(json.dumps(part).replace('"#/components', '"urn:fleet#/components'))
    return Draft202012Validator(base, registry=registry)


def routes(patterns: list[Any], prefix: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield path_of(route)
        else:
            yield from routes(pattern.url_patterns, route)


def test_it_is_valid_openapi(schema):
    assert schema["openapi"].startswith("3.1")
    validate_schema(schema)  # type: ignore[no-untyped-call]


def test_every_part_is_valid_json_schema(schema):
    for definition in schema["components"]["schemas"].values():
        Draft202012Validator.check_schema(definition)


def test_every_address_is_in_it(schema):
    known = {
        path.replace("{resource}", resource)
        for path in routes(get_resolver().url_patterns)
        if not path.startswith(NOT_API) and path != HOME
        for resource in (RESOURCES if "{resource}" in path else [""])
    }
    assert known == set(schema["paths"])


def test_every_method_is_in_it(client, schema, db):
    """As the views themselves tell them, to those who may do something there."""
    enrolment = token_issue(id="join", kind="enrolment", environments=["dev"]).secret
    for path, methods in schema["paths"].items():
        token = enrolment if path == "/enroll" else "test-write-token"
        headers = {"Authorization": f"Bearer {token}"}
        address = path.replace("{number}", "1").replace("{id}", "x").replace("{dns}", "x")
        response = client.generic("NOSUCH", address, headers=headers)
        assert response.status_code == 405, path
        allowed = {name.strip().lower() for name in response.headers["Allow"].split(",")}
        assert allowed - {"head", "options"} == set(methods), path


def test_operation_ids_are_unique(schema):
    ids = [operation["operationId"] for _, _, operation in operations(schema)]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("section", SECTIONS)
def test_operation_ids_tell_what_is_done(schema, section):
    ids = {operation["operationId"] for _, _, operation in operations(schema)}
    acts = ("list", "create", "read", "replace", "patch", "delete")
    assert {f"{section}_{act}" for act in acts} <= ids


def test_links_lead_to_operations_and_their_parameters(schema):
    known = {operation["operationId"]: operation for _, _, operation in operations(schema)}
    links = 0
    for path, method, operation in operations(schema):
        for answer in operation["responses"].values():
            for link in resolved(schema, answer).get("links", {}).values():
                target = known[link["operationId"]]
                taken = {resolved(schema, item)["name"] for item in target["parameters"]}
                given = {name.removeprefix("header.") for name in link["parameters"]}
                assert given <= taken, (path, method, link)
                links += 1
    assert links > 100


def test_examples_are_what_the_schema_wants(schema):
    examples = 0
    for path, method, operation in operations(schema):
        for content in operation.get("requestBody", {}).get("content", {}).values():
            for example in content["examples"].values():
                errors = list(validator(schema, content["schema"]).iter_errors(example["value"]))
                assert not errors, (path, method, errors)
                examples += 1
    assert examples > 20


@pytest.mark.usefixtures("demo_fleet")
@pytest.mark.parametrize("section", SECTIONS)
def test_examples_are_accepted(ask, schema, section):
    def example(path: str, method: str) -> Any:
        content = schema["paths"][path][method]["requestBody"]["content"]
        [first] = next(iter(content.values()))["examples"].values()
        return first["value"]

    created = ask("POST", f"/{section}", example(f"/{section}", "post"))
    assert created.status_code == 201, created.content
    for method in ("put", "patch"):
        body = example(f"/{section}/{{id}}", method)
        answer = ask(method, f"/{section}/{created.json()['id']}", body)
        assert answer.status_code == 200, answer.content


@pytest.mark.usefixtures("demo_fleet")
@pytest.mark.parametrize("section", SECTIONS)
def test_the_demo_fleet_is_as_the_schema_says(ask, schema, section):
    part = schema["paths"][f"/{section}"]["get"]["responses"]["200"]["content"]
    objects = ask("GET", f"/{section}").json()
    assert objects
    assert not list(validator(schema, part["application/json"]["schema"]).iter_errors(objects))


def test_all_errors_have_one_shape(schema):
    for path, method, operation in operations(schema):
        for status, answer in operation["responses"].items():
            if int(status) < 400:
                continue
            body = resolved(schema, answer)["content"]["application/json"]["schema"]
            for shape in body.get("oneOf", [body]):
                assert set(shape["required"]) == {"error", "message", "details"}, (path, method)


def test_yaml_and_json_are_the_same_schema_and_need_no_credential(client, schema):
    as_yaml, as_json = client.get("/openapi.yaml"), client.get("/openapi.json")
    assert as_yaml.headers["Content-Type"] == "application/yaml"
    assert as_json.headers["Content-Type"] == "application/json"
    assert yaml.safe_load(as_yaml.content) == as_json.json() == schema


def test_the_command_has_nothing_to_warn_of():
    done = run((*MANAGE, "spectacular", "--fail-on-warn", "--validate"), **SETTINGS)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_read_plane_has_only_what_it_serves():
    done = run((*MANAGE, "spectacular", "--fail-on-warn"), API_MODE="read-only", **SETTINGS)
    paths = yaml.safe_load(done.stdout)["paths"]
    expected = {"/health", "/ready", "/metrics", "/openapi.yaml", "/api/v2/flux/clusters"}
    expected |= {f"/api/v2/flux/clusters/{{dns}}/{resource}" for resource in RESOURCES}
    assert set(paths) == expected
    assert {method for methods in paths.values() for method in methods} == {"get"}


SETTINGS = {"SECRET_KEY": "for this command alone", "STORE_BACKEND": "memory"}
