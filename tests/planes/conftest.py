from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.planes.postgres import Postgres, new_postgres
from tests.processes import running


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with new_postgres() as started:
        yield started


@pytest.fixture(scope="module")
def place(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A home and a database with the demo fleet, made by a server with API_MODE=crud."""
    postgres.sql("CREATE DATABASE fleet")
    home: Path = tmp_path_factory.mktemp("planes") / "home"
    place = {"FLUX_FLEET_HOME": str(home), "DATABASE_URL": postgres.url("fleet")}
    with running(place):
        return place
