"""A list as CSV: what its filters match, harmless in a spreadsheet."""

import csv
import io

import pytest
from django.contrib import admin

from fleet.models import TRACKED_MODELS, Cluster, Namespace, Revision, Token
from fleet.services.tokens import token_issue
from tests.admin.forms import queries_of, url
from tests.admin.growing import grow
from tests.admin.people import logged_in
from tests.factories import make_cluster, make_namespace

EXPORTED = sorted({*TRACKED_MODELS, Revision} & set(admin.site._registry), key=str)
pytestmark = pytest.mark.django_db


def export(client, model, query: str = "") -> list[dict[str, str]]:
    answer = client.get(url(model, "export") + query)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"].startswith("attachment;")
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode())))


@pytest.mark.parametrize("model", EXPORTED)
def test_every_list(admin_client, small_fleet, model):
    token_issue(id="robot", kind="reader")
    assert len(export(admin_client, model)) == model.objects.count()


def test_has_the_columns_of_the_list(admin_client):
    make_cluster(id="c1", labels={"tier": "gold"})
    [row] = export(admin_client, Cluster)
    assert row["ID"] == "c1"
    assert (row["environment"], row["state"], row["labels"]) == ("dev", "active", "tier=gold")


def test_exports_what_the_filters_and_the_search_match(admin_client):
    for name, environment in (("east-1", "dev"), ("east-2", "prod"), ("west-1", "prod")):
        make_cluster(id=name, environment=environment)
    rows = export(admin_client, Cluster, "?environment__id__exact=prod&q=east")
    assert [row["ID"] for row in rows] == ["east-2"]


def test_exports_more_than_one_page(admin_client):
    grow(0, 51)
    assert len(export(admin_client, Cluster)) == 51


def test_the_button_takes_the_filters_along(admin_client):
    make_cluster()
    page = admin_client.get(url(Cluster, "changelist") + "?state__exact=active&p=1")
    assert f'href="{url(Cluster, "export")}?state__exact=active"' in page.text


def test_a_formula_is_text(admin_client):
    make_cluster(id="c1", k0s_version="=HYPERLINK(1)")
    assert export(admin_client, Cluster)[0]["k0s version"] == "'=HYPERLINK(1)"


def test_commas_quotes_and_letters_of_any_language_survive(admin_client):
    make_namespace(id="apps", annotations={"note": 'Grüße, "you"\nand you'})
    assert export(admin_client, Namespace)[0]["annotations"] == 'note=Grüße, "you"\nand you'


def test_a_wrong_filter_leads_back_to_the_list(admin_client):
    answer = admin_client.get(url(Cluster, "export") + "?nonsense=1")
    assert answer.status_code == 302
    assert answer["Location"].endswith("/admin/fleet/cluster/?e=1")


def test_tokens_are_exported_without_their_secrets(admin_client):
    issued = token_issue(id="robot", kind="reader")
    [row] = export(admin_client, Token)
    prefix, _, secret = issued.secret.partition(".")
    assert prefix not in str(row)
    assert secret not in str(row)


def test_a_viewer_may_and_a_stranger_may_not(client, small_fleet):
    assert len(export(logged_in("viewers"), Cluster)) == 1
    assert logged_in().get(url(Cluster, "export")).status_code == 403
    assert client.get(url(Cluster, "export")).status_code == 302


def test_the_number_of_queries_is_fixed(admin_client):
    def queries() -> int:
        return queries_of(lambda: export(admin_client, Cluster))

    grow(0, 1)
    queries()
    few = queries()
    grow(1, 50)
    assert queries() == few
    assert few <= 6
