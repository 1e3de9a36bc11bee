"""API_MODE=read-only: what it serves, what it loads, and that nothing else is there."""

import sys

import httpx
import pytest
import yaml

from tests.planes.conftest import READ_ONLY, SERVE, Planes
from tests.planes.polling import DEMO, PATHS, answers_of
from tests.processes import run, running

pytestmark = pytest.mark.database("sqlite")

MANAGE = (sys.executable, "manage.py")
PLANE = {"API_MODE": "read-only", "SECRET_KEY": "k", "STORE_BACKEND": "memory"}


def ask(planes: Planes, method: str, path: str, **headers: str) -> httpx.Response:
    headers = {"Authorization": f"Bearer {planes.read.read_token}", **headers}
    return httpx.request(method, planes.read.base_url + path, headers=headers, timeout=30)


def test_both_planes_answer_the_same(planes: Planes) -> None:
    assert answers_of(planes.read) == answers_of(planes.crud)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"])
@pytest.mark.parametrize("path", [PATHS[1], "/health", "/ready", "/openapi.yaml", "/clusters", "/"])
def test_only_reads_are_allowed(planes: Planes, method: str, path: str) -> None:
    response = ask(planes, method, path)
    assert response.status_code == 405
    assert response.json() == {
        "error": "method_not_allowed",
        "message": f"{method} is not allowed here; GET and HEAD are.",
        "details": {},
    }
    assert response.headers["Allow"] == "GET, HEAD"


@pytest.mark.parametrize("accept", ["application/json", "text/html"])
@pytest.mark.parametrize(
    "path",
    [
        *("/", "/admin", "/admin/", "/admin/login/", "/clusters", "/docs", "/openapi.json"),
        *("/api", "/api/auth/login/", "/static/docs.css", "/revisions", "/nope"),
    ],
)
def test_nothing_else_is_there(planes: Planes, path: str, accept: str) -> None:
    response = ask(planes, "GET", path, Accept=accept)
    assert response.status_code == 404
    assert response.json()["error"] == "not_found"
    assert "Set-Cookie" not in response.headers


def test_a_browser_gets_json_too(planes: Planes) -> None:
    response = ask(planes, "GET", PATHS[1], Accept="text/html")
    assert (response.status_code, response.headers["Content-Type"]) == (200, "application/json")


def test_head_and_options(planes: Planes) -> None:
    head = ask(planes, "HEAD", PATHS[1])
    assert (head.status_code, head.content) == (200, b"")
    options = ask(planes, "OPTIONS", PATHS[1])
    assert (options.status_code, options.headers["Allow"]) == (200, "GET, HEAD, OPTIONS")


def test_a_session_of_the_admin_is_nothing_here(planes: Planes) -> None:
    response = httpx.get(planes.read.base_url + PATHS[0], headers={"Cookie": "sessionid=a"})
    assert response.status_code == 401


def test_its_schema_knows_only_its_credentials(planes: Planes) -> None:
    schema = yaml.safe_load(planes.read.get("/openapi.yaml").text)
    assert set(schema["components"]["securitySchemes"]) == {"bearer", "basic"}
    assert schema["paths"][PATHS[0]]["get"]["security"] == [{"bearer": []}, {"basic": []}]


def test_what_is_for_people_is_not_loaded() -> None:
    script = """
from django.apps import apps
from django.conf import settings
import config.urls
print(*(app.name for app in apps.get_app_configs()), *settings.MIDDLEWARE)
"""
    done = run((*MANAGE, "shell", "--verbosity", "0", "--command", script), **PLANE)
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.lower()
    for name in ("admin", "unfold", "session", "messages", "static", "csrf", "axes", "csp"):
        assert name not in loaded
    assert "flux_api" in loaded


@pytest.mark.parametrize(
    "command",
    [
        ("import_seed", "fleet/demo/fleet.json", "--verbosity", "0"),
        ("restore", "demo-cluster-01", "--revision", "1"),
        ("revert", "2"),
        ("createsuperuser", "--noinput", "--username", "eve", "--email", "eve@example.com"),
        ("migrate", "fleet", "zero"),
    ],
    ids=lambda command: command[0],
)
def test_a_command_that_writes_is_refused_in_one_line(
    planes: Planes, command: tuple[str, ...]
) -> None:
    before = answers_of(planes.read)
    given = {**planes.place, "API_MODE": "read-only", "DJANGO_SUPERUSER_PASSWORD": "a long one"}
    done = run((*MANAGE, *command), **given)
    assert done.returncode == 1
    assert "read-only" in done.stderr
    assert done.stderr.strip().count("\n") == 0, done.stderr
    assert answers_of(planes.read) == before


def test_commands_that_read_work(planes: Planes) -> None:
    done = run((*MANAGE, "verify_history"), **planes.place, API_MODE="read-only")
    assert done.returncode == 0, done.stderr


# With a log of gunicorn's own, polls go by ASGI.
@pytest.mark.parametrize("access_log", ["false", "true"])
@pytest.mark.parametrize("https_only", ["false", "true"])
def test_the_quick_path_sends_what_django_sends(
    planes: Planes, https_only: str, access_log: str
) -> None:
    def ask(accept: str) -> tuple[int, bytes, dict[str, str]]:
        given = {
            "Authorization": f"Bearer {read.read_token}",
            "Accept": accept,
            "X-Forwarded-Proto": "https",
            "X-Request-ID": "the-same",
        }
        response = httpx.get(f"{read.base_url}{DEMO}/namespaces", headers=given)
        headers = {name: value for name, value in response.headers.items() if name != "date"}
        return response.status_code, response.content, headers

    own = {"HTTPS_ONLY": https_only, "ACCESS_LOG": access_log}
    with running({**planes.place, **READ_ONLY, **own}, SERVE) as read:
        quick, slow = ask("*/*"), ask("application/json;q=0.9")
    assert quick == slow
    assert quick[0] == 200
    assert ("strict-transport-security" in quick[2]) == (https_only == "true")
