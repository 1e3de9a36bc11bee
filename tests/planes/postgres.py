"""PostgreSQL servers that a test may stop, freeze and kill: each a process of its own."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from tests.databases import postgres_programs
from tests.docs.blocks import blocks_of
from tests.processes import free_port

START_SECONDS = 30
# Nothing here has to survive a power failure.
SETTINGS = (
    *("fsync=off", "full_page_writes=off", "max_wal_senders=4", "shared_buffers=16MB"),
    # A standby asks soon again for a primary that was away.
    "wal_retrieve_retry_interval=200ms",
)


@dataclass
class Postgres:
    folder: Path
    user: str | None
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def url(self, database: str = "postgres", role: str = "postgres") -> str:
        return f"postgres://{role}@127.0.0.1:{self.port}/{database}"

    def run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [postgres_programs() / program, *arguments],
            user=self.user,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def sql(self, statement: str, database: str = "postgres") -> Any:
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else None

    def start(self) -> None:
        settings = [part for setting in SETTINGS for part in ("-c", setting)]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                # No socket in the file system: its path would be too long for one.
                [
                    *(postgres_programs() / "postgres", "-D", self.data, "-k", ""),
                    *("-h", "127.0.0.1", "-p", str(self.port), *settings),
                ],
                user=self.user,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.wait_until_it_answers()

    def wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            with suppress(psycopg.OperationalError):
                self.sql("SELECT 1")
                return
            time.sleep(0.05)
        raise AssertionError((self.folder / "log").read_text())

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """SIGQUIT is `pg_ctl stop -m immediate`; SIGKILL is a crash."""
        if self.process:
            # One that is frozen would never hear it.
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(how)
            self.process.wait(START_SECONDS)
            self.process = None

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """It still accepts connections, as its kernel does, but never answers."""
        assert self.process
        backends = [pid for [pid] in self.sql("SELECT pid FROM pg_stat_activity")]
        processes = [self.process.pid, *backends]
        try:
            send(signal.SIGSTOP, processes)
            yield
        finally:
            send(signal.SIGCONT, processes)


def send(what: signal.Signals, processes: list[int]) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, what)


@contextmanager
def new_postgres() -> Iterator[Postgres]:
    with empty_postgres() as postgres:
        postgres.run("initdb", "-D", str(postgres.data), "-U", "postgres", "-A", "trust", "-N")
        postgres.start()
        yield postgres


def make_fleet_database(postgres: Postgres) -> None:
    """Empty, for its owner `fleet`."""
    for statement in ("CREATE ROLE fleet LOGIN", "CREATE DATABASE fleet OWNER fleet"):
        postgres.sql(statement)


def let_reader_read(postgres: Postgres) -> None:
    """Makes the role `fleet_reader` as docs/operations.md does, once the tables are there."""
    [grants] = blocks_of("operations.md", "sql")
    postgres.sql(grants, "fleet")


@contextmanager
def standby_of(primary: Postgres) -> Iterator[Postgres]:
    with empty_postgres() as standby:
        standby.run(
            "pg_basebackup",
            *("--pgdata", str(standby.data), "--write-recovery-conf", "--checkpoint=fast"),
            *("--dbname", primary.url(), "--no-sync"),
        )
        standby.start()
        yield standby


@contextmanager
def empty_postgres() -> Iterator[Postgres]:
    """PostgreSQL refuses to run as root: then it gets the user that pgserver makes for it."""
    folder = Path(tempfile.mkdtemp(prefix="flux-fleet-postgres-"))
    user = "pgserver" if os.geteuid() == 0 else None
    if user:
        shutil.chown(folder, user)
    postgres = Postgres(folder, user)
    try:
        yield postgres
    finally:
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)
