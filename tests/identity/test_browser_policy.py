"""What a browser may load and run on our pages, and how cookies and transport are guarded."""

import re
import sys

import pytest

from tests.processes import run

pytestmark = pytest.mark.slow

STRICT = {
    "default-src": "'self'",
    "base-uri": "'none'",
    "object-src": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
PAGES = ("/docs", "/api", "/clusters", "/api/v2/flux/clusters", "/openapi.yaml", "/no-such-page")
HTML = {"Accept": "text/html"}


def policy(response) -> dict[str, str]:
    text = response.headers["Content-Security-Policy"]
    return dict(part.strip().split(" ", 1) for part in text.split(";"))


@pytest.mark.django_db
@pytest.mark.parametrize("path", PAGES)
def test_outside_of_the_admin_only_what_is_ours(admin_client, path):
    assert policy(admin_client.get(path, headers=HTML)) == STRICT


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/admin/", "/admin/login/", "/admin/fleet/cluster/"])
def test_the_admin_runs_no_script_in_a_page(admin_client, path):
    given = policy(admin_client.get(path))
    assert given["default-src"] == "'self'"
    assert given["script-src"] == "'self' 'unsafe-eval'"
    assert given["style-src"] == "'self' 'unsafe-inline'"
    assert given["img-src"] == "'self' data:"


@pytest.mark.django_db
@pytest.mark.parametrize("path", [*PAGES, "/admin/", "/admin/login/", "/admin/fleet/cluster/add/"])
def test_no_page_has_a_script_in_it(admin_client, path):
    page = admin_client.get(path, headers=HTML).content.decode()
    scripts = re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL)
    data = ("application/json", "text/template")
    inline = [
        (attributes, text)
        for attributes, text in scripts
        if text.strip() and not any(kind in attributes for kind in data)
    ]
    assert inline == []
    assert not re.search(r"<[^>]+\son[a-z]+=", page)


HTTPS = """
import django; django.setup()
from django.test import Client
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.contrib.auth.models import User
User.objects.create_superuser("ada", password="a long enough phrase")
client = Client()
plain = client.get("/clusters")
login = client.get("/admin/login/", secure=True)
form = {"username": "ada", "password": "a long enough phrase"}
done = client.post("/admin/login/", form, secure=True)
poll = Client().get("/api/v2/flux/clusters")
print(plain.status_code, plain["Location"])
print(login["Strict-Transport-Security"])
print(bool(login.cookies["csrftoken"]["secure"]))
session = done.cookies["sessionid"]
print(bool(session["secure"]), bool(session["httponly"]), session["samesite"], session["max-age"])
print(poll.status_code)
"""


def test_https_alone(tmp_path):
    """As in production: redirects, HSTS, cookies for HTTPS alone; polls are not redirected."""
    done = run(
        (sys.executable, "-c", HTTPS),
        DJANGO_SETTINGS_MODULE="config.settings",
        STORE_BACKEND="memory",
        SECRET_KEY="for this alone",
        ALLOWED_HOSTS="testserver",
        HTTPS_ONLY="true",
    )
    assert done.stdout.splitlines() == [
        "301 https://testserver/clusters",
        "max-age=31536000; includeSubDomains; preload",
        "True",
        "True True Lax 43200",
        "401",
    ], done.stderr
