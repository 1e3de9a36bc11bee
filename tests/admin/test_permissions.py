"""Who may look may not write."""

import pytest

from fleet.history.change import head_number
from fleet.models import Cluster
from tests.admin.forms import url

pytestmark = pytest.mark.usefixtures("small_fleet")


def test_a_viewer_sees_the_pages_without_buttons(viewer_client):
    assert viewer_client.get(url(Cluster, "changelist")).status_code == 200
    page = viewer_client.get(url(Cluster, "change", "c1"))
    assert page.status_code == 200
    assert page.context["actions_detail"] == []
    assert not page.context["has_change_permission"]
    assert 'name="_save"' not in page.text


@pytest.mark.parametrize(
    ("page", "args"),
    [
        ("add", ()),
        ("change", ("c1",)),
        ("delete", ("c1",)),
        ("freeze", ("c1",)),
        ("decommission", ("c1",)),
    ],
)
def test_a_viewer_cannot_write(viewer_client, page, args):
    before = head_number()
    response = viewer_client.post(url(Cluster, page, *args), {"_form_submitted": "on"})
    assert response.status_code == 403
    assert head_number() == before
