import pytest

from fleet.models import Revision
from tests.admin.forms import url

pytestmark = pytest.mark.usefixtures("small_fleet")


def test_nothing_about_a_revision_can_be_written(admin_client):
    newest = Revision.objects.latest("number")
    assert admin_client.post(url(Revision, "add"), {"number": "99"}).status_code == 403
    change = admin_client.post(url(Revision, "change", str(newest.pk)), {"reason": "x"})
    assert change.status_code == 403
    assert admin_client.post(url(Revision, "delete", str(newest.pk))).status_code == 403
    assert Revision.objects.latest("number").reason == newest.reason


@pytest.mark.parametrize("query", ["2", "system", "no such thing", "1.5", "99999999999999999999"])
def test_search(admin_client, query):
    assert admin_client.get(url(Revision, "changelist"), {"q": query}).status_code == 200
