"""Flux Fleet as in production: both planes, on one PostgreSQL, with a role each."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.planes.conftest import READ_ONLY, SECRETS, SERVE
from tests.planes.postgres import Postgres, let_reader_read, make_fleet_database
from tests.processes import Server, free_port, running


@dataclass
class ReadPlane:
    """Stops and starts again, always at the same address: clusters know no other."""

    postgres: Postgres
    address: str = field(default_factory=lambda: f"127.0.0.1:{free_port()}")
    running: ExitStack = field(default_factory=ExitStack)

    @property
    def url(self) -> str:
        return f"http://{self.address}"

    def start(self) -> None:
        place = {
            **SECRETS,
            **READ_ONLY,
            "DATABASE_URL": self.postgres.url("fleet", "fleet_reader"),
            "LISTEN_ADDR": self.address,
        }
        self.running.enter_context(running(place, SERVE))

    def stop(self) -> None:
        self.running.close()


@contextmanager
def both_planes(postgres: Postgres, seed: Path) -> Iterator[tuple[Server, ReadPlane]]:
    """With a new database, and the roles that docs/operations.md has."""
    make_fleet_database(postgres)
    read = ReadPlane(postgres)
    place = {
        **SECRETS,
        "DATABASE_URL": postgres.url("fleet", "fleet"),
        "PUBLIC_API_URL": read.url,
        "SEED_FILE": str(seed),
    }
    with running(place) as crud:
        let_reader_read(postgres)
        read.start()
        try:
            yield crud, read
        finally:
            read.stop()
