"""Who may do what: every address × every method × every credential, and the status that they get.

The addresses are those of the URL configuration: one without a row here fails the test.
"""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, get_resolver
from django.utils import timezone

from fleet.history.change import head_number
from fleet.models import Token
from fleet.services.tokens import token_revoke
from fleet.web.addresses import path_of
from tests.api.conftest import Api
from tests.api.fleet import LEAST

# Permissions are in the code, and the database has no say in them.
pytestmark = pytest.mark.database("sqlite")


@pytest.fixture(autouse=True)
def no_log() -> Iterator[None]:
    """Thousands of refusals, each with its traceback, would take most of the time."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")

UNKNOWN = {"none", "wrong", "expired", "revoked"}
CLUSTERS = {"its cluster", "another cluster"}
ENROLMENT = {"enrolment"}
TOKENS = {"reader", "operator", "limited operator", "root"}
PEOPLE = {"viewer", "person", "operator in person", "admin"}
EVERYONE = UNKNOWN | CLUSTERS | ENROLMENT | TOKENS | PEOPLE

READERS = TOKENS | (PEOPLE - {"person"})
WRITERS = {"operator", "limited operator", "root", "operator in person", "admin"}
KEEPERS = {"root", "admin"}


@dataclass(frozen=True)
class May:
    """Who may, and the status that they get; `limited` is for an operator of dev alone."""

    who: set[str]
    status: int
    body: Any = None
    limited: int = 0


def reads(status: int = 200, who: set[str] = READERS) -> dict[str, May]:
    return {
        "GET": May(who, status),
        "HEAD": May(who, status),
        "OPTIONS": May(who, 200),
    }


def writes(method: str, status: int, body: Any = None, limited: int = 0) -> dict[str, May]:
    return {method: May(WRITERS, status, body, limited)}


def section(name: str, item: str, change: dict[str, Any], limited: int = 0) -> dict[str, Any]:
    created = 403 if name == "environments" else 0
    return {
        f"/{name}": (f"/{name}", {**reads(), **writes("POST", 201, LEAST[name], created)}),
        f"/{name}/{{id}}": (
            f"/{name}/{item}",
            {
                **reads(),
                **writes("PUT", 200, change, limited),
                **writes("PATCH", 200, change, limited),
                **writes("DELETE", 200, None, limited),
            },
        ),
    }


def act(name: str, status: int, body: Any = None, limited: int = 0) -> dict[str, Any]:
    path = f"/clusters/{{id}}/{name}"
    # There is nothing to read; who may read is told so.
    row = {**reads(405), **writes("POST", status, body, limited)}
    return {path: (path.replace("{id}", "c-3"), row)}


PUBLIC = {"GET": May(EVERYONE, 200), "HEAD": May(EVERYONE, 200)}
OF_CLUSTER = READERS | {"its cluster"}
# By the path of the schema: an address to ask at, and who may do what there. c-3 is in prod.
TABLE: dict[str, tuple[str, dict[str, May]]] = {
    "/health": ("/health", PUBLIC),
    "/ready": ("/ready", PUBLIC),
    "/metrics": ("/metrics", {"GET": May(READERS, 200), "HEAD": May(READERS, 200)}),
    "/openapi.yaml": ("/openapi.yaml", PUBLIC),
    "/openapi.json": ("/openapi.json", PUBLIC),
    "/docs": ("/docs", PUBLIC),
    "/api": ("/api", reads()),
    "/api/v2/flux/clusters": ("/api/v2/flux/clusters", reads()),
    "/api/v2/flux/clusters/{dns}/{resource}": (
        "/api/v2/flux/clusters/c-3.example.com/namespaces",
        reads(who=OF_CLUSTER),
    ),
    **section("environments", "lab", {"rank": 1}, limited=403),
    **section("namespaces", "spare", {"labels": {"a": "b"}}),
    **section("rolebindings", "spare", {"role": "view"}),
    **section("platform_components", "spare", {"oci_tag": "v9"}),
    **section("profiles", "everywhere", {"namespaces": []}, limited=403),
    **section("clusters", "c-3", {"node_count": 7}, limited=403),
    "/clusters": (
        "/clusters?environment=prod",
        {
            **reads(),
            "POST": May(WRITERS, 400, LEAST["clusters"]),  # filters are for reading and PATCH
            **writes("PATCH", 200, {"labels": {"a": "b"}}, limited=403),
        },
    ),
    **act("approve", 409),
    **act("freeze", 200, limited=403),
    **act("unfreeze", 409),
    **act("recommission", 409),
    **act("restore", 200, {"revision": 2}, limited=200),
    "/clusters/{id}/effective": ("/clusters/c-3/effective", reads()),
    "/clusters/{id}/diff": ("/clusters/c-3/diff?from=2", reads()),
    "/clusters/{id}/revisions": ("/clusters/c-3/revisions", reads()),
    "/clusters/{id}/bootstrap.yaml": ("/clusters/c-3/bootstrap.yaml", reads()),
    "/clusters/{id}/bootstrap": (
        "/clusters/c-3/bootstrap",
        {**reads(405), "POST": May(KEEPERS, 201)},
    ),
    "/platform_components/{id}/usage": ("/platform_components/podinfo/usage", reads()),
    "/revisions": ("/revisions", reads()),
    "/revisions/{number}": ("/revisions/2", reads()),
    "/revisions/{number}/revert": (
        "/revisions/1000/revert",
        {**reads(405), **writes("POST", 404)},
    ),
    "/batch": (
        "/batch",
        {
            **reads(405),
            **writes(
                "POST",
                200,
                [{"method": "PATCH", "path": "/clusters/c-3", "body": {"node_count": 7}}],
                limited=403,
            ),
        },
    ),
    "/apply": (
        "/apply",
        {
            **reads(405),
            **writes(
                "POST",
                200,
                {"clusters": [{**LEAST["clusters"], "environment": "prod"}]},
                limited=403,
            ),
        },
    ),
    "/enroll": (
        "/enroll",
        {
            "GET": May(ENROLMENT, 405),
            "HEAD": May(ENROLMENT, 405),
            "OPTIONS": May(ENROLMENT, 200),
            "POST": May(ENROLMENT, 201, {"cluster_name": "n", "cluster_dns": "n.example.com"}),
        },
    ),
    "/tokens": (
        "/tokens",
        {**reads(), "POST": May(KEEPERS, 201, {"id": "new", "kind": "reader"})},
    ),
    "/tokens/{id}": ("/tokens/reader", {**reads(), "DELETE": May(KEEPERS, 200)}),
    "/tokens/{id}/rotate": ("/tokens/reader/rotate", {**reads(405), "POST": May(KEEPERS, 200)}),
}
# Whose methods beyond those of the table need the rights of the keepers, to be told of a 405.
KEPT = {"/tokens", "/tokens/{id}", "/tokens/{id}/rotate", "/clusters/{id}/bootstrap"}

# Pages of the admin, by the end of their names: who may see them, and who may send their form.
FLEET_PAGES = {
    "changelist": (READERS & PEOPLE, READERS & PEOPLE),
    "export": (READERS & PEOPLE, READERS & PEOPLE),
    "add": (WRITERS & PEOPLE, WRITERS & PEOPLE),
    "history": (READERS & PEOPLE, READERS & PEOPLE),
    "delete": (WRITERS & PEOPLE, WRITERS & PEOPLE),
    "change": (READERS & PEOPLE, WRITERS & PEOPLE),
    "approve": (WRITERS & PEOPLE, WRITERS & PEOPLE),
    "freeze": (WRITERS & PEOPLE, WRITERS & PEOPLE),
    "unfreeze": (WRITERS & PEOPLE, WRITERS & PEOPLE),
    "recommission": (WRITERS & PEOPLE, WRITERS & PEOPLE),
    "decommission": (WRITERS & PEOPLE, WRITERS & PEOPLE),
    "effective": (READERS & PEOPLE, READERS & PEOPLE),
    "flux": (READERS & PEOPLE, READERS & PEOPLE),
    "restore": (WRITERS & PEOPLE, WRITERS & PEOPLE),
    "bootstrap": (READERS & PEOPLE, KEEPERS & PEOPLE),
    "clone": (WRITERS & PEOPLE, WRITERS & PEOPLE),
}
# The others have the rest of these pages.
OF_CLUSTERS = {
    *("approve", "freeze", "unfreeze", "recommission", "decommission"),
    *("effective", "flux", "restore", "bootstrap", "clone"),
}
# What forms ask of a row that is being typed.
PATCH_PAGE = {"patch": (READERS & PEOPLE, READERS & PEOPLE)}
NOBODY: set[str] = set()
ADMINS = {"admin"}
PAGES: dict[str, dict[str, tuple[set[str], set[str]]]] = {
    **dict.fromkeys(
        ("cluster", "component", "environment", "namespace", "profile", "rolebinding"), FLEET_PAGES
    ),
    "cluster": {**FLEET_PAGES, **PATCH_PAGE},
    "component": {**FLEET_PAGES, **PATCH_PAGE, "usage": (READERS & PEOPLE, READERS & PEOPLE)},
    "profile": {**FLEET_PAGES, **PATCH_PAGE, "selected": (READERS & PEOPLE, READERS & PEOPLE)},
    "revision": {
        "changelist": (READERS & PEOPLE, READERS & PEOPLE),
        "export": (READERS & PEOPLE, READERS & PEOPLE),
        "history": (READERS & PEOPLE, READERS & PEOPLE),
        "change": (READERS & PEOPLE, NOBODY),
        "add": (NOBODY, NOBODY),
        "delete": (NOBODY, NOBODY),
        "revert": (WRITERS & PEOPLE, WRITERS & PEOPLE),
    },
    "token": {
        "changelist": (READERS & PEOPLE, READERS & PEOPLE),
        "export": (READERS & PEOPLE, READERS & PEOPLE),
        "history": (READERS & PEOPLE, READERS & PEOPLE),
        "change": (READERS & PEOPLE, NOBODY),
        "add": (ADMINS, ADMINS),
        "delete": (ADMINS, ADMINS),
        "rotate": (ADMINS, ADMINS),
    },
    **dict.fromkeys(
        ("user", "group"),
        dict.fromkeys(
            ("changelist", "add", "history", "delete", "change", "change"), (ADMINS, ADMINS)
        ),
    ),
}
PAGES["user"] = {**PAGES["user"], "password_change": (ADMINS, ADMINS)}
# Of the admin as a whole, and where people log in and out: no row of the fleet is behind them.
OWN_PAGES = {
    "/",
    "/admin",
    "/admin/login",
    "/admin/logout",
    "/admin/search",
    "/admin/census",
    "/admin/password_change",
    "/admin/password_change/done",
    "/admin/autocomplete",
    "/admin/jsi18n",
    "/admin/r/{path:content_type_id}/{path:object_id}",
    "/admin/{app_label}",
    "/admin/{url}",
    "/api/auth/login",
    "/api/auth/logout",
}
OBJECTS = {
    "cluster": "c-3",
    "component": "podinfo",
    "environment": "prod",
    "namespace": "apps",
    "profile": "gold",
    "rolebinding": "admins",
    "revision": "2",
    "token": "reader",
}


def routes(patterns: list[Any], prefix: str = "") -> Iterator[tuple[str, str | None]]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield path_of(route), pattern.name
        else:
            yield from routes(pattern.url_patterns, route)


def admin_pages() -> Iterator[tuple[str, str, str]]:
    """(path, model, page) of every page of a model."""
    for path, name in routes(get_resolver().url_patterns):
        found = re.fullmatch(r"(?:auth|fleet)_([a-z]+)_([a-z_]+)", name or "")
        if path.startswith("/admin/") and found:
            yield path, found[1], found[2]


def test_every_address_has_a_row() -> None:
    known = set(TABLE) | OWN_PAGES | {path for path, _, _ in admin_pages()}
    redirects = re.compile(r"/admin/[a-z]+/[a-z]+/\{path:object_id\}")
    asked = {path for path, _ in routes(get_resolver().url_patterns)}
    assert {path for path in asked if not redirects.fullmatch(path)} == known


def test_every_page_has_a_row() -> None:
    assert {(model, page) for _, model, page in admin_pages()} == {
        (model, page)
        for model, pages in PAGES.items()
        for page in pages
        if model == "cluster" or page not in OF_CLUSTERS
    }


@pytest.fixture
def ask(request: Any, api: Api, issue: Any, person: Any, credential: str) -> Api:
    soon = timezone.now() + timedelta(hours=1)
    secrets = {
        "none": "",
        "wrong": "nonsense",
        "expired": issue("operator", "expired", expires_at=soon),
        "revoked": issue("operator", "revoked"),
        "its cluster": issue("cluster", "its", cluster="c-3"),
        "another cluster": issue("cluster", "anothers", cluster="c-1"),
        "enrolment": issue("enrolment", environments=["prod"]),
        "reader": issue("reader"),
        "operator": issue("operator"),
        "limited operator": issue("operator", "limited", environments=["dev"]),
        "root": "test-write-token",
    }
    Token.objects.filter(pk="expired").update(expires_at=timezone.now() - timedelta(seconds=1))
    token_revoke(id="revoked")
    groups = {"viewer": "viewers", "operator in person": "operators", "admin": "admins"}
    if credential in secrets:
        api.credential = f"Bearer {secrets[credential]}" if secrets[credential] else ""
    else:
        api.credential = ""
        # Two, so that an admin has somebody else to look after.
        person(name="user")
        api.client.force_login(person(groups.get(credential, "")))
    return api


def expected(credential: str, method: str, path: str, row: dict[str, May]) -> int:
    kept = path in KEPT and method not in {"GET", "HEAD", "OPTIONS"}
    # What is not in the row is told to those who might do such a thing.
    rest = {"GET", "HEAD", "OPTIONS"} & row.keys()
    flux = path.startswith("/api/v2/flux/") or path in {"/api", "/metrics", "/enroll"}
    others = row["GET"].who if flux or not rest else KEEPERS if kept else WRITERS
    may = row.get(method) or May(EVERYONE if row is PUBLIC else others, 405)
    if credential in may.who:
        return may.limited or may.status if credential == "limited operator" else may.status
    return 401 if credential in UNKNOWN else 403


@pytest.mark.slow
@pytest.mark.parametrize("credential", sorted(EVERYONE))
def test_the_table(ask: Api, credential: str) -> None:
    wrong = {}
    for path, (address, row) in TABLE.items():
        for method in METHODS:
            body = row[method].body if method in row else None
            status = asked(ask, method, address, body)
            wanted = expected(credential, method, path, row)
            if status != wanted:
                wrong[f"{method} {address}"] = f"{status}, not {wanted}"
    assert not wrong


def asked(ask: Api, method: str, address: str, body: Any) -> int:
    """The status; whatever was changed is taken back."""
    with transaction.atomic():
        status = ask(method, address, body).status_code
        transaction.set_rollback(True)
    return status


@pytest.mark.slow
@pytest.mark.parametrize("credential", sorted(EVERYONE))
def test_the_pages(ask: Api, credential: str, django_user_model: Any) -> None:
    before, wrong = head_number(), {}
    known = {
        **OBJECTS,
        "user": str(django_user_model.objects.order_by("pk").values_list("pk", flat=True).first()),
        "group": "1",
    }
    for path, model, page in admin_pages():
        address = re.sub(r"\{[a-z_:]+\}", known[model], path) + "/"
        for method, may in zip(("GET", "POST"), PAGES[model][page], strict=True):
            with transaction.atomic():
                status = seen(ask.client, method, address, ask.credential)
                transaction.set_rollback(True)
            # A form that is sent empty is shown again, or does what takes no more than a click.
            wanted = {200, 302} if credential in may else {403}
            if credential not in PEOPLE:
                wanted = {"to the login"}  # type: ignore[arg-type]
            if status not in wanted:
                wrong[f"{method} {address}"] = f"{status}, not {wanted}"
    assert not wrong
    assert head_number() == before


def seen(client: Client, method: str, address: str, credential: str) -> int | str:
    answer = client.generic(method, address, headers={"Authorization": credential})
    if answer.status_code == 302 and "/admin/login/" in answer.headers["Location"]:
        return "to the login"
    return answer.status_code
