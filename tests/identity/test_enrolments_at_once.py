"""Many clusters that register themselves at the same moment, on a server with several workers."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.processes import Server

pytestmark = pytest.mark.slow

WORKERS, AT_ONCE = 3, 12


@pytest.fixture
def busy(server: Any) -> Server:
    return server(WEB_CONCURRENCY=str(WORKERS), ENROLMENTS_PER_MINUTE="1000")


def operator(server: Server, method: str, path: str, body: Any = None) -> Any:
    headers = {"Authorization": f"Bearer {server.write_token}"}
    answer = httpx.request(method, server.base_url + path, json=body, headers=headers, timeout=60)
    assert answer.is_success, answer.text
    return answer.json()


def token(server: Server, **enrolment_defaults: Any) -> str:
    body = {"id": "join", "kind": "enrolment", "environments": ["dev"], **enrolment_defaults}
    return operator(server, "POST", "/tokens", body)["token"]


def enrol(server: Server, secret: str, name: str) -> httpx.Response:
    return httpx.post(
        f"{server.base_url}/enroll",
        json={"cluster_name": name, "cluster_dns": f"{name}.example.com"},
        headers={"Authorization": f"Bearer {secret}"},
        timeout=60,
    )


def at_once(act: Any) -> list[Any]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(act, range(AT_ONCE)))


def test_uses_are_counted_exactly(busy: Server) -> None:
    secret = token(busy, max_uses=5)
    answers = at_once(lambda number: enrol(busy, secret, f"n-{number}"))
    assert Counter(answer.status_code for answer in answers) == {201: 5, 403: AT_ONCE - 5}
    assert operator(busy, "GET", "/tokens/join")["uses"] == 5
    found = operator(busy, "GET", "/clusters?search=.example.com&limit=1000")
    assert len([item for item in found if item["id"].startswith("n-")]) == 5


def test_one_cluster_that_asks_many_times_is_one_cluster_with_one_valid_secret(
    busy: Server,
) -> None:
    secret = token(busy, max_uses=5)
    answers = at_once(lambda number: enrol(busy, secret, "oslo"))
    assert Counter(answer.status_code for answer in answers) == {201: 1, 200: AT_ONCE - 1}
    assert operator(busy, "GET", "/tokens/join")["uses"] == 1
    address = "/api/v2/flux/clusters/oslo.example.com/namespaces"
    statuses = [busy.get(address, answer.json()["token"]).status_code for answer in answers]
    assert Counter(statuses) == {200: 1, 401: AT_ONCE - 1}
