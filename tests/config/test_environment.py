import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from config.databases import database_config
from config.environment import BASE_DIR, Address, ConfigurationError, Environment
from tests.processes import LAUNCH, run

MANAGE = (sys.executable, "manage.py", "check")
GUNICORN = (sys.executable, "-m", "gunicorn", "-c", "config/gunicorn.py")

NOT_SQLITE = "a SQLite address is sqlite:///path or sqlite://path?mode=rwc."
NOT_POSTGRES = (
    "DATABASE_URL is not an address that we can read; "
    "it must look like postgres://user:password@host:5432/name."
)


WRONG_WEB = (
    "PUBLIC_API_URL must be an address such as https://fleet.example.com, "
    "without user, query or fragment."
)


def database(env: Environment, *, read_only: bool = False) -> dict[str, Any]:
    return database_config(env, read_only=read_only, memory_path=Path("/nowhere"))


def mode(env: Environment) -> str:
    return env.choice("API_MODE", ("crud", "read-only"), "crud")


def address(env: Environment) -> Address:
    return env.address("LISTEN_ADDR", "127.0.0.1:8080")


def guard(env: Environment) -> int:
    return env.number("GUARD_CLUSTERS", 5, least=0, most=1000)


def public(env: Environment) -> str:
    return env.web_address("PUBLIC_API_URL")


def wrong_address(value: str) -> str:
    return f"LISTEN_ADDR is {value!r}; it must be HOST:PORT, for example 127.0.0.1:8080."


def wrong_guard(value: str) -> str:
    return f"GUARD_CLUSTERS is {value!r}; it must be a whole number from 0 to 1000."


