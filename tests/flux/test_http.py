"""How answers travel: ETag, HEAD, lengths, methods, credentials."""

import base64

import pytest

PATH = "clusters/c-1.example.com/platform-components"


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def test_the_same_data_has_the_same_etag(poll):
    assert poll(PATH).headers["ETag"] == poll(PATH).headers["ETag"]


def test_another_answer_has_another_etag(poll):
    assert poll(PATH).headers["ETag"] != poll("clusters").headers["ETag"]


def test_if_none_match_answers_not_modified_without_a_body(poll):
    etag = poll(PATH).headers["ETag"]
    response = poll(PATH, **{"If-None-Match": etag})
    assert (response.status_code, response.content) == (304, b"")
    assert response.headers["ETag"] == etag


def test_a_stale_etag_gets_the_whole_answer(poll):
    assert poll(PATH, **{"If-None-Match": '"other"'}).status_code == 200


def test_content_length_is_that_of_the_body(poll):
    response = poll("clusters/c-1.example.com/namespaces")
    assert int(response.headers["Content-Length"]) == len(response.content)
    assert len(response.content) > len(response.content.decode())


def test_head_has_the_headers_of_get(client, poll):
    got = poll(PATH)
    headers = {"Authorization": "Bearer test-read-token"}
    head = client.head(f"/api/v2/flux/{PATH}", headers=headers)
    assert head.status_code == 200
    assert head.content == b""
    for name in ("ETag", "Content-Length", "Content-Type"):
        assert head.headers[name] == got.headers[name]


@pytest.mark.parametrize("accept", ["text/plain", "application/yaml", "image/png", "*/*", ""])
def test_any_accept_header_gets_json(poll, accept):
    response = poll(PATH, Accept=accept)
    assert (response.status_code, response.headers["Content-Type"]) == (200, "application/json")


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_writing_is_not_allowed(client, fleet, method):
    headers = {"Authorization": "Bearer test-write-token"}
    response = getattr(client, method)(f"/api/v2/flux/{PATH}", headers=headers)
    assert response.status_code == 405
    assert response.json()["error"] == "method_not_allowed"


@pytest.mark.parametrize(
    ("authorization", "status"),
    [
        ("Bearer test-read-token", 200),
        ("bearer test-read-token", 200),
        ("Bearer test-write-token", 200),
        (basic("anyone", "test-read-token"), 200),
        (basic("", "test-read-token"), 200),
        ("Bearer wrong", 401),
        ("Bearer ", 401),
        ("Bearer", 401),
        ("test-read-token", 401),
        ("Token test-read-token", 401),
        (basic("test-read-token", ""), 401),
        (basic("anyone", "wrong"), 401),
        ("Basic !!!", 401),
        ("Basic /////w==", 401),
        ("Bearer tést", 401),
        ("Bearer test-read-token,test-write-token", 401),
        (None, 401),
    ],
)
def test_credentials(client, fleet, authorization, status):
    headers = {"Authorization": authorization} if authorization is not None else {}
    response = client.get(f"/api/v2/flux/{PATH}", headers=headers)
    assert response.status_code == status
    if status == 401:
        assert response.json()["error"] == "unauthorized"
        assert response.headers["WWW-Authenticate"].startswith("Bearer")


def test_no_token_is_accepted_where_none_is_configured(client, fleet, settings):
    settings.AUTH_TOKENS = settings.CRUD_AUTH_TOKENS = []
    response = client.get(f"/api/v2/flux/{PATH}", headers={"Authorization": "Bearer "})
    assert response.status_code == 401


def test_both_tokens_of_a_rotation_are_accepted(client, fleet, settings):
    settings.AUTH_TOKENS = ["old", "new"]
    for token in ("old", "new"):
        headers = {"Authorization": f"Bearer {token}"}
        assert client.get(f"/api/v2/flux/{PATH}", headers=headers).status_code == 200


def test_a_person_logged_in_sees_the_browsable_api(admin_client, fleet):
    response = admin_client.get(f"/api/v2/flux/{PATH}", headers={"Accept": "text/html"})
    assert response.status_code == 200
    assert "Flux: what a cluster gets" in response.content.decode()
    assert "replicaCount" in response.content.decode()


def test_a_person_who_is_not_staff_may_not_read(client, fleet, django_user_model):
    client.force_login(django_user_model.objects.create_user("someone"))
    assert client.get(f"/api/v2/flux/{PATH}").status_code == 403
