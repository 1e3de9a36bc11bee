"""Times are those of the viewer's clock in the admin, and UTC everywhere else."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from fleet.models import Revision, Token
from tests.admin.forms import url

pytestmark = pytest.mark.usefixtures("small_fleet")

LATE = datetime(2026, 1, 31, 20, 30, 5, tzinfo=UTC)  # in Tokyo, 05:30 of the next day


@pytest.fixture
def late() -> Revision:
    Revision.objects.update(created_at=LATE)
    return Revision.objects.latest("number")


@pytest.fixture
def in_tokyo(admin_client):
    admin_client.cookies["timezone"] = "Asia/Tokyo"
    return admin_client


def pages(revision: Revision) -> list[str]:
    return [
        url(Revision, "changelist"),
        url(Revision, "change", str(revision.pk)),
        "/admin/fleet/cluster/c1/history/",
        "/admin/",
    ]


def test_every_page_shows_the_viewers_time_and_keeps_utc_for_machines(in_tokyo, late):
    for page in pages(late):
        text = in_tokyo.get(page).text
        assert "2026-02-01 05:30" in text, page
        assert "JST" in text, page
        assert '<time datetime="2026-01-31T20:30:05Z"' in text, page


@pytest.mark.parametrize(
    "cookie", [None, "", "Nowhere/Land", "../../etc/passwd", "/etc/passwd", "é"]
)
def test_without_a_zone_that_exists_it_is_utc(admin_client, late, cookie):
    if cookie is not None:
        admin_client.cookies["timezone"] = cookie
    response = admin_client.get(url(Revision, "changelist"))
    assert response.status_code == 200
    assert "2026-01-31 20:30 UTC" in response.text


def test_a_day_of_the_filter_is_the_viewers_day(in_tokyo, late):
    def found(**day: str) -> bool:
        page = in_tokyo.get(url(Revision, "changelist"), day)
        return late in page.context["cl"].result_list

    assert found(since="2026-02-01", until="2026-02-01")
    assert not found(until="2026-01-31")


def test_a_filter_names_the_zone_of_its_days(in_tokyo):
    assert "By day, from (Asia/Tokyo)" in in_tokyo.get(url(Revision, "changelist")).text


def test_a_token_expires_when_the_viewers_clock_says_so(in_tokyo):
    form = {"id": "ci", "kind": "reader", "expires_at_0": "2099-02-01", "expires_at_1": "05:30"}
    assert "Date and time in Asia/Tokyo" in in_tokyo.get(url(Token, "add")).text
    assert in_tokyo.post(url(Token, "add"), form).status_code == 200
    assert Token.objects.get().expires_at == datetime(2099, 1, 31, 20, 30, tzinfo=UTC)
    assert "2099-02-01 05:30 JST" in in_tokyo.get(url(Token, "changelist")).text


def test_a_file_has_utc_whoever_asks_for_it(in_tokyo, late):
    exported = b"".join(in_tokyo.get(url(Revision, "export")).streaming_content).decode()
    assert "2026-01-31 20:30:05+00:00" in exported


def test_the_zone_ends_with_the_request(in_tokyo):
    in_tokyo.get("/admin/")
    assert timezone.get_current_timezone_name() == "UTC"


def test_the_api_never_looks_at_the_cookie(in_tokyo, late):
    answer = in_tokyo.get(f"/revisions/{late.number}")
    assert answer.json()["created_at"] == "2026-01-31T20:30:05+00:00"
    narrowed = in_tokyo.get("/revisions?since=2026-01-31T20:30:05Z&until=2026-01-31T20:30:06Z")
    assert late.number in [each["number"] for each in narrowed.json()]
