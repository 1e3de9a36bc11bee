"""The commands of docs/operations.md, as they stand there."""

from pathlib import Path

import pytest

from tests.planes.commands import block_with, shell
from tests.planes.conftest import READ_ONLY, SERVE, Place, Planes
from tests.planes.polling import answers_of
from tests.planes.postgres import Postgres
from tests.processes import running


def check_restored(place: Place, expected: dict[str, bytes]) -> None:
    assert "no revision is missing" in shell(block_with("verify_history"), **place)
    with running({**place, **READ_ONLY}, SERVE) as restored:
        assert answers_of(restored) == expected


@pytest.mark.database("sqlite")
def test_sqlite(planes: Planes, tmp_path: Path) -> None:
    source = planes.place["DATABASE_URL"].removeprefix("sqlite://")
    backup, target = tmp_path / "backup", tmp_path / "fleet.sqlite3"
    shell(block_with("source.backup"), FLEET_FILE=source, BACKUP_FILE=str(backup))
    for name in (target, Path(f"{target}-wal"), Path(f"{target}-shm")):
        name.write_text("what was there before")
    shell(block_with("cp "), FLEET_FILE=str(target), BACKUP_FILE=str(backup))
    place = {**planes.place, "DATABASE_URL": f"sqlite://{target}"}
    check_restored(place, answers_of(planes.crud))


@pytest.mark.database("postgresql")
def test_postgres(postgres: Postgres, place: Place, tmp_path: Path) -> None:
    postgres.sql("CREATE DATABASE restored OWNER fleet")
    restored = {**place, "DATABASE_URL": postgres.url("restored", "fleet")}
    given = {
        **place,
        "RESTORED_URL": restored["DATABASE_URL"],
        "BACKUP_FILE": str(tmp_path / "backup"),
    }
    with running(place, SERVE) as crud:
        expected = answers_of(crud)
        shell(block_with("pg_dump"), **given)
    shell(block_with("pg_restore"), **given)
    check_restored(restored, expected)