@pytest.mark.parametrize(
    ("read", "name", "value", "sentence"),
    [
        (mode, "API_MODE", "Write", "API_MODE is 'Write'; it must be one of: crud, read-only."),
        (
            mode,
            "API_MODE",
            "readonly",
            "API_MODE is 'readonly'; it must be one of: crud, read-only.",
        ),
        (
            lambda env: env.flag("DEBUG", False),
            "DEBUG",
            "maybe",
            "DEBUG is 'maybe'; it must be true or false.",
        ),
        (guard, "GUARD_CLUSTERS", "-1", wrong_guard("-1")),
        (guard, "GUARD_CLUSTERS", "1001", wrong_guard("1001")),
        (guard, "GUARD_CLUSTERS", "five", wrong_guard("five")),
        (guard, "GUARD_CLUSTERS", "\u0665", wrong_guard("\u0665")),
        pytest.param(
            guard, "GUARD_CLUSTERS", "9" * 5000, wrong_guard("9" * 5000), id="5000 digits"
        ),
        (address, "LISTEN_ADDR", "8080", wrong_address("8080")),
        (address, "LISTEN_ADDR", ":8080", wrong_address(":8080")),
        (address, "LISTEN_ADDR", "localhost", wrong_address("localhost")),
        (address, "LISTEN_ADDR", "localhost:http", wrong_address("localhost:http")),
        (address, "LISTEN_ADDR", "localhost:0", wrong_address("localhost:0")),
        (address, "LISTEN_ADDR", "localhost:65536", wrong_address("localhost:65536")),
        (address, "LISTEN_ADDR", "::1:8080", wrong_address("::1:8080")),
        (address, "LISTEN_ADDR", "[]:8080", wrong_address("[]:8080")),
        *(
            (public, "PUBLIC_API_URL", wrong, WRONG_WEB)
            for wrong in (
                "fleet.example.com",
                "ftp://fleet.example.com",
                "https://",
                "https://:443",
                "https://fleet.example.com:port",
                "https://user:secret@fleet.example.com",
                "https://fleet.example.com?a=b",
                "https://fleet.example.com#a",
                'https://fleet.example.com/"',
                "https://fleet .example.com",
                "https://[::1",
            )
        ),
        (
            lambda env: env.existing_file("SEED_FILE"),
            "SEED_FILE",
            "/no/such/file.json",
            "SEED_FILE is '/no/such/file.json'; it must name a file that exists.",
        ),
        (
            lambda env: env.existing_file("SEED_FILE"),
            "SEED_FILE",
            "/",
            "SEED_FILE is '/'; it must name a file that exists.",
        ),
        (
            database,
            "STORE_BACKEND",
            "redis",
            "STORE_BACKEND is 'redis'; it must be one of: sqlite, memory.",
        ),
        (
            database,
            "DATABASE_URL",
            "mysql://root:secret@host/name",
            "DATABASE_URL must start with sqlite:// or postgres://.",
        ),
        (
            database,
            "DATABASE_URL",
            "fleet.sqlite3",
            "DATABASE_URL must start with sqlite:// or postgres://.",
        ),
        (database, "DATABASE_URL", "sqlite://", f"DATABASE_URL is 'sqlite://'; {NOT_SQLITE}"),
        (database, "DATABASE_URL", "sqlite:///", f"DATABASE_URL is 'sqlite:///'; {NOT_SQLITE}"),
        (
            database,
            "DATABASE_URL",
            "sqlite:///a.db?mode=ro",
            f"DATABASE_URL is 'sqlite:///a.db?mode=ro'; {NOT_SQLITE}",
        ),
        (
            database,
            "DATABASE_URL",
            "sqlite:///a.db?cache=shared",
            f"DATABASE_URL is 'sqlite:///a.db?cache=shared'; {NOT_SQLITE}",
        ),
        (
            database,
            "DATABASE_URL",
            "sqlite://:memory:",
            "DATABASE_URL names no file; for a store in memory set STORE_BACKEND=memory.",
        ),
        (
            database,
            "DATABASE_URL",
            "sqlite:///usr",
            "DATABASE_URL is 'sqlite:///usr'; it names a folder, not a file.",
        ),
        (database, "DATABASE_URL", "postgres://", NOT_POSTGRES),
        (database, "DATABASE_URL", "postgres://user:secret@host", NOT_POSTGRES),
        (database, "DATABASE_URL", "postgres://user:secret@host:port/name", NOT_POSTGRES),
    ],
)
def test_wrong_value_is_refused(
    read: Callable[[Environment], Any], name: str, value: str, sentence: str
) -> None:
    with pytest.raises(ConfigurationError) as refusal:
        read(Environment({name: value}))
    assert str(refusal.value) == sentence
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("read", "values", "expected"),
    [
        (mode, {}, "crud"),
        (mode, {"API_MODE": "  "}, "crud"),
        (mode, {"API_MODE": " Read-Only "}, "read-only"),
        (guard, {"GUARD_CLUSTERS": "0"}, 0),
        (lambda env: env.flag("DEBUG", True), {"DEBUG": "off"}, False),
        (lambda env: env.words("AUTH_TOKEN"), {"AUTH_TOKEN": "new, old,"}, ["new", "old"]),
        (address, {}, Address("127.0.0.1", 8080)),
        (address, {"LISTEN_ADDR": "[::1]:80"}, Address("[::1]", 80)),
        (address, {"LISTEN_ADDR": "LocalHost:80"}, Address("localhost", 80)),
        (public, {}, ""),
        (public, {"PUBLIC_API_URL": "https://fleet.example.com/"}, "https://fleet.example.com"),
        (public, {"PUBLIC_API_URL": "http://[::1]:8080/a"}, "http://[::1]:8080/a"),
        (lambda env: env.home(), {}, BASE_DIR / ".local"),
        (lambda env: env.home(), {"FLUX_FLEET_HOME": "/srv/fleet"}, Path("/srv/fleet")),
    ],
)
def test_value_is_read(
    read: Callable[[Environment], Any], values: dict[str, str], expected: Any
) -> None:
    assert read(Environment(values)) == expected


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("[::1]", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("[::]", False),
        ("192.0.2.1", False),
        ("localhost.example.com", False),
    ],
)
def test_loopback(host: str, loopback: bool) -> None:
    assert Address(host, 8080).is_loopback is loopback


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///usr/a.db", "/usr/a.db"),
        ("sqlite:////usr/a.db", "/usr/a.db"),
        ("sqlite://tests/a.db?mode=rwc", f"{BASE_DIR}/tests/a.db"),
        ("sqlite:///usr/a%20b.db", "/usr/a b.db"),
    ],
)
def test_sqlite_address(url: str, path: str) -> None:
    name = database(Environment({"DATABASE_URL": url}))["NAME"]
    assert Path(name).resolve() == Path(path)


