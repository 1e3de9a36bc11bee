"""Groups, passwords, logins, and what one person may do to another's account."""

import pytest
from django.contrib.auth.hashers import identify_hasher, make_password
from django.contrib.auth.models import Group, Permission, User
from django.core.management import call_command
from django.test import override_settings
from django.urls import reverse

from config import settings as real_settings

pytestmark = pytest.mark.django_db

LOGIN = "/admin/login/"
WRONG = {"username": "ada", "password": "wrong"}
RIGHT = {"username": "ada", "password": "a long enough phrase"}


def codenames(group: str) -> set[str]:
    return set(Group.objects.get(name=group).permissions.values_list("codename", flat=True))


def test_viewers_see_everything_and_change_nothing():
    assert {name.partition("_")[0] for name in codenames("viewers")} == {"view"}
    assert {"view_cluster", "view_revision", "view_token", "view_profile"} <= codenames("viewers")


def test_operators_change_the_fleet_and_nothing_else():
    more = codenames("operators") - codenames("viewers")
    assert {"change_fleet", "change_cluster", "delete_profile", "add_component"} <= more
    assert not {name for name in more if name.endswith(("user", "group", "token", "limit"))}


def test_admins_have_users_and_tokens_too():
    more = codenames("admins") - codenames("operators")
    assert {"add_user", "change_group", "change_token", "change_operatorlimit"} <= more


def test_the_groups_are_mended_by_the_next_migration():
    group = Group.objects.get(name="viewers")
    group.permissions.set(Permission.objects.filter(codename="delete_cluster"))
    call_command("migrate", verbosity=0)
    assert "view_cluster" in codenames("viewers")
    assert "delete_cluster" not in codenames("viewers")


@override_settings(PASSWORD_HASHERS=real_settings.PASSWORD_HASHERS)
def test_passwords_are_hashed_with_argon2():
    assert identify_hasher(make_password("a long enough phrase")).algorithm == "argon2"


@pytest.fixture
def ada():
    return User.objects.create_user("ada", password=RIGHT["password"], is_staff=True)


def test_guessing_ends_after_five_times(client, ada):
    statuses = [client.post(LOGIN, WRONG).status_code for _ in range(6)]
    assert statuses == [200, 200, 200, 200, 429, 429]
    locked = client.post(LOGIN, RIGHT)
    assert locked.status_code == 429
    assert locked.headers["Retry-After"] == "900"
    assert "Try again in\n    15 minutes" in locked.text


def test_others_can_still_log_in(client, ada):
    for _ in range(6):
        client.post(LOGIN, WRONG)
    assert client.post(LOGIN, RIGHT, REMOTE_ADDR="192.0.2.7").status_code == 302


def test_nobody_gets_around_it_by_a_header(client, ada):
    for number in range(6):
        client.post(LOGIN, WRONG, REMOTE_ADDR="192.0.2.7", HTTP_X_FORWARDED_FOR=f"10.0.0.{number}")
    assert client.post(LOGIN, RIGHT, REMOTE_ADDR="192.0.2.7").status_code == 429


def test_behind_a_proxy_of_ours_clients_are_told_apart(client, ada):
    for _ in range(6):
        client.post(LOGIN, WRONG, HTTP_X_FORWARDED_FOR="192.0.2.7")
    assert client.post(LOGIN, RIGHT, HTTP_X_FORWARDED_FOR="192.0.2.7").status_code == 429
    assert client.post(LOGIN, RIGHT, HTTP_X_FORWARDED_FOR="192.0.2.8").status_code == 302


def test_a_login_forgives(client, ada):
    for _ in range(2):
        for _ in range(4):
            client.post(LOGIN, WRONG)
        assert client.post(LOGIN, RIGHT).status_code == 302
        client.post("/admin/logout/")


def test_a_locked_door_can_be_opened(client, ada):
    for _ in range(6):
        client.post(LOGIN, WRONG)
    call_command("axes_reset", verbosity=0)
    assert client.post(LOGIN, RIGHT).status_code == 302


def test_the_browsable_api_has_the_same_login(client, ada):
    answer = client.get("/api/auth/login?next=/clusters")
    assert answer.headers["Location"] == "/admin/login/?next=/clusters"
    client.force_login(ada)
    client.post("/api/auth/logout")
    assert "_auth_user_id" not in client.session


@pytest.fixture
def root():
    return User.objects.create_superuser("root", password="another long phrase")


def user_page(user: User) -> str:
    return reverse("admin:auth_user_change", args=[user.pk])


def test_an_admin_cannot_become_a_superuser(client, person):
    admin = person("admins")
    client.force_login(admin)
    page = client.get(user_page(admin))
    assert page.status_code == 200
    assert 'name="is_superuser"' not in page.text
    assert 'name="user_permissions"' not in page.text


def test_an_admin_cannot_take_over_a_superuser(client, person, root):
    client.force_login(person("admins"))
    assert client.post(user_page(root), {"username": "gone"}).status_code == 403
    password = reverse("admin:auth_user_password_change", args=[root.pk])
    assert client.get(password).status_code == 403
    assert client.post(reverse("admin:auth_user_delete", args=[root.pk])).status_code == 403
    root.refresh_from_db()
    assert root.username == "root"


def test_a_new_person_can_come_to_the_admin(client, person):
    client.force_login(person("admins"))
    passwords = {"password1": "a long enough phrase", "password2": "a long enough phrase"}
    form = {"username": "bob", "usable_password": "true", **passwords}
    assert client.post(reverse("admin:auth_user_add"), form).status_code == 302
    assert User.objects.get(username="bob").is_staff


def test_an_admin_limits_an_operator(client, person):
    bob = person("operators", name="bob")
    client.force_login(person("admins"))
    page = client.get(user_page(bob))
    form = {
        **{name: value for name, value in page.context["adminform"].form.initial.items() if value},
        "groups": [str(group.pk) for group in bob.groups.all()],
        "date_joined_0": "2026-01-01",
        "date_joined_1": "00:00:00",
        "operator_limit-TOTAL_FORMS": "1",
        "operator_limit-INITIAL_FORMS": "0",
        "operator_limit-0-environments": ["dev", "qa"],
        "operator_limit-0-user": str(bob.pk),
    }
    assert client.post(user_page(bob), form).status_code == 302
    limit = set(bob.operator_limit.environments.values_list("pk", flat=True))
    assert limit == {"dev", "qa"}
