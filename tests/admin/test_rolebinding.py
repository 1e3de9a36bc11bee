import pytest

from fleet.models import RoleBinding
from tests.admin.forms import errors, open_form, save

pytestmark = pytest.mark.usefixtures("small_fleet")


def test_subjects_are_completed(admin_client):
    data = open_form(RoleBinding, "viewers")
    data["subjects"] = '[{"kind": "User", "name": "ada"}]'
    assert save(admin_client, RoleBinding, "viewers", data).status_code == 302
    [subject] = RoleBinding.objects.get().subjects
    assert subject["apiGroup"] == "rbac.authorization.k8s.io"


@pytest.mark.parametrize(
    ("subjects", "error"),
    [
        ('[{"kind": "Robot", "name": "r2"}]', "must be one of"),
        ('{"kind": "User"}', "must be a list"),
        (r'[{"kind": "User", "name": "\ud800"}]', "surrogate"),
    ],
)
def test_wrong_subjects_are_refused(admin_client, subjects, error):
    data = open_form(RoleBinding, "viewers") | {"subjects": subjects}
    response = save(admin_client, RoleBinding, "viewers", data)
    assert error in errors(response)
    assert response.context["adminform"].form["subjects"].value() == subjects
