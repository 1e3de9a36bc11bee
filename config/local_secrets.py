"""The secrets of this installation: generated once, in a file that only its owner can read."""

import os
import secrets
import tempfile
from collections.abc import Iterable
from pathlib import Path

from config.environment import ConfigurationError, process_environment

# Bytes of randomness each.
SECRETS = {"SECRET_KEY": 50, "AUTH_TOKEN": 24, "CRUD_AUTH_TOKEN": 24, "ADMIN_PASSWORD": 12}


def load_secrets() -> frozenset[str]:
    """Fill gaps of the environment from the file; says which. What is set already wins."""
    env = process_environment()
    stored = _read(_file())
    filled = frozenset(name for name in SECRETS if name in stored and not env.text(name))
    os.environ.update({name: stored[name] for name in filled})
    return filled


def make_secrets(needed: Iterable[str]) -> None:
    """Generate what neither the environment nor the file has.

    Where the environment has all, no file is needed: a container may have nowhere to write.
    """
    env = process_environment()
    stored = _read(_file())
    if all(env.text(name) or name in stored for name in needed):
        return
    generated = {name: secrets.token_hex(size) for name, size in SECRETS.items()}
    try:
        _write(_file(), generated | stored)
    except OSError as error:
        raise _unusable(_file(), error) from error


def _file() -> Path:
    return process_environment().home() / "secrets.env"


def _read(file: Path) -> dict[str, str]:
    try:
        lines = file.read_text().splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise _unusable(file, error) from error
    pairs = (line.partition("=") for line in lines if not line.startswith("#"))
    return {name.strip(): value.strip() for name, _, value in pairs if value.strip()}


def _write(file: Path, values: dict[str, str]) -> None:
    """A crash half-way leaves the old file; the new one is its owner's alone from the start."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")
    with os.fdopen(descriptor, "w") as stream:
        stream.writelines(f"{name}={value}\n" for name, value in values.items())
        stream.flush()
        os.fsync(descriptor)
    Path(temporary).replace(file)


def _unusable(file: Path, error: Exception) -> ConfigurationError:
    reason = getattr(error, "strerror", None) or "it is not text"
    return ConfigurationError(
        f"The secrets in {file} cannot be read or written ({reason}); "
        "FLUX_FLEET_HOME must name a folder of your own."
    )
