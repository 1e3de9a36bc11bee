"""One cluster for all tests, with a Flux Operator that follows a Flux Fleet of their own."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.databases import suite_folder
from tests.e2e.bootstrap import connect
from tests.e2e.cluster import Cluster, running_cluster
from tests.e2e.control_plane import Programs, etcd
from tests.e2e.daemons import end_as_with_ctrl_c
from tests.e2e.fleet import Fleet
from tests.e2e.following import follows
from tests.e2e.planes import ReadPlane, both_planes
from tests.e2e.programs.found import find_programs
from tests.planes.postgres import Postgres, new_postgres
from tests.processes import Server

SEED = Path(__file__).parent / "fleet.json"
LOGS = pytest.StashKey[Path]()


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker("e2e")


def pytest_sessionstart() -> None:
    end_as_with_ctrl_c()


@pytest.fixture(scope="session")
def logs(pytestconfig: pytest.Config) -> Path:
    pytestconfig.stash[LOGS] = folder = Path(tempfile.mkdtemp(prefix="flux-fleet-e2e-"))
    return folder


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config
) -> None:
    """Logs are kept, with those of the planes, where a test has failed."""
    folder = config.stash.get(LOGS, None)
    if folder and exitstatus:
        for log in suite_folder().glob("*.log"):
            shutil.copy(log, folder)
        terminalreporter.write_line(f"The logs of this run are in {folder}")
    elif folder:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def programs() -> Programs:
    return find_programs()


@pytest.fixture(scope="session")
def etcd_url(programs: Programs, logs: Path) -> Iterator[str]:
    with etcd(programs, logs) as url:
        yield url


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with new_postgres() as started:
        yield started


@pytest.fixture(scope="session")
def planes(postgres: Postgres) -> Iterator[tuple[Server, ReadPlane]]:
    with both_planes(postgres, SEED) as started:
        yield started


@pytest.fixture(scope="session")
def read(planes: tuple[Server, ReadPlane]) -> ReadPlane:
    return planes[1]


@pytest.fixture(scope="session")
def fleet(planes: tuple[Server, ReadPlane]) -> Fleet:
    return Fleet(planes[0])


@pytest.fixture(scope="session")
def connected(programs: Programs, etcd_url: str, logs: Path, fleet: Fleet) -> Iterator[Cluster]:
    with running_cluster("berlin", programs, etcd_url, logs) as cluster:
        connect(cluster, fleet)
        follows(cluster, fleet)
        yield cluster


@pytest.fixture
def berlin(connected: Cluster, fleet: Fleet) -> Iterator[Cluster]:
    """In the state that the seed has; and again so after the test."""
    yield connected
    if fleet.changes:
        fleet.take_everything_back()
        follows(connected, fleet)
