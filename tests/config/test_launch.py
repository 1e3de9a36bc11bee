import json
import re
import shlex
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import httpx
import pytest

from tests.processes import LAUNCH, Server, free_port, own_place, run, running

pytestmark = pytest.mark.slow

StartServer = Callable[..., Server]

DEMO = "clusters/demo-cluster-01.k8s.example.com/platform-components"
SEED = {
    "platform_components": [
        {
            "_id": "podinfo",
            "component_path": "podinfo",
            "component_version": "6.5.0",
            "cluster_env_enabled": False,
            "oci_url": "oci://registry.example.com/podinfo",
            "oci_tag": "v1.0.0",
            "depends_on": [],
        }
    ],
    "namespaces": [],
    "rolebindings": [],
    "clusters": [
        {
            "_id": "mine",
            "cluster_name": "mine",
            "cluster_dns": "mine.k8s.example.com",
            "environment": "dev",
            "platform_components": [
                {"id": "podinfo", "enabled": True, "oci_tag": None, "component_path": None}
            ],
            "namespaces": [],
            "rolebindings": [],
            "patches": {"podinfo": {"replicaCount": "2"}},
        }
    ],
}


# The same with any database, and each starts a server of its own: once is enough.
BY_THE_LAUNCHER_ALONE = pytest.mark.database("sqlite")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """What `make run` gives on a new machine."""
    with own_place(tmp_path_factory.mktemp("demo")) as place, running(place) as started:
        yield started


def place_of(server: Server) -> dict[str, str]:
    home = server.environment["FLUX_FLEET_HOME"]
    return {"FLUX_FLEET_HOME": home, "DATABASE_URL": server.database_url}


def beside(server: Server, **environment: str) -> AbstractContextManager[Server]:
    """Another server with the same home and database."""
    return running({**place_of(server), **environment})


@pytest.fixture
def seed_file(tmp_path: Path) -> Path:
    file = tmp_path / "seed.json"
    file.write_text(json.dumps(SEED))
    return file


def log_in(server: Server, password: str) -> httpx.Response:
    with httpx.Client(base_url=server.base_url, timeout=30) as browser:
        page = browser.get("/admin/login/?next=/admin/")
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
        assert token is not None
        form = {"csrfmiddlewaretoken": token[1], "username": "admin", "password": password}
        return browser.post("/admin/login/?next=/admin/", data=form)


def test_first_start_serves_the_demo_fleet(demo: Server) -> None:
    assert [item["id"] for item in demo.inputs(DEMO)] == ["cert-manager", "podinfo", "traefik"]
    assert demo.get("/ready").status_code == 200


def test_first_start_makes_secrets_that_only_their_owner_can_read(demo: Server) -> None:
    assert demo.secrets_file.parent.stat().st_mode & 0o777 == 0o700
    assert demo.secrets_file.stat().st_mode & 0o777 == 0o600
    values = [line.partition("=")[2] for line in demo.secrets_file.read_text().splitlines()]
    assert len(set(values)) == 4
    assert min(len(value) for value in values) >= 16


def test_banner_tells_all_that_one_needs(demo: Server) -> None:
    assert f"{demo.base_url}/admin/" in demo.output
    assert f"admin / {demo.secret('ADMIN_PASSWORD')}" in demo.output
    assert re.search(rf"Read token +{re.escape(demo.read_token)}\n", demo.output)
    assert re.search(rf"Write token +{re.escape(demo.write_token)}\n", demo.output)
    assert log_in(demo, demo.secret("ADMIN_PASSWORD")).status_code == 302


def test_commands_of_the_banner_work(demo: Server) -> None:
    commands = [line for line in demo.output.splitlines() if line.startswith("  curl ")]
    assert len(commands) == 2
    for command in commands:
        _, _, header, url = shlex.split(command)
        name, _, value = header.partition(": ")
        assert httpx.get(url, headers={name: value}, timeout=30).json()["inputs"]


