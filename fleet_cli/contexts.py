"""Which server to talk to: options and environment, or a context of the configuration file.

Never a mix of the two: the token of one server would go to another.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import platformdirs
import yaml

from fleet_cli.errors import WrongUsage

DEFAULT_URL = "http://127.0.0.1:8080"
CONFIG_VARIABLE = "FLUX_FLEET_CONFIG"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")


@dataclass(frozen=True, slots=True)
class Connection:
    api_url: str
    api_token: str = ""
    write_token: str = ""

    @property
    def reading(self) -> str:
        return self.api_token or self.write_token

    @property
    def writing(self) -> str:
        return self.write_token or self.api_token


@dataclass(slots=True)
class Configuration:
    current: str = ""
    contexts: dict[str, Connection] = field(default_factory=dict)

    def get(self, name: str) -> Connection:
        if name not in self.contexts:
            known = ", ".join(sorted(self.contexts)) or "none yet"
            raise WrongUsage(
                f"There is no context {name!r} (there are: {known}).",
                "Make one: flux-fleet login URL --name NAME",
            )
        return self.contexts[name]


def config_file() -> Path:
    chosen = os.environ.get(CONFIG_VARIABLE)
    return Path(chosen) if chosen else platformdirs.user_config_path("flux-fleet") / "config.yaml"


def load() -> Configuration:
    file = config_file()
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Configuration()
    except (OSError, UnicodeError) as error:
        raise WrongUsage(f"{file} cannot be read: {error}.") from None
    try:
        return _parse(yaml.safe_load(text))
    except (yaml.YAMLError, TypeError, AttributeError, ValueError) as error:
        first = str(error).splitlines()[0]
        raise WrongUsage(
            f"{file} is not a configuration: {first}.", "Correct it, or remove it and log in again."
        ) from None


def _parse(data: Any) -> Configuration:
    given: Mapping[str, Any] = {} if data is None else data
    contexts = {name: Connection(**fields) for name, fields in given.get("contexts", {}).items()}
    for connection in contexts.values():
        if not all(isinstance(value, str) for value in asdict(connection).values()):
            raise ValueError("addresses and tokens must be text")
    return Configuration(str(given.get("current", "")), contexts)


def save(configuration: Configuration) -> None:
    """It has tokens: only its owner can read it, from its first byte on."""
    file = config_file()
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    document = {
        "current": configuration.current,
        "contexts": {
            name: {key: value for key, value in asdict(connection).items() if value}
            for name, connection in sorted(configuration.contexts.items())
        },
    }
    fresh = file.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w", encoding="utf-8") as stream:
        yaml.safe_dump(document, stream, sort_keys=False)
    fresh.replace(file)


def choose(given: Connection, context: str | None) -> Connection:
    """A context that is named on the command line wins over the environment, which wins over the
    current context."""
    if context is not None:
        return load().get(context)
    if given.api_url or given.api_token or given.write_token:
        return Connection(given.api_url or DEFAULT_URL, given.api_token, given.write_token)
    configuration = load()
    if configuration.current:
        return configuration.get(configuration.current)
    return Connection(DEFAULT_URL)
