"""Reads the process environment: each variable with its type, its default and what is allowed."""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

BASE_DIR = Path(__file__).resolve().parent.parent


class ConfigurationError(Exception):
    """A variable has a value that will not do; the message says which and what is allowed."""


@dataclass(frozen=True)
class Address:
    """Where to listen; an IPv6 host stands in brackets, as in a URL."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def bare_host(self) -> str:
        return self.host.strip("[]")

    @property
    def is_loopback(self) -> bool:
        try:
            return ipaddress.ip_address(self.bare_host).is_loopback
        except ValueError:
            return self.host == "localhost"


@dataclass(frozen=True)
class Environment:
    """A thin typed view of the environment, so that every wrong value ends in one clear sentence.

    A variable that is empty counts as not set.
    """

    values: Mapping[str, str]

    def text(self, name: str, default: str = "") -> str:
        return self.values.get(name, "").strip() or default

    def choice(self, name: str, allowed: tuple[str, ...], default: str) -> str:
        value = self.text(name, default)
        if value.lower() not in allowed:
            raise ConfigurationError(
                f"{name} is {value!r}; it must be one of: {', '.join(allowed)}."
            )
        return value.lower()

    def flag(self, name: str, default: bool) -> bool:
        value = self.text(name, str(default))
        if value.lower() in {"1", "true", "yes", "on"}:
            return True
        if value.lower() in {"0", "false", "no", "off"}:
            return False
        raise ConfigurationError(f"{name} is {value!r}; it must be true or false.")

    def number(self, name: str, default: int, *, least: int, most: int) -> int:
        value = self.text(name, str(default))
        # Ten digits at most: Python refuses to read a number of thousands of them.
        if not (value.isascii() and value.isdigit() and len(value) <= 10) or not (
            least <= int(value) <= most
        ):
            raise ConfigurationError(
                f"{name} is {value!r}; it must be a whole number from {least} to {most}."
            )
        return int(value)

    def words(self, name: str, default: str = "") -> list[str]:
        return [word.strip() for word in self.text(name, default).split(",") if word.strip()]

    def address(self, name: str, default: str) -> Address:
        value = self.text(name, default)
        host, _, port = value.rpartition(":")
        bracketed = host.startswith("[") and host.endswith("]")
        if (
            not host.strip("[]")
            or (":" in host and not bracketed)
            or not (port.isascii() and port.isdigit() and len(port) <= 5)
            or not 0 < int(port) < 65536
        ):
            raise ConfigurationError(
                f"{name} is {value!r}; it must be HOST:PORT, for example 127.0.0.1:8080."
            )
        return Address(host.lower(), int(port))

    def web_address(self, name: str) -> str:
        """Without a slash at its end; empty where it is not set."""
        value = self.text(name)
        try:
            parts = urlsplit(value)
            good = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
        except ValueError:
            good = False
        if value and (not good or set(value) & set("?#@\"'\\ ") or not value.isprintable()):
            # It is not quoted: it may hold a password.
            raise ConfigurationError(
                f"{name} must be an address such as https://fleet.example.com, "
                "without user, query or fragment."
            )
        return value.rstrip("/")

    def existing_file(self, name: str) -> Path | None:
        value = self.text(name)
        if not value:
            return None
        if not Path(value).is_file():
            raise ConfigurationError(f"{name} is {value!r}; it must name a file that exists.")
        return Path(value).absolute()

    def home(self) -> Path:
        """The folder of what a run leaves behind: the generated secrets and the database."""
        return BASE_DIR / self.text("FLUX_FLEET_HOME", ".local")


def process_environment() -> Environment:
    return Environment(os.environ)