def test_given_values_are_used_and_what_was_generated_is_kept(
    server: StartServer, seed_file: Path
) -> None:
    port = free_port()
    first = server(
        SEED_FILE=str(seed_file),
        LISTEN_ADDR=f"127.0.0.1:{port}",
        AUTH_TOKEN="t",
        CRUD_AUTH_TOKEN="w",
        ADMIN_PASSWORD="chosen by hand",
    )
    secrets, clusters = first.secrets_file.read_text(), first.inputs("clusters")

    (component,) = first.inputs("clusters/mine.k8s.example.com/platform-components")
    assert component["values"] == {"replicaCount": 2}
    assert first.base_url == f"http://127.0.0.1:{port}"
    assert first.get("/api/v2/flux/clusters", token="w").status_code == 200
    assert first.get("/api/v2/flux/clusters", token="x").status_code == 401
    assert "clusters/mine.k8s.example.com/platform-components" in first.output
    assert log_in(first, "chosen by hand").status_code == 302
    given = {"AUTH_TOKEN=t", "CRUD_AUTH_TOKEN=w", "ADMIN_PASSWORD=chosen by hand"}
    assert not given & set(secrets.splitlines())
    assert first.stop() == 0

    second = server()
    assert second.secrets_file.read_text() == secrets
    assert second.inputs("clusters") == clusters
    assert "Applying" not in second.output
    assert "Import" not in second.output
    assert "admin / the password that you chose" in second.output


@pytest.mark.database("sqlite")
def test_sqlite_is_in_the_home_by_default(demo: Server) -> None:
    assert (demo.secrets_file.parent / "fleet.sqlite3").is_file()


@pytest.mark.database("postgresql")
def test_postgres_serves_what_sqlite_serves(demo: Server, tmp_path: Path) -> None:
    assert demo.environment["DATABASE_URL"].startswith("postgresql://")
    with beside(demo, DATABASE_URL=f"sqlite://{tmp_path}/fleet.sqlite3?mode=rwc") as on_sqlite:
        for path in ("clusters", DEMO):
            assert on_sqlite.inputs(path) == demo.inputs(path)