def test_sqlite_lives_in_the_home_by_default(tmp_path: Path) -> None:
    config = database(Environment({"FLUX_FLEET_HOME": str(tmp_path / "home")}))
    assert config["NAME"] == str(tmp_path / "home" / "fleet.sqlite3")
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700


def test_sqlite_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError) as refusal:
        database(Environment({"DATABASE_URL": f"sqlite://{tmp_path}/file/folder/a.db"}))
    assert str(refusal.value) == (
        f"The folder {tmp_path}/file/folder cannot be made (Not a directory); "
        "DATABASE_URL or FLUX_FLEET_HOME must name a place that can be written to."
    )


def test_sqlite_of_a_replica_is_opened_for_reading() -> None:
    env = Environment({"DATABASE_URL": "sqlite:///usr/a%3Fb.db"})
    assert database(env, read_only=True)["NAME"] == "file:///usr/a%3Fb.db?mode=ro"


def test_postgres_of_a_replica_is_opened_for_reading() -> None:
    env = Environment({"DATABASE_URL": "postgres://u:p%40ss@host:5433/fleet?sslmode=require"})
    config = database(env, read_only=True)
    assert config["PASSWORD"] == "p@ss"
    assert config["PORT"] == 5433
    assert config["OPTIONS"] == {
        "sslmode": "require",
        "connect_timeout": 2,
        "options": "-c statement_timeout=5000 -c TimeZone=UTC -c lock_timeout=2000 "
        "-c default_transaction_read_only=on",
        "prepare_threshold": 5,
    }
    assert config["REQUEST_SECONDS"] == 6


@pytest.mark.parametrize(
    ("command", "status"),
    [(MANAGE, 1), (LAUNCH, 2), (GUNICORN, 2)],
    ids=["manage", "launch", "gunicorn"],
)
@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("API_MODE", "write", "API_MODE is 'write'; it must be one of: crud, read-only."),
        ("LISTEN_ADDR", "nowhere", wrong_address("nowhere")),
        ("DATABASE_URL", "postgres://user:secret@host", NOT_POSTGRES),
    ],
)
def test_start_stops_with_one_sentence(
    tmp_path: Path, command: tuple[str, ...], status: int, name: str, value: str, sentence: str
) -> None:
    result = run(command, FLUX_FLEET_HOME=str(tmp_path), SECRET_KEY="k", **{name: value})
    assert (result.returncode, result.stdout, result.stderr) == (status, "", f"error: {sentence}\n")


def test_server_without_a_key_stops(tmp_path: Path) -> None:
    result = run(MANAGE, FLUX_FLEET_HOME=str(tmp_path))
    assert result.returncode == 1
    assert result.stderr.startswith("error: SECRET_KEY is not set; it must be a long random text")
    assert result.stderr.count("\n") == 1


def test_wrong_number_of_workers_stops_gunicorn(tmp_path: Path) -> None:
    result = run(GUNICORN, FLUX_FLEET_HOME=str(tmp_path), SECRET_KEY="k", WEB_CONCURRENCY="0")
    assert result.returncode == 2
    assert result.stderr == (
        "error: WEB_CONCURRENCY is '0'; it must be a whole number from 1 to 256.\n"
    )
