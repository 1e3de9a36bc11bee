"""Real server processes, each with its own port; stopped whatever happens in the test."""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

from config.environment import BASE_DIR
from tests.databases import fresh_database, suite_folder

LAUNCH = (sys.executable, "-m", "config.launch")
START_SECONDS = 60
STOP_SECONDS = 20


@dataclass(frozen=True)
class Server:
    base_url: str
    environment: Mapping[str, str]
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def read_token(self) -> str:
        return self.secret("AUTH_TOKEN")

    @property
    def write_token(self) -> str:
        return self.secret("CRUD_AUTH_TOKEN")

    @property
    def secrets_file(self) -> Path:
        return Path(self.environment["FLUX_FLEET_HOME"]) / "secrets.env"

    @property
    def database_url(self) -> str:
        home = self.environment["FLUX_FLEET_HOME"]
        return self.environment["DATABASE_URL"] or f"sqlite://{home}/fleet.sqlite3"

    @property
    def output(self) -> str:
        return self.log.read_text()

    def workers(self) -> list[int]:
        """The process ids of all that were started, the newest last."""
        return [int(pid) for pid in re.findall(r"Booting worker with pid: (\d+)", self.output)]

    def secret(self, name: str) -> str:
        """As given to the server, or else as it generated it."""
        if name in self.environment:
            return self.environment[name]
        lines = self.secrets_file.read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)[name]

    def get(self, path: str, token: str | None = None) -> httpx.Response:
        token = self.read_token if token is None else token
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.get(self.base_url + path, headers=headers, timeout=30)

    def inputs(self, path: str) -> list[dict]:
        response = self.get(f"/api/v2/flux/{path}")
        assert response.status_code == 200, response.text
        return response.json()["inputs"]

    def stop(self) -> int:
        """As Ctrl-C does, and by force what does not listen. Returns the exit status."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
        return self.process.wait()


def environment_with(given: Mapping[str, str]) -> dict[str, str]:
    """Nothing of the developer's own environment but what Python and the system need."""
    names = ("PATH", "HOME", "TMPDIR", "PYTHONPATH")
    kept = {name: os.environ[name] for name in names if name in os.environ}
    return {**kept, **given}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def own_place(folder: Path) -> Iterator[dict[str, str]]:
    """The environment of servers that share a home in this folder and a database of their own."""
    with fresh_database() as url:
        yield {"FLUX_FLEET_HOME": str(folder / "home"), "DATABASE_URL": url}


@contextmanager
def running(environment: Mapping[str, str], command: tuple[str, ...] = LAUNCH) -> Iterator[Server]:
    """A server that answers /health, on a free port unless LISTEN_ADDR is given."""
    defaults = {"LISTEN_ADDR": f"127.0.0.1:{free_port()}", "WEB_CONCURRENCY": "1"}
    descriptor, name = tempfile.mkstemp(prefix="server-", suffix=".log", dir=suite_folder())
    os.close(descriptor)
    whole = environment_with({**defaults, **environment})
    with serving(command, whole, folder=BASE_DIR, log=Path(name)) as server:
        yield server


@contextmanager
def serving(
    command: Sequence[str], environment: Mapping[str, str], *, folder: Path, log: Path
) -> Iterator[Server]:
    """With exactly this environment, which says where it listens."""
    with log.open("wb") as stream:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    server = Server(f"http://{environment['LISTEN_ADDR']}", environment, process, log)
    try:
        wait_until_healthy(server)
        yield server
    finally:
        server.stop()


def wait_until_healthy(server: Server) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.process.poll() is None:
        with suppress(httpx.TransportError):
            if httpx.get(f"{server.base_url}/health", timeout=5).status_code == 200:
                return
        time.sleep(0.05)
    raise AssertionError(f"The server did not start:\n{server.output}")


def run(command: tuple[str, ...], **environment: str) -> subprocess.CompletedProcess[str]:
    """A command that is expected to end by itself."""
    return subprocess.run(
        command,
        cwd=BASE_DIR,
        env=environment_with(environment),
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
        check=False,
    )
