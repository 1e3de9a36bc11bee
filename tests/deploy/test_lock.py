"""The lock files fit pyproject.toml; `make lock` writes them."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from config.environment import BASE_DIR

PYPROJECT = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
DIRECT = {
    "requirements.lock": [*PROJECT["dependencies"], *PYPROJECT["build-system"]["requires"]],
    "requirements-dev.lock": [
        *PROJECT["dependencies"],
        *PROJECT["optional-dependencies"]["dev"],
    ],
}
PIN = re.compile(r"^([a-z0-9-]+)==(\S+)(?: ; [^\\\n]+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$")


def pins(lock: str) -> dict[str, str]:
    """Versions by name. Whatever is no pin with its hashes, and no comment, is an error."""
    text = (BASE_DIR / lock).read_text()
    lines = "".join(line for line in text.splitlines(keepends=True) if not is_comment(line))
    found = [PIN.match(entry) for entry in re.split(r"(?<!\\)\n", lines.rstrip("\n"))]
    assert all(found), f"{lock} has more than pins with hashes"
    return {match[1]: match[2] for match in found if match}


def is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


@pytest.mark.parametrize("lock", DIRECT)
def test_it_has_every_dependency_at_a_version_of_its_range(lock: str) -> None:
    pinned = pins(lock)
    for requirement in map(Requirement, DIRECT[lock]):
        version = pinned.get(canonicalize_name(requirement.name), "none")
        assert version != "none", f"{requirement.name} is not in {lock}: run `make lock`"
        assert version in requirement.specifier, f"{requirement} is out of date: run `make lock`"


def test_tests_run_with_what_the_image_has() -> None:
    image, tests = pins("requirements.lock"), pins("requirements-dev.lock")
    del image["setuptools"]
    assert image.items() <= tests.items()


@pytest.mark.parametrize("lock", DIRECT)
def test_it_names_no_registry_and_no_folder(lock: str) -> None:
    text = (BASE_DIR / lock).read_text()
    assert not re.search(r"://|--index|--find-links|--trusted-host|@ |file:| /", text)
