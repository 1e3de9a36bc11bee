"""The real program against a real server, with the demo fleet and a configuration of its own."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from config.environment import BASE_DIR
from fleet_cli.main import run
from tests.processes import Server, environment_with, own_place, running

PROGRAM = (sys.executable, "-m", "fleet_cli")


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    def ok(self) -> "Done":
        assert self.code == 0, self.err
        return self


Cli = Callable[..., Done]


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker("slow")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with own_place(tmp_path_factory.mktemp("site")) as place, running(place) as server:
        yield server


@pytest.fixture
def variables(site: Server, tmp_path: Path) -> dict[str, str]:
    return {
        "FLUX_API_URL": site.base_url,
        "FLUX_API_TOKEN": site.read_token,
        "FLUX_API_WRITE_TOKEN": site.write_token,
        "FLUX_FLEET_CONFIG": str(tmp_path / "config.yaml"),
    }


@pytest.fixture
def process(variables: dict[str, str]) -> Cli:
    """`flux-fleet …` as a process of its own, without a terminal."""
    return lambda *arguments, **options: as_process(arguments, variables, **options)


def as_process(
    arguments: tuple[str, ...],
    variables: Mapping[str, str],
    *,
    stdin: str = "",
    folder: Path = BASE_DIR,
    **more: str,
) -> Done:
    environment = environment_with({**variables, "PYTHONPATH": str(BASE_DIR), **more})
    done = subprocess.run(
        [*PROGRAM, *arguments],
        env=environment,
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def cli(
    variables: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Cli:
    """The same inside this process, where a new one would add nothing but its start."""
    monkeypatch.delenv("COLUMNS", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    def call(*arguments: str, **more: str) -> Done:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in more.items():
                patch.setenv(name, value)
            code = run(list(arguments))
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return call


@pytest.fixture
def api(site: Server) -> Iterator[httpx.Client]:
    """Looks behind the program's back."""
    headers = {"Authorization": f"Bearer {site.write_token}"}
    with httpx.Client(base_url=site.base_url, headers=headers, timeout=60) as client:
        yield client


@pytest.fixture
def newest(api: httpx.Client) -> Callable[[], dict[str, Any]]:
    """The newest revision: the same one as before means that nothing was changed."""
    return lambda: api.get("/revisions?limit=1").json()[0]


@pytest.fixture
def unchanged(newest: Callable[[], dict[str, Any]]) -> Iterator[None]:
    """For tests of what must change nothing."""
    before = newest()
    yield
    assert newest() == before


@pytest.fixture
def cluster(api: httpx.Client, request: pytest.FixtureRequest) -> Iterator[str]:
    """A cluster of the test's own, in qa, with a label of its own."""
    name = f"t{abs(hash(request.node.nodeid)) % 10**9}"
    made = api.post(
        "/clusters",
        json={
            "id": name,
            "cluster_name": name,
            "cluster_dns": f"{name}.example.com",
            "environment": "qa",
            "labels": {"test": name},
            "platform_components": [{"id": "podinfo"}],
            "namespaces": [{"id": "podinfo"}],
        },
    )
    assert made.status_code == 201, made.text
    yield name
    for _ in range(2):
        api.delete(f"/clusters/{name}")


@pytest.fixture
def on_path(variables: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """The environment of a shell that finds `flux-fleet`, as after an installation."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "flux-fleet"
    program.write_text(f'#!/bin/sh\nexec {" ".join(PROGRAM)} "$@"\n')
    program.chmod(0o755)
    python = Path(sys.executable).parent
    return environment_with(
        {**variables, "PYTHONPATH": str(BASE_DIR), "PATH": f"{folder}:{python}:/usr/bin:/bin"}
    )
