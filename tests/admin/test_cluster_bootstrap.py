from datetime import timedelta
from typing import Any

import pytest
import yaml
from django.test import Client
from django.utils import timezone

from fleet.history.change import head_number
from fleet.models import Cluster, Revision, Token, TokenKey
from fleet.services.clusters import cluster_decommission
from fleet.services.tokens import token_issue
from tests.admin.forms import url
from tests.admin.people import logged_in

pytestmark = pytest.mark.usefixtures("small_fleet")

ISSUE = "Issue a token and show the file"


def page_of(client: Client) -> Any:
    page = client.get(url(Cluster, "bootstrap", "c1"))
    assert page.status_code == 200
    return page


def secret_in(manifest: str) -> str:
    return next(
        item["stringData"]["token"]
        for item in yaml.safe_load_all(manifest)
        if item["kind"] == "Secret"
    )


def test_it_shows_the_file_of_the_api(admin_client):
    served = admin_client.get("/clusters/c1/bootstrap.yaml").text
    assert page_of(admin_client).context["manifest"] == served


def test_the_file_without_a_token_can_be_downloaded(admin_client):
    page = page_of(admin_client)
    assert 'href="/clusters/c1/bootstrap.yaml"' in page.text
    served = admin_client.get(page.context["download"])
    assert served.headers["Content-Disposition"] == 'attachment; filename="c1-bootstrap.yaml"'


def test_a_token_is_issued_and_shown_once(admin_client):
    before = head_number()
    page = admin_client.post(url(Cluster, "bootstrap", "c1"))
    secret = secret_in(page.context["manifest"])
    assert "no-store" in page.headers["Cache-Control"]
    assert secret in page.text
    assert ISSUE not in page.text
    answer = admin_client.get(
        page.context["polled"][0], headers={"Authorization": f"Bearer {secret}"}
    )
    assert answer.status_code == 200
    assert head_number() == before + 1
    revision = Revision.objects.get(number=before + 1)
    assert (revision.actor, revision.source) == ("admin", "admin")
    assert revision.reason == "Bootstrap cluster c1"
    assert secret not in page_of(admin_client).text
    assert secret not in str(admin_client.cookies)
    assert secret not in str(dict(admin_client.session))


@pytest.mark.parametrize("group", ["viewers", "operators"])
def test_who_may_not_issue_tokens_has_no_button_for_it(group):
    client = logged_in(group)
    page = page_of(client)
    assert ISSUE not in page.text
    assert "Download without a token" in page.text
    assert client.post(url(Cluster, "bootstrap", "c1")).status_code == 403
    assert not Token.objects.exists()


def test_admins_have_the_button():
    assert ISSUE in page_of(logged_in("admins")).text


def test_a_decommissioned_cluster_is_not_connected(admin_client):
    cluster_decommission(cluster="c1")
    page = page_of(admin_client)
    assert "Recommission" in page.text
    assert ISSUE not in page.text
    before = head_number()
    refused = admin_client.post(url(Cluster, "bootstrap", "c1"), follow=True)
    assert "c1 is decommissioned; recommission it to connect it." in refused.text
    assert head_number() == before


def test_it_says_when_the_cluster_has_polled(admin_client):
    for name in ("c1", "c1-2"):
        token_issue(id=name, kind="cluster", cluster="c1")
    used = timezone.now() - timedelta(minutes=2, seconds=1)
    TokenKey.objects.filter(token_id="c1-2").update(last_used=used)
    page = page_of(admin_client)
    assert "It has polled 2\xa0minutes ago." in page.text
    assert [(each.id, each.last_used) for each in page.context["tokens"]] == [
        ("c1", None),
        ("c1-2", used),
    ]


def test_it_says_that_no_poll_has_been_noted(admin_client):
    assert "It has no token of its own yet." in page_of(admin_client).text
    token_issue(id="c1", kind="cluster", cluster="c1")
    assert "No poll with its tokens has been noted." in page_of(admin_client).text


def test_tokens_of_others_are_not_its_own(admin_client):
    token_issue(id="reader", kind="reader")
    assert page_of(admin_client).context["tokens"] == []


def test_it_polls_where_the_setting_says(admin_client, settings):
    settings.PUBLIC_API_URL = "https://fleet.example.com"
    page = page_of(admin_client)
    assert page.context["polled"][0] == (
        "https://fleet.example.com/api/v2/flux/clusters/c1.k8s.example.com/platform-components"
    )
    assert "plain HTTP" not in page.text
