"""Turns STORE_BACKEND and DATABASE_URL into Django's database settings."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict

from config.environment import BASE_DIR, ConfigurationError, Environment

# For the two sides to notice the same thing, the server first: then the connection is kept.
MARGIN_SECONDS = 1
# A poll must not wait for what the database is busy with, such as a migration: it gets an error,
# which changes nothing, and its thread is free for others.
READ_LOCK_SECONDS = 2
READ_CONNECT_SECONDS = 2


def database_config(env: Environment, *, read_only: bool, memory_path: Path) -> dict[str, Any]:
    backend = env.choice("STORE_BACKEND", ("sqlite", "memory"), "sqlite")
    if backend == "memory":
        return sqlite_database(memory_path, read_only=False)
    url = env.text("DATABASE_URL")
    if not url:
        return sqlite_database(env.home() / "fleet.sqlite3", read_only=read_only)
    scheme = url.partition("://")[0].lower()
    if scheme == "sqlite":
        return sqlite_database(sqlite_path(url), read_only=read_only)
    if scheme in {"postgres", "postgresql"}:
        seconds = env.number("STATEMENT_TIMEOUT", 5 if read_only else 60, least=1, most=3600)
        return postgres_database(url, read_only=read_only, statement_seconds=seconds)
    # The address is not quoted: it may hold a password.
    raise ConfigurationError("DATABASE_URL must start with sqlite:// or postgres://.")


def sqlite_path(url: str) -> Path:
    """Both `sqlite:///absolute` and the reference service's `sqlite://relative` name a file."""
    wrong = ConfigurationError(
        f"DATABASE_URL is {url!r}; a SQLite address is sqlite:///path or sqlite://path?mode=rwc."
    )
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise wrong from error
    path = unquote(parts.netloc + parts.path)
    if path == ":memory:":
        raise ConfigurationError(
            "DATABASE_URL names no file; for a store in memory set STORE_BACKEND=memory."
        )
    options = set(parse_qsl(parts.query, keep_blank_values=True))
    if parts.fragment or not path.strip("/") or not options <= {("mode", "rwc"), ("mode", "rw")}:
        raise wrong
    if (BASE_DIR / path).is_dir():
        raise ConfigurationError(f"DATABASE_URL is {url!r}; it names a folder, not a file.")
    return BASE_DIR / path


def sqlite_database(path: Path, *, read_only: bool) -> dict[str, Any]:
    """WAL lets polls read while one writer writes; IMMEDIATE makes writers queue up, not fail."""
    if read_only:
        return {
            "ENGINE": "config.sqlite",
            "NAME": f"{path.as_uri()}?mode=ro",
            "CONN_MAX_AGE": None,
            "OPTIONS": {"uri": True, "timeout": READ_LOCK_SECONDS},
        }
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"The folder {path.parent} cannot be made ({error.strerror}); "
            "DATABASE_URL or FLUX_FLEET_HOME must name a place that can be written to."
        ) from error
    return {
        "ENGINE": "config.sqlite",
        "NAME": str(path),
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        },
    }


def postgres_database(url: str, *, read_only: bool, statement_seconds: int) -> dict[str, Any]:
    database = postgres_address(url)
    # Times as text, of which some are compared, must not depend on how the server is set up.
    session = f"-c statement_timeout={statement_seconds * 1000} -c TimeZone=UTC"
    if read_only:
        session += f" -c lock_timeout={READ_LOCK_SECONDS * 1000}"
        session += " -c default_transaction_read_only=on"
    database["ENGINE"] = "config.postgres"
    database["CONN_MAX_AGE"] = 600
    database["CONN_HEALTH_CHECKS"] = True
    database["ANSWER_SECONDS"] = statement_seconds + MARGIN_SECONDS
    database["REQUEST_SECONDS"] = statement_seconds + MARGIN_SECONDS if read_only else None
    options = database["OPTIONS"]
    options.setdefault("connect_timeout", READ_CONNECT_SECONDS if read_only else 5)
    options["options"] = f"{options.get('options', '')} {session}".strip()
    # Django would forbid it, for poolers that give each transaction another session. The reads of a
    # poll (fleet/desired_state/queries.py) are prepared, so such a pooler must be in session mode.
    options.setdefault("prepare_threshold", 5)
    return database


def postgres_address(url: str) -> dict[str, Any]:
    """As libpq reads it, and with it psql and pg_dump: what is not of the address is an option."""
    try:
        given: dict[str, Any] = conninfo_to_dict(f"postgresql://{url.partition('://')[2]}")
    except psycopg.Error:
        given = {}
    name, port = given.pop("dbname", ""), given.pop("port", "")
    if not name or not (port == "" or port.replace(",", "").isdecimal()):
        # Neither the address nor the reader's error is quoted: both may hold the password.
        raise ConfigurationError(
            "DATABASE_URL is not an address that we can read; "
            "it must look like postgres://user:password@host:5432/name."
        )
    return {
        "NAME": name,
        "USER": given.pop("user", ""),
        "PASSWORD": given.pop("password", ""),
        "HOST": given.pop("host", ""),
        "PORT": int(port) if port.isdecimal() else port,
        "OPTIONS": given,
    }