@BY_THE_LAUNCHER_ALONE
def test_port_in_use_is_said_before_anything_is_done(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = f"127.0.0.1:{other.getsockname()[1]}"
        result = run(LAUNCH, FLUX_FLEET_HOME=str(tmp_path), LISTEN_ADDR=taken)
    assert (result.returncode, result.stdout, result.stderr) == (
        2,
        "",
        f"error: LISTEN_ADDR is {taken!r}, which is in use by another program; "
        "it must name a free address of this machine.\n",
    )


@BY_THE_LAUNCHER_ALONE
def test_host_of_another_machine_is_refused(tmp_path: Path) -> None:
    result = run(LAUNCH, FLUX_FLEET_HOME=str(tmp_path), LISTEN_ADDR="192.0.2.1:8080")
    assert result.returncode == 2
    assert result.stderr.startswith(
        "error: LISTEN_ADDR is '192.0.2.1:8080', which cannot be used (Cannot assign"
    )
    assert "Traceback" not in result.stderr


@BY_THE_LAUNCHER_ALONE
def test_database_that_does_not_answer_is_named_without_its_password(tmp_path: Path) -> None:
    port = free_port()
    result = run(
        LAUNCH,
        FLUX_FLEET_HOME=str(tmp_path),
        LISTEN_ADDR=f"127.0.0.1:{free_port()}",
        DATABASE_URL=f"postgres://fleet:hunter2@127.0.0.1:{port}/fleet",
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(
        f"error: The database postgres://fleet@127.0.0.1:{port}/fleet cannot be used: "
    )
    assert result.stderr.endswith("DATABASE_URL must name one that we may write to.\n")
    assert result.stderr.count("\n") == 1
    assert "hunter2" not in result.stderr


@BY_THE_LAUNCHER_ALONE
def test_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear reader, " * 100)
    result = run(
        LAUNCH,
        FLUX_FLEET_HOME=str(tmp_path / "home"),
        LISTEN_ADDR=f"127.0.0.1:{free_port()}",
        DATABASE_URL=f"sqlite://{file}",
    )
    assert result.returncode == 2
    assert result.stderr == (
        f"error: The database sqlite://{file} cannot be used: file is not a database; "
        "DATABASE_URL must name one that we may write to.\n"
    )


@BY_THE_LAUNCHER_ALONE
def test_refused_seed_stops_the_start_and_is_tried_again(tmp_path: Path, seed_file: Path) -> None:
    good = seed_file.read_text()
    seed_file.write_text(good.replace('"environment": "dev"', '"environment": "Not a name"'))
    with own_place(tmp_path) as place:
        given = {**place, "SEED_FILE": str(seed_file), "LISTEN_ADDR": f"127.0.0.1:{free_port()}"}
        refused = run(LAUNCH, **given)
        assert refused.returncode == 2
        assert f"error: SEED_FILE {seed_file} is refused.\n" in refused.stderr
        assert "clusters" in refused.stderr
        assert "Traceback" not in refused.stderr
        assert "curl" not in refused.stdout

        seed_file.write_text(good)
        with running(given) as started:
            assert [item["id"] for item in started.inputs("clusters")] == ["mine"]


@BY_THE_LAUNCHER_ALONE
def test_memory_is_served_and_then_gone(server: StartServer, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    started = server(
        STORE_BACKEND="memory", DATABASE_URL="", TMPDIR=str(temporary), WEB_CONCURRENCY="2"
    )

    assert all(len(started.inputs(DEMO)) == 3 for _ in range(10))
    assert len(list(temporary.glob("flux-fleet-*"))) == 1
    assert started.stop() == 0
    assert not list(temporary.glob("flux-fleet-*"))
    assert not list(Path(started.environment["FLUX_FLEET_HOME"]).glob("*.sqlite3"))


@BY_THE_LAUNCHER_ALONE
def test_memory_of_a_start_that_fails_is_gone(tmp_path: Path, seed_file: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    seed_file.write_text("no JSON")
    result = run(
        LAUNCH,
        STORE_BACKEND="memory",
        TMPDIR=str(temporary),
        SEED_FILE=str(seed_file),
        FLUX_FLEET_HOME=str(tmp_path / "home"),
        LISTEN_ADDR=f"127.0.0.1:{free_port()}",
    )
    assert result.returncode == 2
    assert "is not JSON" in result.stderr
    assert not list(temporary.iterdir())


@BY_THE_LAUNCHER_ALONE
def test_read_only_memory_serves_its_seed(server: StartServer, seed_file: Path) -> None:
    started = server(STORE_BACKEND="memory", API_MODE="read-only", SEED_FILE=str(seed_file))
    assert [item["id"] for item in started.inputs("clusters")] == ["mine"]


def test_replica_serves_the_fleet_and_no_admin(demo: Server) -> None:
    with beside(demo, API_MODE="read-only") as replica:
        assert "Admin" not in replica.output
        assert "Write token" not in replica.output
        assert replica.inputs(DEMO) == demo.inputs(DEMO)
        assert replica.get("/admin/").status_code == 404


def test_replica_does_not_migrate(server: StartServer) -> None:
    replica = server(API_MODE="read-only")

    assert replica.get("/health").status_code == 200
    assert replica.get("/ready").status_code == 503
    assert replica.get(f"/api/v2/flux/{DEMO}").status_code >= 500
    assert "Applying" not in replica.output


def test_replica_with_given_secrets_writes_nothing(demo: Server, tmp_path: Path) -> None:
    given = {"SECRET_KEY": "k", "AUTH_TOKEN": "t", "FLUX_FLEET_HOME": str(tmp_path / "none")}
    with beside(demo, API_MODE="read-only", **given) as replica:
        assert len(replica.inputs(DEMO)) == 3
    assert not (tmp_path / "none").exists()


def test_manage_finds_the_secrets_of_the_launcher(demo: Server) -> None:
    result = run((sys.executable, "manage.py", "check"), **place_of(demo))
    assert result.returncode == 0, result.stderr


@BY_THE_LAUNCHER_ALONE
@pytest.mark.parametrize(("trusted", "status"), [("127.0.0.1", 200), ("192.0.2.1", 301)])
def test_https_only_believes_only_the_trusted_proxy(
    demo: Server, trusted: str, status: int
) -> None:
    with beside(demo, HTTPS_ONLY="true", FORWARDED_ALLOW_IPS=trusted) as started:
        login = f"{started.base_url}/admin/login/"
        by_proxy = httpx.get(login, headers={"X-Forwarded-Proto": "https"}, timeout=30)
        assert by_proxy.status_code == status
        directly = httpx.get(login, timeout=30)
        assert (directly.status_code, directly.headers["Location"][:8]) == (301, "https://")
        assert started.get("/health").status_code == 200
        assert started.get("/api/v2/flux/clusters").status_code == 200
        assert "HTTPS_ONLY is on" in started.output
