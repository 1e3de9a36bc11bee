"""The steps of deploy/Dockerfile in a new virtual environment, and the server that comes out."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.environment import BASE_DIR
from tests.deploy.dockerfile import Image, instructions
from tests.planes.conftest import SECRETS
from tests.processes import Server, free_port, serving

DOCKERFILE = (BASE_DIR / "deploy" / "Dockerfile").read_text()

# Nothing of it is about the database.
pytestmark = [pytest.mark.slow, pytest.mark.database("sqlite")]


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    folder = Path(tempfile.mkdtemp(prefix="flux-fleet-image-"))
    folder.chmod(0o755)
    made = Image(folder)
    made.build(DOCKERFILE)
    made.files = files_of(made)
    yield made
    shutil.rmtree(folder)


def files_of(image: Image) -> set[Path]:
    return {path.relative_to(image.root) for path in image.root.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def server(image: Image) -> Iterator[Server]:
    environment = {**image.environment, **SECRETS, "LISTEN_ADDR": f"127.0.0.1:{free_port()}"}
    command, log = image.program(image.command), image.root / "log"
    with serving(command, environment, folder=image.workdir, log=log) as started:
        yield started


def test_it_serves_the_flux_endpoints(server: Server) -> None:
    assert server.inputs("clusters/demo-cluster-01.k8s.example.com/platform-components")


def test_it_serves_the_admin_with_its_styles(server: Server) -> None:
    page = server.get("/admin/login/", token="")
    assert page.status_code == 200
    assert server.get("/static/fleet.css", token="").status_code == 200


def test_it_serves_the_manifests(server: Server) -> None:
    answer = server.get("/clusters/demo-cluster-01/bootstrap.yaml")
    assert answer.status_code == 200
    assert "kind: ResourceSet" in answer.text


def test_its_check_of_health_succeeds_while_it_runs(image: Image, server: Server) -> None:
    assert health(image, server.base_url) == 0


def test_its_check_of_health_fails_where_nothing_runs(image: Image) -> None:
    assert health(image, f"http://127.0.0.1:{free_port()}") != 0


def health(image: Image, base_url: str) -> int:
    """Asks at the port of the image; here that may be another program's."""
    assert any("http://127.0.0.1:8080/health" in part for part in image.health)
    command = [part.replace("http://127.0.0.1:8080", base_url) for part in image.health]
    done = subprocess.run(
        image.program(command), env=image.environment, capture_output=True, check=False
    )
    return done.returncode


def test_it_writes_nothing_but_its_data(image: Image, server: Server) -> None:
    """Its file system may be read-only, and it may be any user who owns /data."""
    server.get("/admin/login/", token="")
    server.get("/docs", token="")
    server.get("/metrics")
    assert {path.parts[0] for path in files_of(image) - image.files} == {"data", "log"}


def test_it_does_not_run_as_root() -> None:
    [user] = [rest for name, rest in instructions(DOCKERFILE) if name == "USER"]
    assert user == "10001:10001"
