"""The examples set variables that there are, and all that their servers need."""

import re
from typing import Any

import pytest
import yaml

from config.environment import BASE_DIR
from tests.databases import postgres_programs
from tests.planes.conftest import READ_ONLY, SECRETS, SERVE
from tests.planes.postgres import Postgres, new_postgres
from tests.processes import run, running

DEPLOY = BASE_DIR / "deploy"
KNOWN = set(
    re.findall(r"^\| `([A-Z_]+)` \|", (BASE_DIR / "docs/configuration.md").read_text(), re.M)
)
NEEDED = {"SECRET_KEY", "AUTH_TOKEN", "DATABASE_URL", "ALLOWED_HOSTS", "HTTPS_ONLY", "API_MODE"}
ON_CRUD = {"CRUD_AUTH_TOKEN", "PUBLIC_API_URL"}


def objects(name: str) -> dict[tuple[str, str], dict[str, Any]]:
    documents = yaml.safe_load_all((DEPLOY / "kubernetes" / f"{name}.yaml").read_text())
    return {(item["kind"], item["metadata"]["name"]): item for item in documents}


def variables(container: dict[str, Any]) -> set[str]:
    given = {item["name"] for item in container["env"]}
    sources = {**objects("settings"), **objects("secrets.example")}
    for source in container["envFrom"]:
        kind, name = (
            ("ConfigMap", source["configMapRef"]["name"])
            if "configMapRef" in source
            else ("Secret", source["secretRef"]["name"])
        )
        found = sources[kind, name]
        given |= set(found.get("data", {})) | set(found.get("stringData", {}))
    return given


def in_kubernetes(file: str, kind: str, name: str) -> set[str]:
    [container] = objects(file)[kind, name]["spec"]["template"]["spec"]["containers"]
    return variables(container)


def in_compose(name: str) -> set[str]:
    compose = yaml.safe_load((DEPLOY / "compose" / "compose.yaml").read_text())
    return set(compose["services"][name]["environment"])


PLACES = {
    "crud in Kubernetes": (in_kubernetes("crud", "Deployment", "flux-fleet"), ON_CRUD),
    "read in Kubernetes": (in_kubernetes("read", "Deployment", "flux-fleet-read"), set()),
    "crud in compose": (in_compose("crud"), {*ON_CRUD, "ADMIN_PASSWORD"}),
    "read in compose": (in_compose("read"), set()),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_server_gets_what_it_needs_and_nothing_unknown(place: str) -> None:
    given, beside = PLACES[place]
    assert given <= KNOWN
    assert given >= NEEDED | beside


@pytest.mark.parametrize("place", ["read in Kubernetes", "read in compose"])
def test_the_read_plane_has_no_secret_of_the_other(place: str) -> None:
    assert not PLACES[place][0] & {"CRUD_AUTH_TOKEN", "ADMIN_PASSWORD"}


def test_the_job_gets_what_it_needs() -> None:
    given = in_kubernetes("prepare", "Job", "flux-fleet-prepare")
    assert given <= KNOWN
    assert given >= {
        "DATABASE_URL",
        "SECRET_KEY",
        "AUTH_TOKEN",
        "CRUD_AUTH_TOKEN",
        "ADMIN_PASSWORD",
    }


def test_every_variable_of_compose_is_in_the_example() -> None:
    folder = DEPLOY / "compose"
    used = set(re.findall(r"\$\{([A-Z_]+)", (folder / "compose.yaml").read_text()))
    assert used == set(re.findall(r"^([A-Z_]+)=", (folder / "example.env").read_text(), re.M))


@pytest.fixture(scope="module")
def postgres():
    with new_postgres() as started:
        yield started


@pytest.mark.slow
def test_the_role_that_compose_makes_reads_what_the_crud_plane_makes(postgres: Postgres) -> None:
    for statement in ("CREATE ROLE fleet LOGIN SUPERUSER", "CREATE DATABASE fleet OWNER fleet"):
        postgres.sql(statement)
    made = run(
        ("sh", str(DEPLOY / "compose" / "make-reader.sh")),
        PATH=f"{postgres_programs()}:/usr/bin:/bin",
        PGHOST="127.0.0.1",
        PGPORT=str(postgres.port),
        POSTGRES_USER="fleet",
        POSTGRES_DB="fleet",
        READER_PASSWORD="it's \\ a password",
    )
    assert made.returncode == 0, made.stderr
    with running({**SECRETS, "DATABASE_URL": postgres.url("fleet", "fleet")}):
        pass
    reader = {**SECRETS, **READ_ONLY, "DATABASE_URL": postgres.url("fleet", "fleet_reader")}
    with running(reader, SERVE) as server:
        assert server.inputs("clusters/demo-cluster-01.k8s.example.com/namespaces")
    [[writes]] = postgres.sql(
        "SELECT count(*) FROM information_schema.role_table_grants "
        "WHERE grantee = 'fleet_reader' AND privilege_type <> 'SELECT'",
        "fleet",
    )
    assert writes == 0
